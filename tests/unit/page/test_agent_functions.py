"""The table of the agent's functions: what it says decides, and each function is called by the hub."""

from __future__ import annotations

import re
from pathlib import Path

import kapture
from kapture.page.agent_functions import FUNCTIONS, AgentFunction

SOURCES = Path(kapture.__path__[0])


def test_a_call_may_be_retried_unless_it_names_something_of_the_document() -> None:
    read = AgentFunction(retry_unless=("ref", "target.ref"))
    assert read.may_retry({})
    assert read.may_retry({"ref": None, "target": {"css": "a"}})
    assert not read.may_retry({"ref": 0})
    assert not read.may_retry({"target": {"ref": 3}})
    assert AgentFunction(retry_unless=()).may_retry({"ref": 3})
    assert not AgentFunction().may_retry({})


def test_each_function_is_called_by_the_hub() -> None:
    generated = SOURCES / "page" / "agent_functions.py"
    code = "\n".join(file.read_text("utf-8") for file in SOURCES.rglob("*.py") if file != generated)
    unused = {name for name in FUNCTIONS if not re.search(rf"""["']{name}["']""", code)}
    assert unused == set()
