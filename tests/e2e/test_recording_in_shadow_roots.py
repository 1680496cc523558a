"""A person's actions inside shadow roots, closed ones too, are captured as elsewhere, and found again."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio

from kapture.page.documents.frame import AGENT_WORLD
from kapture.page.input.mouse import Point
from kapture.page.recording.recording import CapturedAction
from kapture.page.target import TargetSpec
from tests.support.context import Tab
from tests.support.direct import attached
from tests.support.patience import evaluate
from tests.support.person import person_at_browser
from tests.support.recorded import Recorded
from tests.support.recording_person import Person, person_at
from tests.support.site import Site, serving
from tests.support.stack import call, hub_process, mcp_client

pytestmark = pytest.mark.e2e

FORM = """<style>* { margin: 0 } button, input, select, label { height: 30px }</style>
<p>Order no. 7</p><button id=save>Save</button><label>City <input id=city></label>
<label>Colour <select id=colour><option>Red<option>Green</select></label>
<label><input id=terms type=checkbox> Terms</label><label>Password <input id=secret type=password></label>
<div id=list style="height:40px;overflow:auto"><div style="height:900px">Long</div></div><div id=more></div>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({}) as site:
        yield site


@attrs.define
class Hand:
    """A person's mouse and keyboard: no command looks at the page before they are used. The page's script keeps its roots
    in `roots`."""

    tab: Tab
    person: Person
    recorded: Recorded

    async def knows(self, roots: int) -> None:
        """Wait until the agent has been given so many roots."""
        with trio.fail_after(30):
            while await self.tab.page.evaluate("kapture.shadowRoots().length", world=AGENT_WORLD) < roots:
                pass

    async def over(self, selector: str, root: int = 0) -> Point:
        """Move over the middle of an element in a root."""
        box = f"roots[{root}].querySelector({selector!r}).getBoundingClientRect()"
        x, y = await self.tab.page.evaluate(f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])({box})")
        await self.tab.page.mouse.move(Point(x, y))
        return Point(x, y)

    async def click(self, selector: str, root: int = 0, *, times: int = 1) -> None:
        await self.over(selector, root)
        for count in range(1, times + 1):
            await self.tab.page.mouse.down(count=count)
            await self.tab.page.mouse.up(count=count)

    async def clicked(self, *names: str) -> None:
        """Wait until the clicks that are kept are on elements of these names; after "2×" it is a double click."""
        await self.recorded.until(lambda: self._kept_clicks() == [*names])

    def _kept_clicks(self) -> list[str]:
        """Without what was taken back, as the click on the host of a closed root is."""
        told = [event for event in self.recorded.events if isinstance(event, CapturedAction)]
        taken_back = {one.replaces for one in told} | {one.id for one in told if one.withdrawn}
        kept = [one for one in self.recorded.actions("click") if one.id not in taken_back]
        return [f"{'2×' if one.arguments == {'count': 2} else ''}{(one.element or {}).get('name')}" for one in kept]


@asynccontextmanager
async def hand_at(browser: int, site: Site, html: str) -> AsyncIterator[Hand]:
    async with person_at(browser, site, html) as (tab, person, recorded):
        yield Hand(tab, person, recorded)


def form_in(mode: str) -> str:
    return f"""<x-order></x-order><script>
      const root = document.querySelector('x-order').attachShadow({{ mode: {mode!r} }});
      root.innerHTML = {FORM!r}; roots = [root];
    </script>"""


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_all_that_is_done_in_a_shadow_root_is_kept(browser: int, site: Site, mode: str) -> None:
    async with hand_at(browser, site, form_in(mode)) as hand:
        recorded = hand.recorded
        await hand.click("#save")
        await hand.click("#save", times=2)
        await hand.clicked("Save", "2×Save")
        await hand.click("#city")
        await hand.person.type("Rome")
        filled = await recorded.action("fill")
        await recorded.until(lambda: recorded.values(filled)[-1:] == ["Rome"])
        await hand.person.press("Tab")
        await hand.person.press("ArrowDown")
        chosen = await recorded.action("select")
        assert chosen.arguments == {"label": "Green"}
        await hand.click("#terms")
        ticked = await recorded.action("fill", 1)
        assert ticked.arguments == {"value": True}
        await hand.click("#secret")
        await hand.person.type("hunter2")
        await recorded.until(lambda: "hunter2" in recorded.secrets)
        assert (await recorded.action("fill", 2)).secret == "password"
        assert "hunter2" not in repr(recorded.events)
        assert filled.element is not None
        for action in (filled, chosen, ticked):
            for target in action.targets:
                found = await hand.tab.page.locate(TargetSpec(**target))
                assert found.name == (action.element or {})["name"]


