"""Addresses of a recording are saved with references in place of what was typed into them."""

from __future__ import annotations

import re

from kapture.commands.core.recorder import StepEdit
from kapture.page.recording.recording import CapturedAction, Navigation
from kapture.scenarios.files.decode import encode
from kapture.scenarios.record.recording import Recording
from kapture.scenarios.secrets.secret_store import StoredSecret
from tests.unit.scenarios.record.test_recorder import URL, act, recording, saved


def sent_by_get() -> Recording:
    """A sign-in and a search that GET forms send, and the browser's Back to what they have led to."""
    one = recording()
    one.take(act("1", "fill", "Password", secret="password"))
    one.take(CapturedAction(id="1", secretValue="p@ss word"))
    one.take(act("2", "press", "Password", arguments={"key": "Enter"}))
    one.take(Navigation(url="https://shop.example/in?pw=p%40ss+word", cause="page"))
    one.take(act("3", "fill", "Search", element={"role": "searchbox", "name": "Search", "attributes": {"name": "q"}}))
    one.take(CapturedAction(id="3", value="tea & milk"))
    one.take(act("4", "press", "Search", arguments={"key": "Enter"}))
    one.take(Navigation(url="https://shop.example/find/tea%20%26%20milk", cause="page"))
    one.take(act("5", "click", "Logo"))
    one.take(Navigation(url="https://shop.example/find?q=tea+%26+milk&pw=p%40ss%20word", cause="address"))
    return one


def test_an_address_that_was_typed_into_is_saved_with_references() -> None:
    scenario, values = saved(sent_by_get())
    steps = [step for step in scenario.chain if step.command in ("navigate", "wait_for")]
    assert [step.arguments["url"] for step in steps] == [
        URL,
        "*/in*",
        "*/find/**",
        "https://shop.example/find?q={{query|url}}&pw={{password|url}}",
    ]
    assert [step.secret for step in steps] == [False, False, False, True]
    assert steps[-1].title == "navigate https://shop.example/find?q={{query|url}}&pw={{password|url}}"
    assert values == {"password": StoredSecret("p@ss word", ("https://shop.example",))}
    written = encode(scenario).decode()
    assert not re.search("p(@|%40)ss", written)
    assert written.count("milk") == 1  # the parameter's default


def test_a_secret_stands_in_no_address_after_the_step_that_typed_it_was_deleted() -> None:
    one = sent_by_get()
    one.edit(StepEdit(step="1", delete=True))
    scenario, values = saved(one)
    assert scenario.chain[-1].arguments["url"].endswith("pw={{password|url}}")
    assert scenario.secrets == list(values) == ["password"]
    assert b"%40" not in encode(scenario)


def test_an_address_that_names_its_secret_is_saved_without_it() -> None:
    one = Recording("https://shop.example/account?token=abc%2Bdef", "2026-01-01T00:00:00Z")
    one.take(act("1", "click", "Go"))
    scenario, values = saved(one)
    address = "https://shop.example/account?token={{token|url}}"
    assert (scenario.chain[0].arguments, scenario.metadata.url) == ({"url": address}, address)
    assert values == {"token": StoredSecret("abc+def", ("https://shop.example",))}


def test_secrets_that_overlap_in_an_address_are_saved_as_one() -> None:
    one = recording()
    for number, value in (("1", "hunter2"), ("2", "er2beta")):
        one.take(act(number, "fill", f"Password {number}", secret="password"))
        one.take(CapturedAction(id=number, secretValue=value))
    one.take(act("3", "click", "Logo"))
    one.take(Navigation(url="https://shop.example/in?key=hunter2beta", cause="address"))
    scenario, values = saved(one)
    assert scenario.chain[-1].arguments["url"] == "https://shop.example/in?key={{password_3|url}}"
    assert values["password_3"].value == "hunter2beta"
    assert not re.search("hunt|beta", encode(scenario).decode())
