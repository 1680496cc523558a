"""Secrets in a run: typed where they belong, and taken out of everything that is answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kapture.commands.core.answer import Answer, CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Dependency, Parameter, Step, StepTarget
from kapture.scenarios.parameters.placeholders import substitute
from kapture.scenarios.replay.redaction import Redaction
from kapture.scenarios.secrets.secret_key import FileKeys
from tests.unit.scenarios.stand_in import SHOP, Page, library, run, scenario, stored, visible


async def test_a_secret_is_marked_as_one_and_taken_out_of_everything_that_is_answered(tmp_path: Path) -> None:
    step = Step(command="fill", targets=[StepTarget(label="N")], arguments={"value": "{{pw}}"}, secret=True)
    made = library(tmp_path / "home", scenario("main", step, secrets=["pw"]))
    made.secrets.put("main", {"pw": stored("hunter2-hunter2")})
    error = KaptureError(ErrorCode.EXECUTION_ERROR, "The page says: hunter2-hunter2 is too short.")
    page = Page({"elements": visible("e7"), "fill": error})
    answer = await run(made, page)
    name, arguments, shown = next(made for made in page.made if made[0] == "fill")
    assert (name, arguments["value"]) == ("fill", "hunter2-hunter2")
    assert shown == {"target": {"ref": "e7"}, "value": "{{pw}}"}
    assert answer.status == "failed"
    assert "hunter2" not in repr(answer) + answer.text()
    assert "{{pw}} is too short" in answer.text()
    assert answer.blobs == ()  # a picture could show it


async def test_a_secret_given_for_this_run_is_used_in_place_of_the_stored_one(tmp_path: Path) -> None:
    step = Step(command="fill", targets=[StepTarget(label="N")], arguments={"value": "{{pw}}"}, secret=True)
    made = library(tmp_path / "home", scenario("main", step, secrets=["pw"]))
    page = Page({"elements": visible("e7")})
    with pytest.raises(KaptureError, match="The secret 'pw' of scenario main has no value"):
        await run(made, page)
    await run(made, page, override_secrets={"pw": "other"})
    assert page.made[-1][1]["value"] == "other"
    with pytest.raises(KaptureError, match="No scenario of this run"):
        await run(made, page, override_secrets={"pv": "other"})


async def test_a_secret_given_for_one_scenario_is_typed_by_no_other_that_has_one_of_its_name(tmp_path: Path) -> None:
    step = Step(command="fill", targets=[StepTarget(label="N")], arguments={"value": "{{pw}}"}, secret=True)
    first = scenario("first", step, secrets=["pw"])
    made = library(
        tmp_path / "home", first, scenario("main", step, secrets=["pw"], dependencies=[Dependency(scenario="first")])
    )
    made.secrets.put("main", {"pw": stored("kept")})
    page = Page({"elements": visible("e7")})
    await run(made, page, override_secrets={"first.pw": "given"})
    assert [given["value"] for name, given, _ in page.made if name == "fill"] == ["given", "kept"]


TYPES_SECRET = Step(command="fill", targets=[StepTarget(label="N")], arguments={"value": "{{pw}}"}, secret=True)


async def test_a_stored_secret_is_typed_at_no_other_site_than_it_was_stored_for(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", TYPES_SECRET, secrets=["pw"]))
    made.secrets.put("main", {"pw": stored("hunter2-hunter2", SHOP, "https://sso.example")})
    for origin in ("https://evil.example", "http://shop.example", "https://shop.example:8443", ""):
        page = Page({"elements": visible("e7", origin)})
        answer = await run(made, page)
        assert "fill" not in page.names()
        error = answer.steps[0].error
        assert error is not None
        assert error["code"] == "POLICY_DENIED"
        assert "https://shop.example, https://sso.example" in error["message"]
        assert origin in error["message"]
        assert "hunter2" not in answer.text()
    for origin in (SHOP, "https://sso.example"):
        assert (await run(made, Page({"elements": visible("e7", origin)}))).status == "passed"


async def test_a_secret_that_the_caller_gives_goes_where_the_caller_wants(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", TYPES_SECRET, secrets=["pw"]))
    page = Page({"elements": visible("e7", "https://elsewhere.example")})
    assert (await run(made, page, override_secrets={"pw": "mine"})).status == "passed"


@pytest.mark.parametrize(
    "step",
    [
        Step(command="type", arguments={"text": "{{pw}}"}, secret=True),
        Step(command="evaluate", arguments={"code": "send('{{pw}}')"}, secret=True),
    ],
)
async def test_a_stored_secret_is_only_typed_into_an_element(tmp_path: Path, step: Step) -> None:
    made = library(tmp_path / "home", scenario("main", Step(command="go_back"), step, secrets=["pw"]))
    made.secrets.put("main", {"pw": stored("hunter2")})
    page = Page()
    with pytest.raises(KaptureError, match="main, step 2: the stored secret 'pw' is only typed"):
        await run(made, page)
    assert page.made == []
    assert (await run(made, page, override_secrets={"pw": "mine"})).status == "passed"


GOES = "https://shop.example/in?u={{q}}&p={{pw|url}}"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"url": "https://shop.example/in?p={{pw}}"}, "must be percent-encoded in an address: {{pw|url}}"),
        ({"url": "https://evil.example/?p={{pw|url}}"}, "was stored for https://shop.example, where its address"),
        ({"url": "{{q}}/?p={{pw|url}}"}, "was stored for https://shop.example, where its address"),
        ({"url": "https://shop.example{{q}}/?p={{pw|url}}"}, "was stored for https://shop.example, where its address"),
        ({"url": "https://{{q}}@shop.example/?p={{pw|url}}"}, "was stored for https://shop.example, where its address"),
        ({"url": "https://shop.example@evil.example/{{pw|url}}"}, "was stored for https://shop.example, where its"),
        ({"url": "https://{{pw|url}}.shop.example/"}, "was stored for https://shop.example, where its address"),
        ({"url": "https://x{{pw|url}}/"}, "was stored for https://shop.example, where its address"),
        ({"url": GOES, "wait_until": "{{pw}}"}, "can stand in its `url` only"),
    ],
)
async def test_a_stored_secret_is_sent_to_its_own_site_only(
    tmp_path: Path, arguments: dict[str, Any], why: str
) -> None:
    step = Step(command="navigate", arguments=arguments, secret=True)
    parameters = {"q": Parameter(default="https://evil.example/")}
    made = library(tmp_path / "home", scenario("main", step, version=3, secrets=["pw"], parameters=parameters))
    made.secrets.put("main", {"pw": stored("hunter2")})
    page = Page()
    with pytest.raises(KaptureError, match=re.escape(f"main, step 1: the stored secret 'pw' {why}")):
        await run(made, page)
    assert page.made == []


async def test_a_stored_secret_is_percent_encoded_in_an_address_and_shown_by_its_name(tmp_path: Path) -> None:
    step = Step(command="navigate", arguments={"url": GOES}, secret=True)
    parameters = {"q": Parameter(default="a")}
    made = library(tmp_path / "home", scenario("main", step, version=3, secrets=["pw"], parameters=parameters))
    made.secrets.put("main", {"pw": stored("a&b=c d")})
    page = Page()
    assert (await run(made, page)).status == "passed"
    [(_, given, shown)] = [made for made in page.made if made[0] == "navigate"]
    assert given["url"] == "https://shop.example/in?u=a&p=a%26b%3Dc%20d"
    assert shown is not None
    assert shown["url"] == "https://shop.example/in?u=a&p={{pw}}"


async def test_no_screenshot_is_taken_from_the_typing_of_a_secret_until_another_page_is_shown(tmp_path: Path) -> None:
    click, shot = Step(command="click", targets=[StepTarget(text="Go")]), Step(command="reload", screenshot=True)
    made = library(tmp_path / "home", scenario("main", click, TYPES_SECRET, shot, click, click, click, secrets=["pw"]))
    route = {"effects": ["navigated to https://shop.example/next"]}  # the same document may still show the secret
    effects = iter([({}, False), ({}, False), (route, False), (route, True)])

    def pressed(arguments: Mapping[str, Any]) -> CallResult:
        data, new_document = next(effects)
        return CallResult(answer=Answer(), text="", data=data, new_document=new_document)

    page = Page({"elements": visible("e7"), "click": pressed})
    answer = await run(made, page, override_secrets={"pw": "hunter2"}, screenshots="steps")
    assert answer.status == "passed"
    acted = [name for name in page.names() if name not in ("elements", "wait_for", "snapshot")]
    assert acted == ["click", "screenshot", "fill", "reload", "click", "click", "click", "screenshot"]


@pytest.mark.parametrize(
    ("shown", "pictures"),
    [
        ({"role": "textbox", "name": "Key"}, 1),
        ({"role": "textbox", "name": "Key", "value": "hunter2-hunter2"}, 0),
        ({"role": "paragraph", "children": [{"role": "text", "name": "saved: hunter2-hunter2"}]}, 0),
        (KaptureError(ErrorCode.POLICY_DENIED, "The page is outside the grant."), 0),
    ],
)
async def test_no_screenshot_is_taken_of_a_page_that_shows_a_secret(tmp_path: Path, shown: Any, pictures: int) -> None:
    """Whichever way it came there: the browser fills in a page again that is gone back to."""
    back = Step(command="go_back", screenshot=True)
    made = library(tmp_path / "home", scenario("main", TYPES_SECRET, back, secrets=["pw"]))
    gone = CallResult(answer=Answer(), text="", data={}, new_document=True)
    read = shown if isinstance(shown, KaptureError) else {"tree": {"tree": shown}}
    page = Page({"elements": visible("e7"), "go_back": gone, "snapshot": read})
    answer = await run(made, page, override_secrets={"pw": "hunter2-hunter2"})
    assert answer.status == "passed"
    assert len(answer.blobs) == pictures


async def test_a_run_without_secrets_reads_no_page_for_its_screenshots(tmp_path: Path) -> None:
    page = Page()
    answer = await run(library(tmp_path / "home", scenario("main")), page, screenshots="steps")
    assert len(answer.blobs) == 1
    assert "snapshot" not in page.names()


@pytest.mark.parametrize(("name", "healed"), [("Go on", 1), ("Go on as hunter2-hunter2", 0)])
async def test_an_element_that_shows_a_secret_is_not_written_back(tmp_path: Path, name: str, healed: int) -> None:
    click = Step(command="click", targets=[StepTarget(css="#old"), StepTarget(text="Go")])
    made = library(tmp_path / "home", scenario("main", TYPES_SECRET, click, secrets=["pw"]))

    def matches(arguments: Mapping[str, Any]) -> dict[str, Any]:
        [element] = visible("e7")["elements"]
        return {"elements": [] if "css" in arguments["target"] else [{**element, "name": name}]}

    answer = await run(made, Page({"elements": matches}), override_secrets={"pw": "hunter2-hunter2"}, heal=True)
    assert (answer.status, len(answer.healed)) == ("passed", healed)
    assert "hunter2" not in answer.text() + (made.folder.folder / "main.json").read_text()


async def test_without_a_readable_store_no_step_is_run(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", Step(command="go_back"), TYPES_SECRET, secrets=["pw"]))
    made.secrets.put("main", {"pw": stored("hunter2")})
    FileKeys(tmp_path / "home").path.unlink()
    page = Page()
    with pytest.raises(KaptureError, match="its key is gone") as refused:
        await run(made, page)
    assert refused.value.code is ErrorCode.UNAUTHORIZED
    assert page.made == []
    assert (await run(made, Page({"elements": visible("e7")}), override_secrets={"pw": "mine"})).status == "passed"


def redaction(**secrets: str) -> Redaction:
    made = Redaction()
    made.add(secrets)
    return made


@pytest.mark.parametrize(
    "text",
    [
        'pä ss&"1"!',
        "https://shop.example/?p=p%C3%A4%20ss%26%221%22%21",
        "https://shop.example/?p=p%C3%A4%20ss%26%221%22!",
        "https://shop.example/?p=p%C3%A4+ss%26%221%22%21",
        '{"p": "pä ss&\\"1\\"!"}',
        '{"p": "p\\u00e4 ss&\\"1\\"!"}',
        '<input value="pä ss&amp;&quot;1&quot;!">',
        '<p>pä ss&amp;"1"!</p>',
    ],
)
def test_a_secret_is_taken_out_however_it_is_written(text: str) -> None:
    taken = redaction(password='pä ss&"1"!')({"of the page": [text]})["of the page"][0]
    assert "{{password}}" in taken
    assert not re.search("ss[^w]", taken)


@pytest.mark.parametrize("placeholder", ["{{password|url}}", "{{password|url|url}}"])
def test_a_secret_is_taken_out_of_an_address_that_a_scenario_opens(placeholder: str) -> None:
    value = "p@{ss} + 1"
    address = substitute(f"https://shop.example/?p={placeholder}", {"password": value})
    assert redaction(password=value)(address) == "https://shop.example/?p={{password}}"


def test_longer_of_two_secrets_is_redacted_first() -> None:
    assert redaction(pin="1234", password="1234-5678")("1234-5678 and 1234") == "{{password}} and {{pin}}"


def test_a_short_secret_is_taken_out_as_a_word_only() -> None:
    assert redaction(pin="12")("12 of 120") == "{{pin}} of 120"
