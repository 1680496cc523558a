"""The Console, opened as `kapture console` opens it: it shows every tab live, and runs any command by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kapture.cli.demo import demo_shop
from tests.support.console import console_page
from tests.support.stack import HubProcess, hub_process, launch_process, launched_beside

pytestmark = pytest.mark.e2e

COUNTER = "data:text/html,<title>Counter</title><h1 id=h>0</h1>"
# For a test alone: a page that changes without end costs the others as much as all that they do.
COUNT = "window.counting = setInterval(() => h.textContent++, 100)"
# Each of these would be run or drawn by a page that takes text for markup.
MARKUP = "<img src=x onerror=window.owned=1><script>window.owned=1</script>"


@pytest.fixture(scope="module")
def three_tabs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub, and a browser of its own with the demo shop, a page with a counter, and an empty one, for tests that leave
    them as they are."""
    home = tmp_path_factory.mktemp("hub") / "home"
    with hub_process(home) as hub, demo_shop() as shop, launch_process(hub, [shop, COUNTER, "about:blank"]):
        yield hub


async def test_the_wall_shows_every_tab_with_a_live_picture(three_tabs: HubProcess, browser: int) -> None:
    async with console_page(three_tabs, browser) as console:
        await console.until("all('kc-tab-card').length === 3", "three cards")
        for title in ("Corner Shop", "Counter"):
            await console.until(f"textOf(document.body).includes('{title}')", f"the title {title}")
        await console.until("all('kc-picture').every((picture) => picture.drawn)", "a picture of each tab")
        live = "one('kc-app').app.live"
        await console.js(f"window.counter = [...{live}.tabs.values()].find((tab) => tab.title === 'Counter').tabId")
        await console.js(f"window.seen = 0; {live}.pictures.follow(counter, () => window.seen++); 0")
        run = "one('kc-app').app.command('evaluate', { tabId: counter, code: '%s' }).then(() => 0)"
        await console.js(run % COUNT)
        await console.until("window.seen >= 4", "the pictures of a page that changes")
        await console.js(run % "clearInterval(counting)")
        assert "ticket" not in await console.js("location.href")
        assert console.problems == []


async def test_a_command_is_run_by_its_form_and_its_answer_shown(three_tabs: HubProcess, browser: int) -> None:
    async with console_page(three_tabs, browser) as console:
        await console.tab_loads()
        await console.show("commands")
        await console.choose("snapshot")
        assert await console.run() == "ok"
        await console.until("textOf(one('kc-outline')).includes('Place order')", "the page as an outline")
        await console.press("all('button.fold').find((fold) => fold.ariaLabel.includes('form '))")
        await console.until("!textOf(one('kc-outline')).includes('Place order')", "the folded form")
        await console.press("all('button.fold').find((fold) => fold.ariaLabel.includes('form '))")
        await console.until("textOf(one('kc-outline')).includes('Place order')", "the form again")
        await console.js("""{
            const { live } = one('kc-app').app;
            const send = live.highlight.bind(live);
            window.marked = [];
            live.highlight = (tabId, ref) => { window.marked.push(ref); send(tabId, ref); };
            const line = all('.line.element').find((line) => line.textContent.includes('Place order'));
            line.dispatchEvent(new PointerEvent('pointerenter'));
            line.dispatchEvent(new PointerEvent('pointerleave'));
            line.click();
            0;
        }""")
        assert await console.js("marked.length === 2 && /^e\\d+$/.test(marked[0]) && marked[1] === null")
        await console.until("one('kc-app').app.tool === 'kapturemcp_click'", "the command that takes the element")
        given = "one('kc-app').app.runner.given('kapturemcp_click').target.ref === marked[0]"
        await console.until(given, "the element as its target")
        await console.choose("get_text")
        assert await console.run() == "ok"
        await console.until("one('kc-json-editor').editor", "the JSON editor")
        await console.js("one('kc-app').app.runner.edit('kapturemcp_get_text', { selector: 'h1' })")
        await console.until(
            "one('kc-json-editor').editor.state.doc.toString().includes('h1')", "the form's value as JSON"
        )
        assert await console.run() == "ok"
        await console.until("textOf(one('k-response')).includes('Corner Shop')", "the heading")
        assert await console.js("one('kc-app').app.history.runs.length") == 3
        assert console.problems == []


