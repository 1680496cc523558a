"""What handlers leave for a timer or a frame is part of the action when the page is shown."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kapture.commands.core import later_effects, page_after
from kapture.page.actions.click import click
from kapture.page.page import Page
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/next": "<title>Next</title><h1>Next</h1>"}) as site:
        yield site


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
    "suggestions for a field that at once gets a button to clear it": (
        """<input id=x><button id=c hidden>Clear</button><ul id=l></ul><script>let t;x.oninput=()=>{c.hidden=false;
        clearTimeout(t);t=setTimeout(()=>l.innerHTML='<li>Peru',100)}</script>""",
        "type",
        {"selector": "#x", "text": "pe"},
        "Peru",
    ),
    "who may be meant in an editor, which at once offers to undo": (
        """<button id=u disabled>Undo</button><div id=x contenteditable><p>Hello</p></div><ul id=l></ul><script>let t;
        x.oninput=()=>{u.disabled=false;clearTimeout(t);t=setTimeout(()=>l.innerHTML='<li>Anna',100)}</script>""",
        "type",
        {"selector": "#x", "text": " @An"},
        "Anna",
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
    "what a worker finds out": (
        """<button id=x>Count</button><p id=p></p><script>const count = "onmessage=()=>setTimeout(()=>postMessage(3),100)";
        const worker=new Worker(URL.createObjectURL(new Blob([count])));worker.onmessage=e=>p.textContent=e.data+' words';
        x.onclick=()=>{p.textContent='Counting…';worker.postMessage(0)}</script>""",
        "click",
        {"selector": "#x"},
        "3 words",
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
    "a menu that opens a while after the pointer came, on a page whose own timers never end": (
        """<p id=x style="position:fixed;top:99px">Export</p><p id=p></p><script>(function tick(){setTimeout(tick,10)})();
        x.onmouseenter=()=>setTimeout(()=>p.textContent='As CSV',100)</script>""",
        "hover",
        {"selector": "#x"},
        "As CSV",
    ),
    "what a question that is closed leads to": (
        """<p id=p>3 mails</p><dialog id=d open><button id=x>Yes</button></dialog><script>x.onclick=()=>{
        d.close();setTimeout(()=>p.textContent='2 mails',100)}</script>""",
        "click",
        {"selector": "#x"},
        "2 mails",
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
    browser: int,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    html: str,
    command: str,
    arguments: dict[str, Any],
    shown: str,
) -> None:
    # A browser that gets no processor time for a second shows nothing in that second.
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 10)
    monkeypatch.setattr(later_effects, "FURTHER_CHANGE_S", 10)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 30_000)
    site.pages["/suggest"] = "<li>Peru"
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        if command == "type":
            await tab("click", selector="#x")
        await tab("snapshot")
        assert shown in await tab.text(command, **arguments, timeout=60_000)


async def test_timers_that_bring_nothing_are_named_and_the_answer_does_not_wait_for_them(
    browser: int, site: Site
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<button id=x onclick='setTimeout(()=>0,60_000);setTimeout(()=>0,60_000)'>Go</button>")
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        assert "no other change yet; 2 timers may be pending: if more should come, wait for its text" in answer
        assert "no change yet; 2 timers may be pending" in await tab.text("click", selector="#x")


async def test_timers_that_the_page_sets_again_and_again_do_not_count_as_the_actions(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x>Go</button><script>var n=0;(function tick(){n++;setTimeout(tick,10)})()</script>",
        )
        await tab("snapshot")
        await tab.page.evaluate("new Promise(done=>{const was=n;(function look(){n>was?done():setTimeout(look,5)})()})")
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


async def test_a_first_change_before_the_page_is_watched_for_it_is_not_waited_for(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_change = Page.first_change

    async def too_late(page: Page, *arguments: Any) -> bool:
        await page.evaluate("document.querySelector('p') ?? document.body.append(change)")
        return await first_change(page, *arguments)

    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 600)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 600_000)
    monkeypatch.setattr(Page, "first_change", too_late)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x>Go</button><script>const change=document.createElement('p');change.textContent='Changed';"
            "x.onclick=()=>setTimeout(()=>1,1e6)</script>",
        )
        await tab("snapshot")
        assert "Changed" in await tab.text("click", selector="#x", timeout=30_000)
