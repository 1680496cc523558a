"""Calls of a page's tools in a recording: repeated with what they were given, but for secrets."""

from __future__ import annotations

from typing import Any

from kapture.commands.core.recorder import SaveWish
from kapture.scenarios.model import Scenario, StepTarget
from kapture.scenarios.record.captured import CapturedStep
from kapture.scenarios.record.recorded_scenario import scenario_of


def recorded(*steps: CapturedStep) -> Scenario:
    wish = SaveWish(name="shop")
    made, _ = scenario_of(steps, wish, url="https://shop.example/", recorded_at="2026-01-01T00:00:00Z")
    return made


def calling(**arguments: Any) -> CapturedStep:
    return CapturedStep(command="call_page_tool", arguments={"name": "add", "arguments": arguments})


def test_a_call_keeps_its_arguments_and_says_which_tool() -> None:
    step = recorded(calling(items=[{"id": 7, "note": "{{x}}"}], gift=True, none=None)).chain[-1]
    assert step.title == "call page tool add"
    assert step.arguments == {
        "name": "add",
        "arguments": {"items": [{"id": 7, "note": "{{{{x}}"}], "gift": True, "none": None},
    }


def test_an_argument_that_is_a_secret_becomes_a_parameter_that_must_be_given() -> None:
    made = recorded(calling(user={"accessToken": "hunter2", "pin": 4711}, cvc=123), calling(password="hunter2"))
    first, second = (step.arguments["arguments"] for step in made.chain[1:])
    assert first == {"user": {"accessToken": "{{token}}", "pin": 4711}, "cvc": "{{card_code}}"}
    assert second == {"password": "{{password}}"}
    assert all(made.parameters[name].must_be_given for name in ("token", "card_code", "password"))
    assert made.parameters["card_code"].type == "number"
    assert "hunter2" not in repr(made)


def test_all_that_an_argument_with_the_name_of_a_secret_holds_is_secret() -> None:
    made = recorded(calling(password={"value": "hunter2", "again": ["hunter2"]}))
    assert made.chain[-1].arguments["arguments"] == {"password": {"value": "{{password}}", "again": ["{{password}}"]}}


def test_what_was_typed_as_a_secret_is_in_no_call() -> None:
    typed = CapturedStep(
        command="fill", targets=[StepTarget(css="#p")], secret="password", secret_value="hunter2", origin="https://a.de"
    )
    made = recorded(typed, calling(note="hunter2", more="it is hunter2, {{hunter2}}", other="hunter"))
    assert made.chain[-1].arguments["arguments"] == {
        "note": "{{password_2}}",
        "more": "it is {{password_2}}, {{{{{{password_2}}}}",
        "other": "hunter",
    }
    assert (made.secrets, list(made.parameters)) == (["password"], ["password_2"])
