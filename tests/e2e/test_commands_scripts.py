"""Running scripts, waiting, state, emulation, raw CDP and batches in a real browser."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing

from kapture.commands.core.context import ClientView
from kapture.errors import ErrorCode
from tests.support.context import Tab, open_tab
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e

HOME = """<title>Home</title><button id=b onclick="this.dataset.clicked = 1">Press</button>
<iframe src="/inner" name="inner"></iframe>"""

LATER = """<title>Later</title><p id=old>Old</p><p id=hid style="display:none">Shown later</p>
<iframe src="/inner"></iframe>
<script>
  addEventListener('message', () => {
    document.getElementById('old').remove();
    hid.style.display = 'block';
    document.body.insertAdjacentHTML('beforeend', '<p id=new>Brand   new</p>');
  });
</script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    pages: dict[str, Page | str] = {
        "/": HOME,
        "/inner": "<title>Inner</title><b id=deep>Deep</b>",
        "/later": LATER,
        "/moved": "<title>Moved</title><p id=there>there</p>",
        "/file": Page("abc" * 100, headers={"Content-Disposition": "attachment; filename=a.bin"}),
    }
    with serving(pages) as served:
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
        told = (await tab.data("evaluate", code="[document.querySelector('button')]"))["value"][0]
        assert told.startswith('<button> "Press" ref=e')
        ref = told.rpartition("=")[2]
        assert await tab.text("evaluate", code="element.id", target={"ref": ref}) == "b"
        assert await tab.text("evaluate", code="element => element.tagName", selector="#b") == "BUTTON"
        assert await tab.text("evaluate", code="const e = element; return e.id", selector="#b") == "b"


