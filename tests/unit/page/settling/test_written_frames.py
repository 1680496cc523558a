"""Frames that scripts write, as the browser's events tell it."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.page.navigation_watcher import WrittenFrames

FRAME = {"id": "F", "parentId": "M"}


class Browser:
    """Feeds what Chromium sends, and counts the changes."""

    def __init__(self) -> None:
        self.changes = 0
        self.frames = WrittenFrames(self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def event(self, method: str, **params: Any) -> None:
        self.frames.handlers[method](params)

    def write(self) -> None:
        """A script begins to write the frame, which then loads nothing."""
        self.event("Page.documentOpened", frame=FRAME)
        assert not self.frames.one_is_idle  # it may be loading something
        self.event("Page.lifecycleEvent", frameId="F", name="networkIdle")
        assert self.frames.one_is_idle


@pytest.mark.parametrize(
    ("end", "params"),
    [
        ("Page.lifecycleEvent", {"frameId": "F", "name": "load"}),
        ("Page.frameNavigated", {"frame": FRAME}),
        ("Page.frameDetached", {"frameId": "F"}),
    ],
)
def test_a_frame_is_written_until_it_is_closed_left_or_gone(end: str, params: dict[str, Any]) -> None:
    browser = Browser()
    browser.write()
    assert browser.changes == 1
    browser.event(end, **params)
    assert not browser.frames.one_is_idle
    assert browser.changes == 2


def test_only_frames_within_the_page_that_are_written_count() -> None:
    browser = Browser()
    browser.event("Page.documentOpened", frame={"id": "M"})
    for frame in ("M", "F"):
        browser.event("Page.lifecycleEvent", frameId=frame, name="networkIdle")
    assert not browser.frames.one_is_idle
    assert browser.changes == 0