async def test_a_command_that_runs_can_be_cancelled(three_tabs: HubProcess, browser: int) -> None:
    async with console_page(three_tabs, browser) as console:
        await console.show("commands")
        await console.choose("wait_for")
        await console.js("one('kc-app').app.runner.edit('kapturemcp_wait_for', { text: 'never there' })")
        await console.press_run()
        await console.until("all('kc-app')[0].app.live.calls.load(one('kc-app').app.tabId).running.length", "the call")
        await console.press("one('.cancel')")
        await console.until("one('kc-app').app.history.runs[0]?.state === 'cancelled'", "its end")
        await console.until("one('kc-commands').renderRoot.activeElement?.matches('.run')", "the focus, on Run again")
        await console.press_run()
        await console.until("one('kc-app').app.live.calls.load(one('kc-app').app.tabId).running.length", "the next")
        await console.key("Escape")
        await console.until("one('kc-app').app.history.runs.length === 2", "its end, by a key where the focus still is")
        await console.until("one('kc-app').app.live.calls.ordered.at(-1).outcome === 'CANCELLED'", "the hub's word")


_PRESS_NAME = """
(async () => {
  const { app } = one('kc-app');
  const code = 'const box = document.querySelector("input").getBoundingClientRect(); [box.x + 20, box.y + 10]';
  const { data } = await app.command('evaluate', { tabId: app.stage.tabId, code });
  const [x, y] = data.value;
  const picture = one('kc-picture[fit=middle]');
  const canvas = picture.renderRoot.querySelector('canvas');
  const box = canvas.getBoundingClientRect();
  const scale = Math.min(box.width / picture.picture.width, box.height / picture.picture.height);
  const left = box.left + (box.width - picture.picture.width * scale) / 2;
  const top = box.top + (box.height - picture.picture.height * scale) / 2;
  const at = { clientX: left + x * scale, clientY: top + y * scale, bubbles: true, composed: true };
  canvas.dispatchEvent(new MouseEvent('click', at));
})()
"""
_TYPE = """
one('kc-stage').renderRoot.querySelector('textarea').focus(); document.execCommand('insertText', false, 'Ada'); 0
"""


async def test_a_tab_is_acted_on_by_hand_in_its_picture(tmp_path: Path, browser: int) -> None:
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop, launch_process(hub, [shop]):
        async with console_page(hub, browser) as console:
            await console.tab_loads()
            await console.press("one('.show')")
            await console.until("one('kc-picture[fit=middle]')?.drawn", "the picture at large")
            await console.js(_PRESS_NAME)
            await console.js(_TYPE)
            value = "app.command('evaluate', { tabId: app.tabId, code: 'document.querySelector(`input`).value' })"
            typed = f"(await (({{ app }}) => {value})(one('kc-app'))).data.value === 'Ada'"
            await console.until(typed, "what was typed, in the page")


_ADD_RUNS = """
{
  const { history } = one('kc-app').app;
  const run = { tool: 'kapturemcp_click', tabId: 't', where: '', given: {}, durationMs: 5, state: 'ok', text: '' };
  for (let at = 0; at < COUNT; at++) history.add({ ...run, data: null, parts: [], error: null, id: `COUNT-${at}`, at });
  location.reload();
}
"""


async def test_a_reload_at_once_loses_nothing_of_the_history(three_tabs: HubProcess, browser: int) -> None:
    async with console_page(three_tabs, browser) as console:
        for count in (5_000, 7):
            await console.until("one('kc-app')?.app.connection.state === 'connected'", "the connection")
            await console.js(
                f"window.before = true; one('kc-app').app.history.clear(); {_ADD_RUNS.replace('COUNT', str(count))}"
            )
            await console.until("!window.before && one('kc-app')?.app.history.runs.length", "the history")
            assert await console.js("one('kc-app').app.history.runs.length") == count


