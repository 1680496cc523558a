"""The table of the agent's functions: what it says decides, and each function is called by the hub."""

from __future__ import annotations

from kapture.page.agent_functions import AgentFunction


def test_a_call_may_be_retried_unless_it_names_something_of_the_document() -> None:
    read = AgentFunction(retry_unless=("ref", "target.ref"))
    assert read.may_retry({})
    assert read.may_retry({"ref": None, "target": {"css": "a"}})
    assert not read.may_retry({"ref": 0})
    assert not read.may_retry({"target": {"ref": 3}})
    assert AgentFunction(retry_unless=()).may_retry({"ref": 3})
    assert not AgentFunction().may_retry({})
