"""Text of a page in an error is fenced as it is in an answer: so it is in the message, and the message is marked."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import kapture.commands
from kapture.commands.core.registry import get_command
from kapture.mcp.results import QUOTES_PAGE

ROOT = Path(__file__).resolve().parents[2] / "kapture"


def errors(tree: ast.Module) -> list[ast.Call]:
    """Every `KaptureError(code, message, …)`."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "KaptureError" and len(node.args) == 2
    ]


def describes(node: ast.expr | None) -> bool:
    """Whether an expression holds an element's name, which is the page's text."""
    return node is not None and "describe(" in ast.unparse(node)


def test_an_error_that_names_an_element_is_marked_as_quoting_its_page() -> None:
    found, wrong = 0, []
    for path in ROOT.rglob("*.py"):
        for call in errors(ast.parse(path.read_text())):
            code, message = call.args
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            marked = ast.unparse(code).rpartition(".")[2] in {one.name for one in QUOTES_PAGE} or "quotes_page" in given
            found += describes(message)
            if (describes(message) and not marked) or describes(given.get("hint")):
                wrong.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert found > 5
    assert wrong == []


@pytest.mark.parametrize("name", ["tab_new", "navigate", "download_file"])
def test_an_answer_with_an_address_that_may_be_the_pages_is_fenced(name: str) -> None:
    assert kapture.commands  # registers them
    assert get_command(name).reads_page, "a relative address shows the path of the page"
