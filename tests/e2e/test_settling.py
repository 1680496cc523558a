"""What an action sets off is waited for, by events, and told."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trio
import trio.testing

from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.click import click
from tests.support.context import Tab, open_tab
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/next": "<title>Next</title><h1>Next</h1>"}) as site:
        yield site


def slow(body: str, seconds: float) -> Callable[[str], Page]:
    def answer(_: str) -> Page:
        time.sleep(seconds)
        return Page(body)

    return answer


async def at(tab: Tab, site: Site, html: str) -> None:
    site.pages["/start"] = html
    await tab("navigate", url=site.url("/start"))


async def test_a_link_is_followed_to_the_parsed_document(browser: int, site: Site) -> None:
    site.pages["/slow"] = slow("<title>Slow</title><p id=there>", 0.4)
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href=/slow>Slow</a>")
        assert f"navigated to {site.url('/slow')}" in await tab.text("click", selector="#x")
        assert await tab.page.evaluate("document.title") == "Slow"


async def test_a_form_a_script_and_a_404_tell_where_they_led(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<form action=/missing><button id=x>Go</button></form>")
        answer = await tab.text("click", selector="#x")
        assert "/missing?" in answer
        assert "HTTP 404" in answer
        await at(tab, site, "<button id=x onclick=\"location.href='/next'\">Go</button>")
        assert f"navigated to {site.url('/next')}" in await tab.text("click", selector="#x")
        await at(tab, site, '<button id=x onclick="setTimeout(()=>location.reload(),0)">Go</button>')
        await tab("click", selector="#x")


async def test_moves_within_the_document_are_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<a id=x href=#part>Part</a><button id=y onclick=\"history.pushState(0,'','/pushed')\">Push</button>",
        )
        assert f"navigated to {site.url('/start#part')}" in await tab.text("click", selector="#x")
        assert f"navigated to {site.url('/pushed')}" in await tab.text("click", selector="#y")
        assert tab.page.url == site.url("/pushed")


async def test_requests_that_an_action_starts_are_waited_for(browser: int, site: Site) -> None:
    site.pages["/data"] = slow("{}", 0.2)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x onclick=\"fetch('/data').then((r) => r.text()).then((t) => fetch('/next')).then(() => document.title = 'Loaded')\">Go</button>",
        )
        await tab("click", selector="#x")
        assert await tab.page.evaluate("document.title") == "Loaded"


async def test_a_request_that_hangs_holds_the_answer_up_only_for_a_moment(browser: int, site: Site) -> None:
    held = threading.Event()
    site.pages["/held"] = Page("{}", wait=held)
    try:
        async with open_tab(browser) as tab:
            await at(tab, site, "<button id=x onclick=\"fetch('/held')\">Go</button>")
            await tab("click", selector="#x")
            newest = next(tab.page.network.newest_first())
            assert newest.url == site.url("/held")
            assert not newest.finished
    finally:
        held.set()


async def test_streams_and_images_are_not_waited_for(browser: int, site: Site) -> None:
    held = threading.Event()
    site.pages["/held"] = Page("x", wait=held)
    try:
        async with open_tab(browser) as tab:
            await at(
                tab, site, "<button id=x onclick=\"new Image().src='/held';navigator.sendBeacon('/next')\">Go</button>"
            )
            async with tab.page.acting() as outcome:
                await click(tab.page, "#x")
            assert outcome.requests == 0
    finally:
        held.set()


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt"])
async def test_a_dialog_ends_the_wait_at_once_and_can_be_answered(browser: int, site: Site, kind: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f"<button id=x onclick=\"window.got = {kind}('Sure?')\">Go</button>")
        assert f'dialog {kind} "Sure?" is open' in await tab.text("click", selector="#x")
        error = await tab.fails("click", selector="#x")
        assert error.code is ErrorCode.DIALOG_OPEN
        assert error.data["dialog"]["message"] == "Sure?"
        await tab("handle_dialog", accept=True, **({"text": "yes"} if kind == "prompt" else {}))
        got = await tab.page.evaluate("window.got")
        assert got == {"alert": None, "confirm": True, "prompt": "yes"}[kind]


async def test_a_dialog_that_opens_during_an_agent_call_ends_it(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<input id=x onfocus=\"alert('Stop')\">")
        error = await tab.fails("fill", selector="#x", value="y")
        assert error.code is ErrorCode.DIALOG_OPEN
        await tab("handle_dialog")
        assert await tab.page.evaluate("1 + 1") == 2


async def test_dialogs_are_answered_by_the_policy_when_nobody_watches(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<button id=x onclick=\"window.got = confirm('Sure?')\">Go</button>")
        await tab("dialog_policy", policy="accept")
        await tab("click", selector="#x")
        assert await tab.page.evaluate("got") is True


async def test_a_new_window_is_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<a id=x target=_blank href=/next>New</a><button id=y onclick=\"window.open('/next')\">Open</button>",
        )
        for selector in ("#x", "#y"):
            assert f"opened a new tab at {site.url('/next')}" in await tab.text("click", selector=selector)
        assert tab.page.url == site.url("/start")


async def test_the_id_of_a_tab_that_connects_is_waited_for(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x target=_blank href=/next>New</a>")
        tab.page.children_connect = True
        tab.page.connection.root.on("Page.windowOpen", lambda _: tab.page.child_opened("childtab"))
        assert "opened tab childtab" in await tab.text("click", selector="#x")


async def test_a_download_is_reported_and_no_navigation(browser: int, site: Site) -> None:
    site.pages["/file"] = Page(
        "a,b", headers={"Content-Disposition": "attachment; filename=data.csv", "Content-Type": "text/csv"}
    )
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href=/file>Get</a>")
        answer = await tab.text("click", selector="#x")
        assert "download started: data.csv" in answer
        assert "navigated" not in answer
        assert tab.page.url == site.url("/start")


async def test_an_answer_without_content_does_not_hold_the_click_up(browser: int, site: Site) -> None:
    site.pages["/nothing"] = Page(status=204)
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href=/nothing>Nothing</a>")
        answer = await tab.text("click", selector="#x")
        assert "navigated" not in answer
        assert "still loading" not in answer


async def test_a_server_that_is_not_there_is_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href='http://127.0.0.1:9/'>Nowhere</a>")
        answer = await tab.text("click", selector="#x")
        assert "navigation failed" in answer or "ERR_" in answer


LATER = {
    "a timer": "setTimeout(work, 0)",
    "a timer of a timer": "setTimeout(() => setTimeout(work, 0), 0)",
    "a frame": "requestAnimationFrame(work)",
}


@pytest.mark.parametrize("how", LATER)
async def test_what_a_handler_leaves_for_later_is_part_of_the_action(browser: int, site: Site, how: str) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"""<button id=x>Go</button><input id=y><select id=z><option>a<option>b</select><script>
            const work = () => history.pushState(0, '', '?' + performance.now()), later = () => {{ {LATER[how]} }};
            x.onclick = y.oninput = z.onchange = later</script>""",
        )
        assert tab.client.last_snapshot is None
        assert "navigated to" in await tab.text("click", selector="#x")
        assert "navigated to" in await tab.text("fill", selector="#y", value="text")
        assert "navigated to" in await tab.text("select", selector="#z", value="b")


MESSAGES = {
    "a channel": "const {port1, port2} = new MessageChannel(); port1.onmessage = work; port2.postMessage(0)",
    "a window": "window.onmessage = work; postMessage(0)",
    "the scheduler": "scheduler.postTask(work)",
}


@pytest.mark.parametrize("how", MESSAGES)
@pytest.mark.parametrize("reading", ["get_text", "evaluate"])
async def test_whoever_reads_next_sees_what_a_message_has_done(
    browser: int, site: Site, how: str, reading: str
) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"""<button id=x>Go</button><p id=y>before</p><script>
            const work = () => y.textContent = 'after'; x.onclick = () => {{ {MESSAGES[how]} }}</script>""",
        )
        asked = {"target": "#y"} if reading == "get_text" else {"code": "y.textContent"}
        for _ in range(5):
            await tab.page.evaluate("y.textContent = 'before'")
            await tab("click", selector="#x")
            assert await tab.text(reading, **asked) == "after"


async def test_a_message_that_comes_and_goes_during_the_action_is_kept(browser: int, site: Site) -> None:
    site.pages["/data"] = slow("{}", 0.2)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<button id=x onclick="const t=document.createElement('div');t.setAttribute('role','status');t.textContent='Saved for you';
            document.body.append(t);setTimeout(()=>t.remove(),60);fetch('/data')">Go</button>""",
        )
        async with tab.page.acting(thorough=True) as outcome:
            await click(tab.page, "#x")
        assert outcome.transients == ["Saved for you"]