NESTED = """<x-outer></x-outer><script>
  const outer = document.querySelector('x-outer').attachShadow({ mode: 'closed' });
  outer.innerHTML = '<p>Row one</p><div id=host style="display:block;width:300px"></div><p>Row two</p>';
  const inner = outer.querySelector('#host').attachShadow({ mode: 'closed' });
  inner.innerHTML = '<button id=deep>Deep</button><button id=beside>Beside</button>';
  roots = [outer, inner];
</script>"""


async def test_only_the_innermost_element_of_nested_closed_roots_is_kept(browser: int, site: Site) -> None:
    async with hand_at(browser, site, NESTED) as hand:
        await hand.click("#deep", 1)
        await hand.click("#beside", 1, times=2)
        await hand.click("p", 0)
        await hand.clicked("Deep", "2×Beside", "")
        double = [one for one in hand.recorded.actions("click") if one.arguments == {"count": 2}]
        assert double[-1].element is not None
        assert double[-1].element["name"] == "Beside"
        assert "Row one" in double[-1].element["neighbours"]


LATER = {
    "attached": """<x-late style="display:block;width:200px;height:60px"></x-late><script>
      roots = [];
      function grow() {
        roots.push(document.querySelector('x-late').attachShadow({ mode: 'closed' }));
        roots[0].innerHTML = '<button>Late</button><input type=checkbox aria-label=Late>';
      }</script>""",
    "upgraded": """<x-late style="display:block;width:200px;height:60px"></x-late><script>
      roots = [];
      function grow() {
        customElements.define('x-late', class extends HTMLElement {
          connectedCallback() {
            roots.push(this.attachShadow({ mode: 'closed' }));
            roots[0].innerHTML = '<button>Late</button><input type=checkbox aria-label=Late>';
          }
        });
      }</script>""",
    "added": """<main></main><script>
      roots = [];
      function grow() {
        const host = document.createElement('section');
        roots.push(host.attachShadow({ mode: 'closed' }));
        roots[0].innerHTML = '<button>Late</button><input type=checkbox aria-label=Late>';
        document.querySelector('main').append(host);
      }</script>""",
}


@pytest.mark.parametrize("how", LATER)
async def test_a_root_that_comes_while_the_page_is_recorded_is_seen_into_once_a_person_turns_to_it(
    browser: int, site: Site, how: str
) -> None:
    async with hand_at(browser, site, LATER[how]) as hand:
        await hand.tab.page.evaluate("grow()")
        await hand.over("button")
        await hand.knows(1)
        await hand.click("button")
        await hand.clicked("Late")
        await hand.click("input")
        assert (await hand.recorded.action("fill")).arguments == {"value": True}


async def test_a_click_on_a_host_itself_stays_that(browser: int, site: Site) -> None:
    html = """<x-card role=button tabindex=0 aria-label=Card style="display:block;padding:40px;width:100px;height:60px"></x-card><script>
      roots = [document.querySelector('x-card').attachShadow({ mode: 'closed' })];
      roots[0].innerHTML = '<span>Inside</span>'; roots.push(document);
    </script>"""
    async with hand_at(browser, site, html) as hand:
        await hand.tab.page.mouse.click(Point(20, 20))
        await hand.clicked("Card")
        await hand.click("span")
        await hand.clicked("Card", "Card")  # the button around the text


