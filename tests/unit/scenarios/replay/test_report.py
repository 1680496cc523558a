"""Each kind of check holds on a page where it should, and says what it found on one where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import attrs
import pytest

from kapture.commands.core.answer import Answer, CallResult
from kapture.commands.scenarios import ScenarioRun, StepRun
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Check, CheckKind, StepTarget
from kapture.scenarios.replay.checks import Checker, CheckFailedError
from kapture.scenarios.replay.report import junit


def test_a_run_is_a_suite_with_a_case_for_each_step() -> None:
    run = ScenarioRun(
        scenario="checkout",
        status="failed",
        duration_ms=1_500,
        plan=[],
        steps=[
            StepRun(scenario="sign_in", number=1, step="click <b>", status="done", duration_ms=20),
            StepRun(
                scenario="checkout",
                number=1,
                step="check\x00 url",
                status="failed",
                duration_ms=80,
                error={"code": "SCENARIO_FAILED", "message": "The check does not hold."},
                expected="URL */done",
                found="the URL is https://shop.example/cart",
            ),
        ],
        captured={},
        warnings=["news was skipped"],
        healed=[],
    )
    root = ElementTree.fromstring(junit([run]).encode())
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "1.500")
    first, second = suite.findall("testcase")
    assert (first.get("classname"), first.get("name")) == ("sign_in", "1. click <b>")
    assert second.get("name") == "1. check\ufffd url"
    failure = second.find("failure")
    assert failure is not None
    assert failure.get("type") == "SCENARIO_FAILED"
    assert failure.text == "expected: URL */done\nfound: the URL is https://shop.example/cart"
    assert suite.findtext("system-out") == "news was skipped"


# Each kind of check holds on a page where it should, and says what it found on one where it does not.


NAME = [StepTarget(label="Name")]
BUSY_MS = 150.0


@attrs.define
class Page:
    """A page with one field; what it shows may come late. `values` and `texts` are what is read, look by look; None
    where the field is not there then."""

    states: Mapping[str, Any] = attrs.field(factory=dict)
    values: list[str | None] = attrs.field(factory=lambda: [""])
    texts: list[str | None] = attrs.field(factory=lambda: [""])
    totals: list[int] = attrs.field(factory=lambda: [1])
    unmet: str | None = None
    errors: list[str] = attrs.field(factory=list)
    made: list[tuple[str, Mapping[str, Any]]] = attrs.field(factory=list)

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
    ) -> CallResult:
        self.made.append((name, arguments))
        return CallResult(answer=Answer(), text="", data=self._answer(name), parts=())

    def _answer(self, name: str) -> dict[str, Any]:
        if name == "wait_for":
            if self.unmet is not None:
                raise KaptureError(ErrorCode.COMMAND_TIMEOUT, "Timed out.", data={"unmet": [self.unmet]})
            return {}
        if name == "logs":
            return {"entries": [{"message": message} for message in self.errors]}
        if name == "get_text":
            return {"content": self._there(self.texts, ErrorCode.ELEMENT_NOT_FOUND)}
        if name == "elements":
            total = self._next(self.totals)
            return {"total": total, "elements": [{"ref": "e1", "states": self.states}][:total]}
        assert name == "snapshot"
        return {"tree": {"tree": {"role": "textbox", "value": self._there(self.values, ErrorCode.REF_EXPIRED)}}}

    def _there(self, seen: list[str | None], otherwise: ErrorCode) -> str:
        found: str | None = self._next(seen)
        if found is None:
            raise KaptureError(otherwise, "It is not there.")
        return found

    def _next(self, seen: list[Any]) -> Any:
        return seen.pop(0) if len(seen) > 1 else seen[0]


async def check(page: Page, kind: CheckKind, expected: Any = None, targets: list[StepTarget] | None = None) -> None:
    checker = Checker(call=page, tab_id="tab22222", log_cursor=7)
    await checker.check(Check(kind=kind, expected=expected), targets or [], BUSY_MS)


HOLDS: list[tuple[Page, CheckKind, Any, list[StepTarget]]] = [
    (Page(texts=["", "Hello Ada"]), "text", "Ada", NAME),
    (Page(texts=["Hello Ada", "Hello"]), "no_text", "Ada", NAME),
    (Page(texts=[None, "Hello Ada, come late"]), "text", "Ada", NAME),
    (Page(values=[None, "Ada, drawn again"]), "value", "Ada, drawn again", NAME),
    (Page(), "text", "Ada", []),
    (Page(), "no_text", "Ada", []),
    (Page(), "url", "*/done", []),
    (Page(values=["", "12"]), "value", 12, NAME),
    (Page(values=["Ada"]), "value", "Ada", NAME),
    (Page(totals=[2, 3]), "count", 3, NAME),
    (Page(totals=[0]), "count", 0, NAME),
    (Page(), "state", "visible", NAME),
    (Page(), "state", "hidden", NAME),
    (Page(), "state", "gone", NAME),
    (Page(), "state", "enabled", NAME),
    (Page(states={"disabled": True}), "state", "disabled", NAME),
    (Page(states={"checked": True}), "state", "checked", NAME),
    (Page(states={"checked": False}), "state", "unchecked", NAME),
    (Page(states={"focused": True}), "state", "focused", NAME),
    (Page(), "no_console_error", None, []),
]


@pytest.mark.parametrize(
    ("page", "kind", "expected", "targets"), HOLDS, ids=[f"{kind} {expected}" for _, kind, expected, _ in HOLDS]
)
async def test_a_check_holds_as_soon_as_the_page_shows_what_is_expected(
    page: Page, kind: CheckKind, expected: Any, targets: list[StepTarget], autojump_clock: Any
) -> None:
    await check(page, kind, expected, targets)


FAILS: list[tuple[Page, CheckKind, Any, list[StepTarget], str, str]] = [
    (Page(texts=["Hello"]), "text", "Ada", NAME, "text 'Ada'", "'Hello'"),
    (Page(texts=["Hello Ada"]), "no_text", "Ada", NAME, "no_text 'Ada'", "'Hello Ada'"),
    (Page(unmet="the text is missing"), "text", "Ada", [], "text 'Ada'", "the text is missing"),
    (Page(unmet="the text is there"), "no_text", "Ada", [], "no text 'Ada'", "the text is there"),
    (Page(unmet="the URL is /cart"), "url", "*/done", [], "URL */done", "the URL is /cart"),
    (Page(values=["Eve"]), "value", "Ada", NAME, "value 'Ada'", "'Eve'"),
    (Page(totals=[2]), "count", 3, NAME, "count 3", "2"),
    (Page(unmet="it is hidden"), "state", "visible", NAME, "state visible", "it is hidden"),
    (Page(states={"disabled": True}), "state", "enabled", NAME, "state 'enabled'", "'disabled'"),
    (Page(), "state", "disabled", NAME, "state 'disabled'", "'not disabled'"),
    (Page(), "state", "checked", NAME, "state 'checked'", "'not checked'"),
    (Page(states={"checked": True}), "state", "unchecked", NAME, "state 'unchecked'", "'checked'"),
    (Page(), "state", "focused", NAME, "state 'focused'", "'not focused'"),
    (Page(totals=[0]), "value", "Ada", NAME, "value 'Ada'", "no such element"),
    (Page(texts=[None]), "text", "such", NAME, "text 'such'", "no such element"),
    (Page(texts=[None]), "no_text", "Ada", NAME, "no_text 'Ada'", "no such element"),
    (Page(texts=["a" * 20_000]), "text", "b", NAME, "text 'b'", f"'{'a' * 1_000}'… (20,000 characters)"),
    (Page(errors=["a is null", "b is null"]), "no_console_error", None, [], "no console error", "a is null; b is null"),
]


@pytest.mark.parametrize(
    ("page", "kind", "expected", "targets", "wanted", "found"),
    FAILS,
    ids=[f"{kind} {expected} {len(targets)}" for _, kind, expected, targets, _, _ in FAILS],
)
async def test_a_check_that_does_not_hold_says_what_was_expected_and_found(
    page: Page,
    kind: CheckKind,
    expected: Any,
    targets: list[StepTarget],
    wanted: str,
    found: str,
    autojump_clock: Any,
) -> None:
    with pytest.raises(CheckFailedError) as failed:
        await check(page, kind, expected, targets)
    assert (failed.value.expected, failed.value.found) == (wanted, found)


async def test_errors_that_were_logged_before_the_run_do_not_count() -> None:
    page = Page()
    await check(page, "no_console_error")
    assert page.made == [("logs", {"tabId": "tab22222", "since": 7, "level": "error", "max": 5})]