async def test_a_page_that_closes_or_crashes_ends_what_waits(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<p>Here</p>")
        error: list[KaptureError] = []

        async def wait() -> None:
            try:
                await tab.page.evaluate("new Promise(() => {})")
            except KaptureError as caught:
                error.append(caught)

        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                await trio.testing.wait_all_tasks_blocked()
                tab.page.connection.root.submit("Page.crash")
        assert "crash" in str(error[0]).lower()
        assert (await tab.fails("click", selector="p")).code is ErrorCode.DETACHED
        await tab("navigate", url=site.url("/next"))
        assert await tab.page.evaluate("document.title") == "Next"


async def test_a_navigation_ends_calls_into_the_document_before(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<p>Here</p>")
        error: list[KaptureError] = []

        async def wait() -> None:
            try:
                await tab.page.evaluate("new Promise(() => {})")
            except KaptureError as caught:
                error.append(caught)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            await tab("navigate", url=site.url("/next"))
        assert error[0].code is ErrorCode.DETACHED


# What a page does a while after its handlers have run: with the page, the action, and what the answer shows of it.
LATER_EFFECTS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "a page that turns": (
        "<button id=x>Next</button><p id=p>Page 1</p><script>x.onclick=()=>setTimeout(()=>p.textContent='Page 2',100)</script>",
        "click",
        {"selector": "#x"},
        "Page 2",
    ),
    "a handler that stops its event": (
        "<button id=x>Next</button><p id=p>Page 1</p><script>x.onclick=(e)=>{e.stopPropagation();setTimeout(()=>p.textContent='Page 2',100)}</script>",
        "click",
        {"selector": "#x"},
        "Page 2",
    ),
    "a filter that waits for the last key": (
        """<input id=x><ul id=l><li>apple<li>pear</ul><script>let t;x.oninput=()=>{clearTimeout(t);t=setTimeout(()=>{
        for(const i of l.children)i.hidden=!i.textContent.includes(x.value)},100)}</script>""",
        "type",
        {"selector": "#x", "text": "pe"},
        "apple",
    ),
    "suggestions from the server": (
        """<input id=x><ul id=l></ul><script>let t;x.oninput=()=>{clearTimeout(t);t=setTimeout(async()=>{
        l.innerHTML=await(await fetch('/suggest')).text()},100)}</script>""",
        "fill",
        {"selector": "#x", "value": "pe"},
        "Peru",
    ),
    "a filter behind a tick": (
        """<label><input type=checkbox id=x> Tea</label><p id=p>all</p><script>x.onchange=()=>setTimeout(()=>
        p.textContent='only tea',100)</script>""",
        "click",
        {"selector": "#x"},
        "only tea",
    ),
    "what comes after a sign that it will": (
        """<button id=x>Send</button><p id=p></p><script>x.onclick=()=>{x.disabled=true;x.textContent='Sending…';
        setTimeout(()=>{x.disabled=false;x.textContent='Send';p.textContent='Sent'},100)}</script>""",
        "click",
        {"selector": "#x"},
        "Sent",
    ),
    "a route whose contents come later": (
        """<a href=# id=x>Inbox</a><main id=m><h1>Home</h1></main><script>x.onclick=(e)=>{e.preventDefault();
        history.pushState(0,'','/inbox');m.innerHTML='';setTimeout(()=>m.innerHTML='<h1>3 mails</h1>',100)}</script>""",
        "click",
        {"selector": "#x"},
        "3 mails",
    ),
    "a route behind a hash": (
        "<a href=#inbox id=x>Inbox</a><p id=p>Home</p><script>onhashchange=()=>p.textContent='3 mails'</script>",
        "click",
        {"selector": "#x"},
        "3 mails",
    ),
    "another page": (
        "<button id=x>Next</button><script>x.onclick=()=>setTimeout(()=>location.href='/next',100)</script>",
        "click",
        {"selector": "#x"},
        "navigated to",
    ),
    "a dialog": (
        "<button id=x>Next</button><script>x.onclick=()=>setTimeout(()=>alert('Later'),100)</script>",
        "click",
        {"selector": "#x"},
        'dialog alert "Later" is open',
    ),
}


@pytest.mark.parametrize(("html", "command", "arguments", "shown"), LATER_EFFECTS.values(), ids=LATER_EFFECTS)
async def test_the_first_change_that_a_handlers_timer_brings_is_part_of_the_answer(
    browser: int, site: Site, html: str, command: str, arguments: dict[str, Any], shown: str
) -> None:
    site.pages["/suggest"] = "<li>Peru"
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        if command == "type":
            await tab("click", selector="#x")
        await tab("snapshot")
        assert shown in await tab.text(command, **arguments)


async def test_timers_that_bring_nothing_are_named_and_the_answer_does_not_wait_for_them(
    browser: int, site: Site
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<button id=x onclick='setTimeout(()=>0,60_000);setTimeout(()=>0,60_000)'>Go</button>")
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        assert "no other change yet; 2 timers are pending" in answer
        assert "no change yet; 2 timers are pending" in await tab.text("click", selector="#x")


async def test_timers_that_the_page_sets_again_and_again_do_not_count_as_the_actions(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x>Go</button><script>var n=0;(function tick(){n++;setTimeout(tick,10)})()</script>",
        )
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        assert "clicked" in answer
        assert "pending" not in answer


async def test_without_a_snapshot_no_timer_is_waited_for(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x onclick=\"setTimeout(()=>p.textContent='after',60_000)\">Go</button><p id=p>before</p>",
        )
        await tab("snapshot")
        async with tab.page.acting() as outcome:
            await click(tab.page, "#x")
        assert outcome.timers == 1
        assert "pending" not in await tab.text("click", selector="#x", snapshot="none")
        assert await tab.page.evaluate("p.textContent") == "before"


# What a click's handler does, and whether the answer waits until its effect is drawn.
DRAWN: dict[str, tuple[str, bool]] = {
    "nothing that shows": ("window.n = 1", False),
    "a change": ("p.textContent = 'after'", True),
    "a state": ("x.setAttribute('aria-pressed', 'true')", True),
    "a timer": ("setTimeout(() => 0, 60_000)", True),
    "a frame": ("requestAnimationFrame(() => 0)", True),
}


@pytest.mark.parametrize(("script", "waits"), DRAWN.values(), ids=DRAWN)
async def test_only_what_an_action_has_changed_or_asked_for_is_waited_for_when_the_page_is_shown(
    browser: int, site: Site, script: str, waits: bool
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f'<button id=x onclick="{script}">Go</button><p id=p>before</p>')
        for _ in range(1 if waits else 10):  # a page that takes long to say what it listens to is waited for, too
            await tab("snapshot")
            async with tab.page.acting(thorough=True):
                await click(tab.page, "#x")
            if tab.page.frames.main.resting:
                break
        assert tab.page.frames.main.resting is not waits


async def test_a_page_that_may_go_on_by_messages_is_waited_for_when_it_is_shown(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        for sign in ("document.body.__reactContainer$a1 = {}", "window.setImmediate = () => 0", "onmessage = () => 0"):
            await at(tab, site, f"<button id=x onclick='1'>Go</button><script>{sign}</script>")
            await tab("snapshot")
            async with tab.page.acting(thorough=True):
                await click(tab.page, "#x")
            assert not tab.page.frames.main.resting


async def test_a_page_that_once_went_on_by_messages_is_waited_for_from_then_on(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        script = "const c = new MessageChannel; c.port1.onmessage = () => p.append('more'); c.port2.postMessage(0)"
        await at(tab, site, f'<button id=x onclick="{script}">Go</button><p id=p>text</p>')
        await tab("snapshot")
        for _ in range(50):
            async with tab.page.acting(thorough=True):
                await click(tab.page, "#x")
            if tab.page.frames.main.resting:  # the message came after the answer, and not before it
                break
        await tab("get_text", target="#p")
        async with tab.page.acting(thorough=True):
            await click(tab.page, "#x")
        assert not tab.page.frames.main.resting
