"""Downloads that a click starts: what a frame outside the grant makes of that click is not kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support.granted_tab import THROUGH, Site, Through, granted, serve

pytestmark = pytest.mark.e2e

SECRET = "the-words-of-another-site"

_SAVES = f"""<script>
  onmessage = () => {{
    for (const href of ["data:text/plain,{SECRET}", URL.createObjectURL(new Blob(["{SECRET}"])), "/file"])
      Object.assign(document.createElement("a"), {{ href, download: "{SECRET}.txt" }}).click();
    parent.postMessage("saved", "*");
  }};
</script>"""
_PRESSED = "for (const frame of document.querySelectorAll('iframe')) frame.contentWindow.postMessage('save', '*')"


@pytest.fixture(scope="module")
def mine() -> Iterator[Site]:
    """The granted site, whose page has frames of another one: in its process, and in one of their own."""
    with ExitStack() as stack:
        server, other = serve({"/": _SAVES, "/file": SECRET})
        stack.enter_context(closing(server.socket))
        stack.callback(server.shutdown)
        frames = "".join(f"<iframe src='{url}/'></iframe>" for url in (other.url, other.url_of_another_process))
        page = f"""<title>mine</title><button onclick="{_PRESSED}">Save</button><p id=done></p>{frames}
          <a download=mine.txt href="data:text/plain,mine">mine</a>
          <script>onmessage = () => done.textContent += "saved "</script>"""
        server, site = serve({"/": page})
        stack.enter_context(closing(server.socket))
        stack.callback(server.shutdown)
        yield site


@pytest.mark.parametrize("through", THROUGH)
async def test_download_from_frame_outside_grant_is_not_kept(mine: Site, tmp_path: Path, through: Through) -> None:
    async with granted(tmp_path, mine, through=through) as tab:
        refusal = await tab.refusal("download_file", selector="button")
        assert SECRET not in refusal
        await tab.call("wait_for", selector="#done", text="saved saved")
        assert not list(tab.hub.home.glob("downloads/*"))
        assert "downloaded" in await tab.call("download_file", selector="a")
        assert [file.read_text() for file in tab.hub.home.glob("downloads/*")] == ["mine"]