_DONE = "all('.steps li').map((step) => step.matches('.done'))"


async def test_without_a_tab_it_leads_to_one(tmp_path: Path, browser: int) -> None:
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        async with console_page(hub, browser) as console:
            await console.until("textOf(one('kc-welcome')).includes('Connect a tab')", "the steps")
            async with launched_beside(hub, [shop]):
                await console.until("all('kc-tab-card').length === 1", "the tab, as soon as it is there")
                assert await console.js(_DONE) == [True, True, False]  # a launched browser needs no setting up
                await console.press("one('.steps .primary')")  # before `tab_loads`, which runs a first command
                await console.tab_loads()
                assert await console.run() == "ok"
                await console.show("wall")
                await console.until(f"{_DONE}.join() === 'true,true,true'", "the steps, all done")
                await console.show("commands")
                await console.show("wall")
                await console.until("all('kc-tab-card').length === 1 && !one('.steps')", "the wall alone")


async def test_text_of_page_is_never_markup(tmp_path: Path, browser: int) -> None:
    page = (
        "data:text/html,<title></title><p id=p></p><script>"
        "const text = decodeURIComponent(location.hash.slice(1));"
        "document.title = p.textContent = text; console.log(text); console.error(new Error(text))</script>"
    )
    with hub_process(tmp_path / "home") as hub, launch_process(hub, [page]):
        async with console_page(hub, browser) as console:
            await console.until("all('kc-tab-card').length === 1", "the card")
            await console.tab_loads()
            markup = f"'{MARKUP.replace('/', chr(92) + '/')}'"
            call = "one('kc-app').app.command('evaluate', { tabId: one('kc-app').app.tabId, code: code })"
            code = f"document.title = p.textContent = {markup}; console.log({markup}); console.error({markup}); 1"
            await console.js(f"(async () => {{ const code = {code!r}; await {call}; }})()")
            await console.until("textOf(one('kc-wall')).includes('onerror')", "the title, as it is written")
            await console.show("commands")
            await console.choose("snapshot")
            assert await console.run() == "ok"
            await console.choose("get_text")
            assert await console.run() == "ok"
            await console.show("logs")
            await console.until("textOf(one('k-log')).includes('onerror')", "the log, as it is written")
            for view in ("network", "activity", "status", "wall"):
                await console.show(view)
            assert await console.js("window.owned") is None
            assert await console.js("all('img[src=x]').length") == 0
            assert console.problems == []


async def test_content_outside_grant_is_not_shown(tmp_path: Path, browser: int) -> None:
    with (
        hub_process(tmp_path / "home") as hub,
        demo_shop() as shop,
        launch_process(hub, [shop], ["--sites", "granted.example", "--level", "interact"]),
    ):
        async with console_page(hub, browser) as console:
            await console.until("one('kc-picture')?.withheld", "why there is no picture")
            assert not await console.js("one('kc-picture').drawn")
            assert "Corner Shop" not in await console.text()


async def test_the_picture_of_a_page_goes_with_its_grant(tmp_path: Path, browser: int) -> None:
    """The page does not change, so that no newer picture takes the place of the last one."""
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        sites = f"127.0.0.1:{urlsplit(shop).port},granted.example"
        async with console_page(hub, browser) as console, launched_beside(hub, [shop], ["--sites", sites]):
            await console.until("one('kc-picture')?.drawn", "the picture")
            await console.js(
                "one('kc-app').app.live.act('narrow_grant', [...one('kc-app').app.live.tabs.keys()][0],"
                " { sites: ['granted.example'], level: 'read' }).then(() => 0)"
            )
            await console.until("one('kc-picture').withheld && !one('kc-picture').drawn", "why there is none")
            assert await console.js("one('kc-picture').renderRoot.querySelector('canvas').width") == 1
            await console.until("!textOf(one('kc-wall')).includes('Corner Shop')", "the card without the title")
