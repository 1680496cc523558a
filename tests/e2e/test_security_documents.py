"""Documents whose address does not say whose they are, in a real browser: another site made them of the tab."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from tests.support.granted_tab import THROUGH, Granted, Site, Through, granted
from tests.support.site import Page, serving

pytestmark = pytest.mark.e2e

SECRET = "the-words-of-another-site"

TAKES_ITS_OPENER = f"""<title>other</title><script>
  opener.location = "about:blank";
  const timer = setInterval(() => {{
    try {{
      opener.document.body.innerHTML = "<button>{SECRET}</button>";
      opener.secret = "{SECRET}";
    }} catch {{
      return; // it still shows the page of another site
    }}
    clearInterval(timer);
    fetch("/written");
  }}, 20);
</script>"""


async def answer(tab: Granted, tool: str, **arguments: object) -> str:
    """All that a client receives from a call, refused or not."""
    return (await tab.client.call_tool(f"kapturemcp_{tool}", {"tabId": tab.tab, **arguments})).model_dump_json()


@pytest.mark.parametrize("through", THROUGH)
async def test_a_blank_page_that_another_site_made_of_the_tab_is_not_granted(tmp_path: Path, through: Through) -> None:
    written = threading.Event()

    def reported(_: str) -> Page:
        written.set()
        return Page("")

    with serving({"/": TAKES_ITS_OPENER, "/written": reported}) as other, serving({}) as mine:
        away = other.url("/", "localhost")
        mine.pages["/"] = f"<title>mine</title><a target=_blank rel=opener href='{away}'>away</a>"
        async with granted(tmp_path, Site(mine.port, []), "full", through) as tab:
            assert SECRET not in await answer(tab, "click", selector="a")
            assert await trio.to_thread.run_sync(written.wait, 30)
            with trio.fail_after(30):
                while "POLICY_DENIED" not in (found := await answer(tab, "get_text")):
                    assert SECRET not in found
            for tool, arguments in (
                ("get_text", {}),
                ("snapshot", {}),
                ("screenshot", {}),
                ("evaluate", {"code": "window.secret"}),
                ("click", {"selector": "button"}),
                ("cdp", {"method": "Runtime.evaluate", "params": {"expression": "window.secret"}}),
            ):
                found = await answer(tab, tool, **arguments)
                assert "POLICY_DENIED" in found, tool
                assert SECRET not in found, tool
            await tab.call("navigate", url=mine.url("/"))
            assert "away" in await tab.call("get_text")
            await tab.call("navigate", url="about:blank")
            assert "page about:blank" in await tab.call("snapshot")


@pytest.mark.parametrize("through", THROUGH)
async def test_a_mocked_response_is_not_given_to_a_frame_of_another_site(tmp_path: Path, through: Through) -> None:
    loaded, attacked = threading.Event(), threading.Event()

    def note(event: threading.Event, answer: str) -> Callable[[str], Page]:
        def noted(_: str) -> Page:
            event.set()
            return Page(answer, headers={"Cache-Control": "no-store"})

        return noted

    with serving({}) as other, serving({}) as mine:
        other.pages |= {
            "/": "<title>other</title><script src='/own.js'></script>",
            "/own.js": note(loaded, ""),
            "/attacked": note(attacked, ""),
        }
        mine.pages["/"] = f"<title>mine</title><iframe src='{other.url('/', 'localhost')}'></iframe>"
        async with granted(tmp_path, Site(mine.port, []), "full", through) as tab:
            assert await trio.to_thread.run_sync(loaded.wait, 30)
            attack = "fetch('/attacked')"
            await tab.call("route", action="mock", url=f"*:{other.port}/own.js", body=attack)
            await tab.call("route", action="mock", url=f"*:{other.port}/", body=f"<script>{attack}</script>")
            loaded.clear()
            await tab.call("reload")
            assert await trio.to_thread.run_sync(loaded.wait, 30)
            assert not attacked.is_set()
            listed = await tab.call("route", action="list")
            assert listed.count("hits=0") == 2
