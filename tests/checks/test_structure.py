"""docs/ARCHITECTURE.md and docs/CONTRIBUTING.md agree with the tree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURE = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
DOCS = sorted([ROOT / "README.md", ROOT / "extension" / "README.md", *(ROOT / "docs").glob("*.md")])
UNIT_TESTS = sorted((ROOT / "tests" / "unit").rglob("test_*.py"))


def layers() -> list[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return [layer for contract in contracts if contract["type"] == "layers" for layer in contract["layers"]]


def test_the_layers_are_those_that_import_linter_checks() -> None:
    written = re.search(r"`(cli(?: (?:>|\|) \w+)+)`", ARCHITECTURE.replace("\n", " "))
    assert written is not None
    assert written[1] == " > ".join(re.sub(r"\(\w+\)( \| )?|( \| )\(\w+\)", "", layer) for layer in layers())


def test_every_package_has_its_row() -> None:
    packages = [name for layer in layers() for name in re.findall(r"(?<!\()\b\w+\b(?!\))", layer)]
    assert packages
    for package in packages:
        assert re.search(rf"^\|[^|]*`{package}`", ARCHITECTURE, re.MULTILINE), f"no row for {package}"


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_paths_named_in_the_docs_exist(page: Path) -> None:
    named = re.findall(r"(?<![\w/.])((?:kapture|extension|tests|test_app|bench|docs)/[\w./-]*\w)", page.read_text())
    missing = [name for name in named if not (ROOT / name).exists()]
    assert missing == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_between_the_docs_lead_somewhere(page: Path) -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text())
    assert [name for name in linked if not (page.parent / name).exists()] == []


def test_a_unit_test_stands_where_its_room_stands() -> None:
    unit = ROOT / "tests" / "unit"
    stray = [test for test in UNIT_TESTS if not (ROOT / "kapture" / test.parent.relative_to(unit)).is_dir()]
    assert stray == []