async def test_a_drag_inside_a_closed_root_is_kept_and_one_within_a_button_is_a_click(browser: int, site: Site) -> None:
    html = """<x-board></x-board><script>
      const root = document.querySelector('x-board').attachShadow({ mode: 'closed' });
      root.innerHTML = `<div id=card draggable=true style="width:100px;height:40px">Card</div>
        <div id=done ondragover="event.preventDefault()" role=group aria-label=Done style="width:200px;height:60px">Done</div>
        <button style="width:200px;height:40px">Wide</button>`;
      roots = [root];
    </script>"""
    async with hand_at(browser, site, html) as hand:
        mouse = hand.tab.page.mouse
        middle = await hand.over("button")
        await mouse.move(Point(middle.x - 50, middle.y))
        await mouse.down()
        await mouse.move(Point(middle.x + 50, middle.y), steps=3)
        await mouse.up()
        await hand.clicked("Wide")
        await hand.over("#card")
        await mouse.down()
        done = await hand.over("#done")
        await mouse.move(Point(done.x, done.y + 5))
        await mouse.up()
        last = await hand.recorded.until(lambda: [one for one in hand.recorded.actions("drag") if one.replaces])
        assert last[0].onto is not None
        assert last[0].onto["targets"][0] == {"role": "group", "name": "Done", "exact": True}
        assert last[0].targets[0]["text"] == "Card"


async def test_a_secret_is_one_by_what_its_closed_roots_host_says(browser: int, site: Site) -> None:
    html = """<form aria-label="Sign in"><x-field label="User name"></x-field><x-field label="Verification code" name=otp></x-field></form><script>
      roots = [...document.querySelectorAll('x-field')].map((host) => host.attachShadow({ mode: 'closed' }));
      for (const root of roots) root.innerHTML = '<input>';
    </script>"""
    async with hand_at(browser, site, html) as hand:
        for root, (value, kind) in enumerate([("ada-lovelace", "username"), ("918273", "one_time_code")]):
            await hand.click("input", root)
            await hand.person.type(value)
            assert (await hand.recorded.action("fill", root)).secret == kind
        await hand.recorded.until(lambda: "918273" in hand.recorded.secrets)
        assert "ada-lovelace" in hand.recorded.secrets
        assert "918273" not in repr(hand.recorded.events)


async def test_over_the_extension_what_is_recorded_in_a_closed_root_is_replayed(tmp_path: Path) -> None:
    page = f"""<!doctype html><title>Order</title>{form_in("closed")}
      <script>roots[0].querySelector('#save').onclick = () => document.body.append('Saved ' + roots[0].querySelector('#city').value)</script>"""
    with serving({"/order": page}) as site, hub_process(tmp_path / "home") as hub:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", site.url("/order")) as person,
            person.panel() as panel,
            mcp_client(hub, "--toolsets", "all") as client,
        ):
            await panel.says("Order")
            await panel.press("Connect")
            await panel.says("Connected\nDisconnect")
            await call(client, "record_start")
            async with attached(await person.target("/order")) as connection:
                send = connection.root.send

                async def press(selector: str) -> None:
                    x, y = await evaluate(
                        connection,
                        f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])(roots[0].querySelector({selector!r}).getBoundingClientRect())",
                    )
                    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                        mouse = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
                        await send("Input.dispatchMouseEvent", mouse)

                await press("#city")
                await send("Input.insertText", {"text": "Rome"})
                await press("#terms")
                await press("#save")
            stopped = await call(client, "record_stop")
            assert re.findall(r"^\d+\. (.*)$", stopped, re.MULTILINE) == [
                'fill textbox "City"',
                'fill checkbox "Terms"',
                'click button "Save"',
            ]
            await call(client, "record_check", kind="text", expected="Saved Rome")
            await call(client, "record_save", name="order")
            assert "passed: 5 of 5 steps" in await call(client, "run_scenario", name="order")
