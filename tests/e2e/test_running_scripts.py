"""Running scripts, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import trio

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.patience import NEVER
from tests.support.script_pages import PAGES
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


VALUES: list[tuple[str, Any]] = [
    ("1 + 1", 2),
    ("''", ""),
    ("document.title", "Home"),
    ("document.title;", "Home"),
    ("const x = 5; x * 2", 10),
    ("const x = 5\nreturn x", 5),
    ("await Promise.resolve(7)", 7),
    ("const r = await fetch('/inner'); r.status", 200),
    ("() => document.title", "Home"),
    ("async (element) => { return element === undefined }", True),
    ("function () { return [1, 2] }", [1, 2]),
    ("{a: 1}", {"a": 1}),
    ("null", None),
    ("undefined", None),
    ("({a: undefined, b: [undefined]})", {"b": [None]}),
    ("[NaN, Infinity, -0, 1n, Symbol('s')]", ["NaN", "Infinity", "-0", "1n", "Symbol(s)"]),
    ("new Map([['a', new Set([1])]])", {"a": [1]}),
    ("new Map([[1, 2]])", [[1, 2]]),
    ("new Date(0)", "1970-01-01T00:00:00.000Z"),
    ("/x/g", "/x/g"),
    ("new Uint8Array([1, 2])", [1, 2]),
    ("() => function named() {}", "[function named]"),
    ("const o = {}; o.o = [o]; o", {"o": ["[circular]"]}),
    ("const o = {}; [o, o]", [{}, {}]),
    ("({get bad() { throw new TypeError('no') }})", {"bad": "[threw TypeError]"}),
    ("'\\ud83d'", "\ufffd"),
    ("'😀\"\\\\\\n'", '😀"\\\n'),
    ("Array.prototype.toJSON = String.prototype.toJSON = () => 'bad'; ['a']", ["a"]),
    ("5 // a comment", 5),
    ("document.querySelectorAll('nothing')", []),
    ("new DOMRect(1, 2, 3, 4).width", 3),
]


@pytest.mark.parametrize(("code", "value"), VALUES)
async def test_every_kind_of_value_comes_back(browser: int, site: Site, code: str, value: Any) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert (await tab.data("evaluate", code=code)).get("value") == value


async def test_elements_come_back_with_refs_that_work(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        answer = (await tab.data("evaluate", code="[document.querySelector('button')]"))["value"][0]
        assert answer.startswith('<button> "Press" ref=e')
        ref = answer.rpartition("=")[2]
        assert await tab.text("evaluate", code="element.id", target={"ref": ref}) == "b"
        assert await tab.text("evaluate", code="element => element.tagName", selector="#b") == "BUTTON"
        assert await tab.text("evaluate", code="const e = element; return e.id", selector="#b") == "b"


async def test_code_can_run_in_a_frame(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert await tab.text("evaluate", code="document.title", frame="inner") == "Inner"
        assert await tab.text("evaluate", code="element.textContent", target={"css": "#deep"}) == "Deep"
        assert (await tab.fails("evaluate", code="1", frame="nope")).code is ErrorCode.ELEMENT_NOT_FOUND


async def test_thrown_error_is_answered_with_message_and_stack(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.fails("evaluate", code="\nfunction inner() { throw new RangeError('too far') }\ninner()")
        assert (error.code, error.message) == (ErrorCode.EXECUTION_ERROR, "RangeError: too far")
        assert error.data["stack"].startswith("    at inner (<anonymous>:2:")
        assert "describeValue" not in error.data["stack"]
        assert (await tab.fails("evaluate", code="throw {code: 3}")).message == 'The code threw {"code": "3"}'


@pytest.mark.parametrize(
    ("code", "where", "target"),
    [
        ("let = ;", {"line": 1, "column": 7}, None),
        ("const a = 1\nconst b = a +* 2\nb", {"line": 2, "column": 14}, None),
        ("return 1 +* 2", {"line": 1, "column": 11}, None),
        ("if (true) {", {"line": 1}, None),
        ("let = ;", {"line": 1, "column": 7}, {"css": "#b"}),
    ],
)
async def test_a_syntax_error_points_into_the_callers_code(
    browser: int, site: Site, code: str, where: dict[str, int], target: dict[str, str] | None
) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.fails("evaluate", code=code, target=target)
        assert (error.code, error.data) == (ErrorCode.EXECUTION_ERROR, where)
        shown = (
            f"(line {where['line']}, column {where['column']}: " if "column" in where else "(at the end of the code)"
        )
        assert error.message.startswith("SyntaxError: ")
        assert shown in error.message


async def test_large_values_are_cut_and_say_so(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for code in (
            "'x'.repeat(2e6)",
            "Array.from({length: 3e5}, (_, i) => i)",
            "Array(2e4).fill({a: 'bcd'.repeat(9)})",
        ):
            answer = await tab.data("evaluate", code=code)
            assert answer["truncated"] is True
            assert len(json.dumps(answer["value"], separators=(",", ":"))) < 300_000


async def test_a_script_that_never_ends_is_stopped_and_the_tab_stays_usable(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for code in ("while (true) {}", "for (;;) await 0", f"await {NEVER}"):
            assert (await tab.fails("evaluate", code=code, timeout=400)).code is ErrorCode.COMMAND_TIMEOUT
            assert (await tab.data("evaluate", code="1 + 1", timeout=30_000))["value"] == 2


async def test_a_script_that_only_waits_does_not_take_the_next_one_with_it(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("evaluate", code="window.ticks = 0; setInterval(() => ticks++, 5); 0")
        await tab.fails("evaluate", code=f"await {NEVER}", timeout=200)
        before = (await tab.data("evaluate", code="ticks"))["value"]
        await tab("wait_for_function", code=f"ticks > {before} + 3", timeout=30_000)


async def test_a_dialog_in_a_script_is_reported_at_once(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.fails("evaluate", code="window.typed = prompt('Name?', 'Ada')")
        assert error.data["dialog"] == {"type": "prompt", "message": "Name?", "defaultPrompt": "Ada"}
        assert (await tab.fails("evaluate", code="1")).code is ErrorCode.DIALOG_OPEN
        assert await tab.text("handle_dialog", text="Grace") == "accepted prompt 'Name?' with 'Grace'"
        assert (await tab.data("evaluate", code="typed"))["value"] == "Grace"
        assert (await tab.fails("handle_dialog")).code is ErrorCode.INVALID_PARAMS


async def test_dialogs_are_answered_by_policy_in_the_middle_of_a_script(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("dialog_policy", policy="dismiss")
        assert (await tab.data("evaluate", code="confirm('Sure?')"))["value"] is False
        await tab("dialog_policy", policy="accept")
        assert (await tab.data("evaluate", code="[confirm('Sure?'), prompt('x', 'y')]"))["value"] == [True, "y"]


async def test_code_that_navigates_away_says_that_its_value_is_lost(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.fails("evaluate", code=f"location.href = '/moved'; await {NEVER}")
        assert (error.code, "navigated before" in error.message) == (ErrorCode.EXECUTION_ERROR, True)
        await tab("wait_for", url="*/moved")


async def test_answered_objects_are_released_in_page(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for made, shown in (("document.createElement('p')", "<p>"), ("{a: 1}", '{"a": 1}')):
            answer = await tab.text("evaluate", code=f"globalThis.kept = new WeakRef({made}); kept.deref()")
            assert shown in answer
            await tab.page.connection.root.send("HeapProfiler.collectGarbage")
            assert (await tab.data("evaluate", code="kept.deref() === undefined"))["value"] is True


async def test_a_promise_that_nothing_can_settle_ends_the_call(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab, trio.open_nursery() as nursery:

        async def collect() -> None:
            while True:
                await tab.page.connection.root.send("HeapProfiler.collectGarbage")

        nursery.start_soon(collect)
        error = await tab.fails("evaluate", code="await new Promise(() => {})")
        assert (error.code, "would never finish" in error.message) == (ErrorCode.EXECUTION_ERROR, True)
        nursery.cancel_scope.cancel()
