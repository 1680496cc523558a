"""Pages with frames, and a helper to wait for a frame."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Callable

import trio

from kapture.page.documents.frame import Frame
from tests.support.context import Tab

BUTTON = """<!doctype html><body style="margin:0"><button id=x onclick="window.hits=(window.hits||0)+1;window.trusted=event.isTrusted">{}</button>
<input id=i aria-label="{} field"><div style="height:2000px"></div><button id=low onclick="window.low=1">{} low</button>"""


async def frame_at(tab: Tab, part: str) -> Frame:
    """Wait for the child frame whose URL contains `part`, with an execution context."""
    found: list[Frame] = []

    def there() -> bool:
        found[:] = [frame for frame in tab.page.frames.all() if frame.parent and part in frame.url]
        return bool(found) and found[0].current_context() is not None

    await until(tab, there)
    return found[0]


async def until(tab: Tab, holds: Callable[[], bool]) -> None:
    with trio.fail_after(30):
        while not holds():
            await tab.page.frames.changed.wait()