async def test_code_can_run_in_a_frame(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert await tab.text("evaluate", code="document.title", frame="inner") == "Inner"
        assert await tab.text("evaluate", code="element.textContent", target={"css": "#deep"}) == "Deep"
        assert (await tab.fails("evaluate", code="1", frame="nope")).code is ErrorCode.ELEMENT_NOT_FOUND


async def test_what_code_throws_comes_back_with_message_and_stack(browser: int, site: Site) -> None:
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


@pytest.mark.parametrize("code", ["JSON.parse('{')", "window.n = (window.n || 0) + 1; JSON.parse('{')"])
async def test_code_that_throws_a_syntax_error_runs_only_once(browser: int, site: Site, code: str) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        counted = f"(window.runs = (window.runs || 0) + 1, {code})" if ";" not in code else f"{code}"
        await tab.fails("evaluate", code=counted)
        assert (await tab.data("evaluate", code="window.runs || window.n"))["value"] == 1


async def test_large_values_are_cut_and_say_so(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for code in (
            "'x'.repeat(2e6)",
            "Array.from({length: 3e5}, (_, i) => i)",
            "Array(2e4).fill({a: 'bcd'.repeat(9)})",
        ):
            told = await tab.data("evaluate", code=code)
            assert told["truncated"] is True
            assert len(json.dumps(told["value"], separators=(",", ":"))) < 300_000


async def test_a_script_that_never_ends_is_stopped_and_the_tab_stays_usable(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for code in ("while (true) {}", "for (;;) await 0", "await new Promise(() => {})"):
            assert (await tab.fails("evaluate", code=code, timeout=400)).code is ErrorCode.COMMAND_TIMEOUT
            assert (await tab.data("evaluate", code="1 + 1", timeout=5000))["value"] == 2


async def test_a_script_that_only_waits_does_not_take_the_next_one_with_it(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("evaluate", code="window.ticks = 0; setInterval(() => ticks++, 5); 0")
        await tab.fails("evaluate", code="await new Promise(() => {})", timeout=200)
        before = (await tab.data("evaluate", code="ticks"))["value"]
        await tab("wait_for_function", code=f"ticks > {before} + 3", timeout=5000)


async def test_a_dialog_in_a_script_is_told_at_once(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.fails("evaluate", code="window.said = prompt('Name?', 'Ada')")
        assert error.data["dialog"] == {"type": "prompt", "message": "Name?", "defaultPrompt": "Ada"}
        assert (await tab.fails("evaluate", code="1")).code is ErrorCode.DIALOG_OPEN
        assert await tab.text("handle_dialog", text="Grace") == "accepted prompt 'Name?' with 'Grace'"
        assert (await tab.data("evaluate", code="said"))["value"] == "Grace"
        assert (await tab.fails("handle_dialog")).code is ErrorCode.INVALID_PARAMS


async def test_dialogs_are_answered_by_policy_in_the_middle_of_a_script(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("dialog_policy", policy="dismiss")
        assert (await tab.data("evaluate", code="confirm('Sure?')"))["value"] is False
        await tab("dialog_policy", policy="accept")
        assert (await tab.data("evaluate", code="[confirm('Sure?'), prompt('x', 'y')]"))["value"] == [True, "y"]


async def test_code_that_navigates_away_says_that_its_value_is_lost(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.fails("evaluate", code="location.href = '/moved'; await new Promise(() => {})")
        assert (error.code, "navigated before" in error.message) == (ErrorCode.EXECUTION_ERROR, True)
        await tab("wait_for", url="*/moved")


async def change_soon(tab: Tab) -> None:
    await tab.page.evaluate("setTimeout(() => postMessage(1), 150) && 0")


@pytest.mark.parametrize(
    "wish",
    [
        {"selector": "#new"},
        {"selector": "#hid"},
        {"selector": "#old", "state": "gone"},
        {"selector": "#old", "state": "hidden"},
        {"target": {"text": "Brand new"}},
        {"text": "brand NEW"},
        {"text_gone": "Old"},
        {"selector": "#hid", "text": "Deep", "text_gone": "Old", "url": "*/later"},
    ],
)
async def test_waiting_ends_when_the_page_is_as_asked(browser: int, site: Site, wish: dict[str, Any]) -> None:
    async with open_tab(browser, site.url("/later")) as tab:
        await change_soon(tab)
        told = await tab.data("wait_for", timeout=20_000, **wish)
        assert (await tab.data("wait_for", **wish))["seen"] == told["seen"], "it holds, so it is answered at once"


async def test_waiting_says_what_it_saw_when_it_gives_up(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/later")) as tab:
        error = await tab.fails("wait_for", selector="#hid", timeout=1500)
        assert error.code is ErrorCode.COMMAND_TIMEOUT
        assert "matches css '#hid', hidden" in error.message
        error = await tab.fails("wait_for", text="never", url="*/later", timeout=1500)
        assert error.data["unmet"] == ["the text 'never' is not shown"]
        assert "the URL is" in error.data["seen"][0]


async def test_waiting_goes_on_through_navigations(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab.page.evaluate("setTimeout(() => location.href = '/moved', 200) && 0")
        assert (await tab.data("wait_for", selector="#there", timeout=20_000))["element"]["tag"] == "p"
        await tab.page.evaluate("setTimeout(() => location.hash = 'x', 200) && 0")
        await tab("wait_for", url="*#x", timeout=20_000)


async def test_waiting_sees_frames_that_come_later(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/moved")) as tab:
        frame = site.url("/inner", host="localhost")
        code = f"document.body.insertAdjacentHTML('beforeend', '<iframe src={frame}></iframe>')"
        await tab.page.evaluate(f"setTimeout(() => {code}, 200) && 0")
        assert (await tab.data("wait_for", selector="#deep", timeout=20_000))["element"]["ref"].startswith("f")


async def test_waiting_for_quiet_and_for_downloads(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab.page.evaluate("setTimeout(() => fetch('/inner').then(() => window.fetched = 1), 200) && 0")
        await tab("wait_for", network_idle=True)
        assert (await tab.data("evaluate", code="window.fetched"))["value"] == 1
        error = await tab.fails("wait_for", download=True, timeout=1000)
        assert "no download has started" in error.message
        await tab.page.evaluate("location.href = '/file', 0")
        told = (await tab.data("wait_for", download=True))["download"]
        assert (told["filename"], told["state"], told["bytes"]) == ("a.bin", "completed", 300)


async def test_waiting_for_nothing_or_for_no_selector_is_an_error_at_once(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert (await tab.fails("wait_for")).code is ErrorCode.INVALID_PARAMS
        assert (await tab.fails("wait_for", selector="p[[")).code is ErrorCode.INVALID_SELECTOR


async def test_a_wait_that_is_cancelled_leaves_the_tab_usable(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/later")) as tab:
        async with trio.open_nursery() as nursery:
            for wish in ({"selector": "#new"}, {"text": "Brand new"}, {"network_idle": True, "url": "*never"}):
                nursery.start_soon(partial(tab, "wait_for", **wish))
            await trio.testing.wait_all_tasks_blocked(0.05)
            nursery.cancel_scope.cancel()
        await change_soon(tab)
        await tab("wait_for", selector="#new", timeout=20_000)


async def test_waiting_for_a_function_of_ones_own(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab.page.evaluate("setTimeout(() => window.state = {ready: 'yes'}, 200) && 0")
        assert (await tab.data("wait_for_function", code="state.ready && state"))["value"] == {"ready": "yes"}
        error = await tab.fails("wait_for_function", code="nothing.there", timeout=1500)
        assert (error.code, "nothing is not defined" in error.message) == (ErrorCode.COMMAND_TIMEOUT, True)
        assert (await tab.fails("wait_for_function", code="let = ;")).code is ErrorCode.EXECUTION_ERROR


async def test_cookies_are_set_read_deleted_and_cleared(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("cookies", action="clear")
        await tab("cookies", action="set", name="a", value="1", http_only=True)
        tomorrow = round(time.time()) + 86_400
        await tab("cookies", action="set", name="b", value="2", expires=tomorrow, same_site="Strict")
        told = {cookie["name"]: cookie for cookie in (await tab.data("cookies"))["cookies"]}
        assert (told["a"]["value"], told["a"]["http_only"], told["a"]["expires"]) == ("1", True, None)
        assert (told["b"]["same_site"], told["b"]["expires"]) == ("Strict", tomorrow)
        assert (await tab.data("evaluate", code="document.cookie"))["value"] == "b=2"
        assert (await tab.data("cookies", action="delete", name="a"))["changed"] == 1
        assert [cookie["name"] for cookie in (await tab.data("cookies"))["cookies"]] == ["b"]
        assert (await tab.data("cookies", action="clear"))["changed"] == 1
        assert (await tab.fails("cookies", action="set", value="x")).code is ErrorCode.INVALID_PARAMS


async def test_cookies_of_other_sites_are_out_of_reach(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/", host="localhost")) as tab:
        await tab("cookies", action="set", name="theirs", value="1")
        await tab("navigate", url=site.url("/"))
        tab.page.gate = lambda url: "127.0.0.1" in url
        assert "theirs" not in str(await tab.data("cookies"))
        error = await tab.fails("cookies", action="set", name="x", domain="localhost")
        assert error.code is ErrorCode.POLICY_DENIED
        await tab("cookies", action="clear")
        tab.page.gate = lambda _: True
        await tab("navigate", url=site.url("/", host="localhost"))
        assert "theirs" in str(await tab.data("cookies"))


async def test_what_code_has_answered_with_does_not_stay_in_the_page(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for made, shown in (("document.createElement('p')", "<p>"), ("{a: 1}", '{"a": 1}')):
            told = await tab.text("evaluate", code=f"globalThis.kept = new WeakRef({made}); kept.deref()")
            assert shown in told
            await tab.page.connection.root.send("HeapProfiler.collectGarbage")
            assert (await tab.data("evaluate", code="kept.deref() === undefined"))["value"] is True


async def test_storage_is_set_read_removed_and_cleared(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for area in ("local", "session"):
            await tab("storage", action="clear", area=area)
            await tab("storage", action="set", area=area, key="k", value='{"a": 1}')
            await tab("storage", action="set", area=area, key="big", value="x" * 200_000)
            told = await tab.data("storage", area=area)
            assert told["entries"]["k"] == '{"a": 1}' or told["cut"] > 0
            assert told["cut"] >= 100_000
            assert (await tab.data("storage", area=area, key="k"))["entries"] == {"k": '{"a": 1}'}
            assert (await tab.data("storage", action="remove", area=area, key="k"))["changed"] == 1
            assert (await tab.data("storage", action="clear", area=area))["changed"] == 1
        await tab("navigate", url="data:text/html,x")
        assert (await tab.fails("storage")).code is ErrorCode.EXECUTION_ERROR


async def test_emulation_is_seen_by_the_page_and_undone(browser: int, site: Site) -> None:
    facts = """[innerWidth, devicePixelRatio, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
      matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion)').matches]"""
    async with open_tab(browser, site.url("/")) as tab:
        before = (await tab.data("evaluate", code=facts))["value"]
        await tab(
            "emulate",
            viewport={"width": 500, "height": 400},
            device_scale=2,
            locale="de-DE",
            timezone="Asia/Tokyo",
            color_scheme="dark",
            reduced_motion=True,
        )
        assert (await tab.data("evaluate", code=facts))["value"] == [500, 2, "de-DE", "Asia/Tokyo", True, True]
        await tab("navigate", url=site.url("/moved"))
        assert (await tab.data("evaluate", code=facts))["value"] == [500, 2, "de-DE", "Asia/Tokyo", True, True]
        for wrong in ({"timezone": "Nowhere/Town"}, {"locale": "no locale!"}):
            assert (await tab.fails("emulate", **wrong)).code is ErrorCode.INVALID_PARAMS
        assert (await tab.data("emulate", locale=None))["timezone"] == "Asia/Tokyo"
        assert await tab.text("emulate", reset=True) == "Nothing is emulated."
        assert (await tab.data("evaluate", code=facts))["value"] == before


async def test_a_phone_is_emulated_with_touch_and_user_agent(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("emulate", device="phone")
        told = await tab.data(
            "evaluate", code="[screen.width, matchMedia('(pointer: coarse)').matches, navigator.userAgent]"
        )
        assert told["value"][:2] == [390, True]
        assert "iPhone" in told["value"][2]
        await tab("emulate", reset=True)
        assert "iPhone" not in await tab.text("evaluate", code="navigator.userAgent")


async def test_raw_commands_pass_within_the_tab_and_no_further(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        told = await tab.data("cdp", method="Runtime.evaluate", params={"expression": "6 * 7", "returnByValue": True})
        assert told["result"]["result"]["value"] == 42
        for method in ("Browser.close", "Target.getTargets", "Target.createTarget", "SystemInfo.getInfo"):
            assert (await tab.fails("cdp", method=method)).code is ErrorCode.POLICY_DENIED
        error = await tab.fails("cdp", method="Nope.nothing")
        assert (error.code, error.data["cdpCode"]) == (ErrorCode.EXECUTION_ERROR, -32601)
        assert (await tab.fails("cdp", method="no dot")).code is ErrorCode.INVALID_PARAMS
        tab.page.gate = lambda url: "127.0.0.1" in url
        for method, params in (
            ("Network.getAllCookies", {}),
            ("Page.navigate", {"url": "https://elsewhere.example/"}),
            ("Network.getCookies", {"urls": ["https://elsewhere.example/"]}),
            ("Network.setCookie", {"name": "a", "value": "b", "domain": "elsewhere.example"}),
            ("Storage.clearDataForOrigin", {"origin": "https://elsewhere.example", "storageTypes": "all"}),
        ):
            assert (await tab.fails("cdp", method=method, params=params)).code is ErrorCode.POLICY_DENIED


async def test_raw_events_are_collected_for_each_client(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        other = Tab(tab.page, client=ClientView(client_id="other"))
        await tab("cdp_events", action="subscribe", events=["Runtime.consoleAPICalled"])
        await tab("evaluate", code="console.log('one'); console.log('two')")
        told = await tab.data("cdp_events")
        assert [event["params"]["args"][0]["value"] for event in told["events"]] == ["one", "two"]
        assert (await tab.data("cdp_events", since=told["cursor"]))["events"] == []
        assert (await other.data("cdp_events"))["events"] == []
        await tab("cdp_events", action="unsubscribe", events=["Runtime.consoleAPICalled"])
        await tab("evaluate", code="console.log('three')")
        assert (await tab.data("cdp_events", since=told["cursor"]))["events"] == []


async def test_a_batch_runs_in_order_and_answers_each_step(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        steps = [
            {"command": "click", "arguments": {"selector": "#b"}},
            {"command": "evaluate", "arguments": {"code": "b.dataset.clicked"}},
            {"command": "kapturemcp_get_text", "arguments": {"selector": "#nothing"}},
            {"command": "evaluate", "arguments": {"code": "window.last = 1"}},
        ]
        told = await tab.data("batch", steps=steps)
        assert [step["status"] for step in told["steps"]] == ["done", "done", "failed", "skipped"]
        assert told["steps"][1]["data"]["value"] == "1"
        assert told["steps"][2]["error"]["code"] == "ELEMENT_NOT_FOUND"
        assert [report[0] for report in tab.progress.reports] == sorted(report[0] for report in tab.progress.reports)
        told = await tab.data("batch", steps=steps, stop_on_error=False)
        assert [step["status"] for step in told["steps"]] == ["done", "done", "failed", "done"]


async def test_a_batch_that_cannot_run_does_not_begin(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        first = {"command": "evaluate", "arguments": {"code": "window.begun = 1"}}
        for wrong in (
            {"command": "nothing"},
            {"command": "status"},
            {"command": "batch", "arguments": {"steps": []}},
            {"command": "click", "arguments": {"tabId": "othertab"}},
        ):
            await tab.fails("batch", steps=[first, wrong])
        assert (await tab.data("evaluate", code="window.begun"))["type"] == "undefined"


async def test_a_batch_out_of_time_tells_what_was_done(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        steps = [
            {"command": "evaluate", "arguments": {"code": code}} for code in ("1", "await new Promise(() => {})", "3")
        ]
        told = await tab.data("batch", steps=steps, timeout=4000)
        assert [step["status"] for step in told["steps"]] == ["done", "failed", "skipped"]
        assert told["steps"][1]["error"]["code"] == "COMMAND_TIMEOUT"


async def test_commands_work_in_a_tab_in_the_background(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/later")) as tab, open_tab(browser, site.url("/")) as front:
        await front.page.connection.root.send("Page.bringToFront")
        assert "Old" in await tab.text("get_text")
        await change_soon(tab)
        await tab("wait_for", text="Brand new", timeout=20_000)
        assert (await tab.data("navigate", url=site.url("/moved")))["title"] == "Moved"
        assert (await tab.data("evaluate", code="await new Promise(requestAnimationFrame); 1"))["value"] == 1
        assert (await tab.data("go_back"))["title"] == "Later"
