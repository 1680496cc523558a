"""Text typed into a frame arrives there, whatever had the focus before."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

PAGE = """<title>Mail</title><label>Subject <input id=subject></label>
<iframe id=frame src={frame} style="width: 300px; height: 100px"></iframe>"""
INSIDE = {
    "an editor that is the body": (
        "<body contenteditable role=textbox aria-label=Text><p>Hello</p></body>",
        "document.body.textContent",
    ),
    "a field": ("<label>Text <input id=text value=Hello></label>", "text.value"),
}


@pytest.mark.parametrize("kind", INSIDE)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same site", "other site"])
async def test_text_typed_into_frame_arrives_there(browser: int, site: Site, kind: str, host: str) -> None:
    html, read = INSIDE[kind]
    site.pages["/inside"] = f"<!doctype html>{html}"
    site.pages["/mail"] = PAGE.format(frame=site.url("/inside", host))
    text = {"role": "textbox", "name": "Text"}
    async with open_tab(browser, site.url("/mail")) as tab:
        await tab("fill", target={"label": "Subject"}, value="Hi")
        await tab("type", target=text, text=" dear")
        await tab("fill", target={"label": "Subject"}, value="Hi again")
        await tab("type", target=text, text=" Ada")
        await tab("type", target={"label": "Subject"}, text="!")
        assert await tab.page.evaluate("subject.value") == "Hi again!"
        [inside] = [frame for frame in tab.page.frames.all() if frame is not tab.page.frames.main]
        assert await tab.page.evaluate(read, frame=inside) == "Hello dear Ada"
        await tab("fill", target=text, value="New")
        assert await tab.page.evaluate(read, frame=inside) == "New"
        assert await tab.page.evaluate("subject.value") == "Hi again!"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same site", "other site"])
async def test_delayed_effect_of_key_in_focused_frame_is_part_of_it(browser: int, site: Site, host: str) -> None:
    site.pages["/inside"] = """<form><label>Code <input></label></form><p id=p>Waiting</p><script>
        document.forms[0].onsubmit = () => {
          setTimeout(() => p.textContent = 'Confirmed', 300);
          return false }</script>"""
    site.pages["/mail"] = PAGE.format(frame=site.url("/inside", host))
    async with open_tab(browser, site.url("/mail")) as tab:
        await tab("snapshot")
        await tab("type", target={"label": "Code"}, text="704")
        assert "Confirmed" in await tab.text("press", key="Enter")
