"""A page that puts another document in its own place while input is on its way: the input stays out of it."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
import pytest
import trio

from tests.support.granted_tab import THROUGH, Granted, GrantedBrowser, granted_browser
from tests.support.granted_tab import Site as GrantedSite
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e

SECRET = "the-words-of-another-site"

HEARS = f"""<!doctype html><title>{SECRET}</title><body style="margin:0"><input autofocus id=field
    style="position:fixed;inset:0;width:100%;height:100%" value="{SECRET}"><script>
  const heard = new Set();
  for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "beforeinput", "input",
      "keyup", "dragenter", "dragover", "drop"])
    addEventListener(kind, (event) => event.isTrusted && heard.add(kind), true);
  field.focus();
  // What was sent before the answer has come long before a page's own timer is due for the third time.
  let left = 3;
  const timer = setInterval(() => {{
    if (--left) return;
    clearInterval(timer);
    fetch("/heard?" + [...heard].join());
  }}, 200);
</script>"""

SWAPS = """<!doctype html><title>mine</title><body style="margin:0"><input id=text style="width:300px;height:60px">
  <button id=press style="position:absolute;left:0;top:100px;width:300px;height:60px">press</button><script>
  const asked = new URLSearchParams(location.search), other = asked.get("other");
  const frame = Object.assign(document.createElement("iframe"), { src: "/blank" });
  frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0;opacity:0;pointer-events:none";
  if (asked.get("how") === "frame") document.body.append(frame);
  addEventListener(asked.get("on"), () => {
    if (asked.get("how") === "page") location.href = other;
    else {
      frame.onload = () => frame.focus();
      frame.style.pointerEvents = "auto";
      frame.src = other;
    }
  }, { capture: true, once: true });
</script>"""


@attrs.frozen
class Other:
    """The site outside the grant; `heard` is set when it has reported, `events` are those that came to its pages."""

    site: Site
    heard: threading.Event
    events: set[str]


@pytest.fixture(scope="module")
def other() -> Iterator[Other]:
    heard, events = threading.Event(), set[str]()

    def report(path: str) -> Page:
        events.update(filter(None, path.partition("?")[2].split(",")))
        heard.set()
        return Page("")

    with serving({"/": HEARS, "/heard": report}) as site:
        yield Other(site, heard, events)


@pytest.fixture(scope="module")
def mine() -> Iterator[Site]:
    with serving({"/": "<title>mine</title>", "/swaps": SWAPS, "/blank": "<title>blank</title>"}) as site:
        yield site


@pytest.fixture(scope="module", params=THROUGH)
def browser_of_the_grant(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, mine: Site
) -> Iterator[GrantedBrowser]:
    home = tmp_path_factory.mktemp("hub") / "home"
    with granted_browser(home, GrantedSite(mine.port, []), through=request.param) as browser:
        yield browser


@pytest.fixture
async def tab(browser_of_the_grant: GrantedBrowser) -> AsyncIterator[Granted]:
    async with browser_of_the_grant.client() as granted:
        yield granted


ACTS: dict[str, tuple[str, dict[str, Any]]] = {
    "keydown": ("type", {"selector": "#text", "text": "words that are meant for one site only, " * 4}),
    "focusin": ("press", {"selector": "#text", "key": "a", "count": 60}),
    "pointerdown": ("click", {"selector": "#press", "count": 2}),
}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])  # a process of its own has the second
@pytest.mark.parametrize("how", ["page", "frame"])
@pytest.mark.parametrize("on", ACTS)
async def test_a_document_that_comes_in_the_middle_of_an_action_hears_nothing_of_it(
    tab: Granted, mine: Site, other: Other, on: str, how: str, host: str
) -> None:
    other.heard.clear()
    other.events.clear()
    await tab.call("navigate", url=mine.url(f"/swaps?on={on}&how={how}&other={other.site.url('/', host)}"))
    tool, arguments = ACTS[on]
    answer = await tab.client.call_tool(f"kapturemcp_{tool}", {"tabId": tab.tab, **arguments})
    assert SECRET not in answer.model_dump_json()
    assert await trio.to_thread.run_sync(other.heard.wait, 30)
    assert other.events == set()
