"""The URLs that a browser of the hub's own opens when it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import trio

from kapture.backends.chromium.browser import CdpBrowser
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import browsers as wire

_DOWNLOADED = "net::ERR_ABORTED"
_TAB_OPENS_S = 30.0
_LOADING = 8
"""How many pages load at once."""


async def open_urls(browser: CdpBrowser, urls: Sequence[str]) -> list[str]:
    """Open the URLs: the first in the tab that the browser started with, each other one in a new tab.

    The tabs open one after the other, in this order, and their pages load beside each other. Returns which could not be
    opened, and why. `LAUNCH_FAILED` for a browser that ends meanwhile, or has no tab.
    """
    with trio.move_on_after(_TAB_OPENS_S):
        while not browser.tabs and not browser.connection.closed.is_set():
            await browser.tabs_changed.wait()
    opening = _Opening(browser, urls)
    async with trio.open_nursery() as nursery:
        for number in range(len(urls)):
            if (tab_id := await opening.tab(number)) is not None:
                nursery.start_soon(opening.load, number, tab_id)
    ended = browser.connection.closed.is_set()
    if ended or not browser.tabs:
        raise KaptureError(
            ErrorCode.LAUNCH_FAILED,
            "The browser ended while its tabs opened." if ended else "The browser was started but opened no tab.",
            hint="Run `kapture doctor`; --browser names another browser.",
        )
    return [opening.problems[number] for number in sorted(opening.problems)]


class _Opening:
    """Opens URLs, which it names by number. `problems` has a sentence for each that could not be opened."""

    def __init__(self, browser: CdpBrowser, urls: Sequence[str]) -> None:
        self._browser = browser
        self._urls = urls
        self._loading = trio.CapacityLimiter(_LOADING)
        self.problems: dict[int, str] = {}

    async def tab(self, number: int) -> str | None:
        """The tabId of a tab for this URL; None if the browser opens none."""
        if number == 0 and self._browser.tabs:
            return self._browser.tabs[0].tab_id
        with self._noting(number), trio.move_on_after(_TAB_OPENS_S) as scope:
            return await self._browser.open_tab("about:blank", beside=None, background=True)
        if scope.cancelled_caught:
            url = self._urls[number][:500]
            self.problems[number] = f"{url} has no tab: the browser opened none in {_TAB_OPENS_S:g} s."
        return None

    async def load(self, number: int, tab_id: str) -> None:
        """Show the URL in this tab."""
        async with self._loading:
            with self._noting(number):
                failed = await self._browser.navigate(tab_id, self._urls[number])
                if failed and failed != _DOWNLOADED:
                    self.problems[number] = f"{self._urls[number][:500]} is not shown: {failed}"

    @contextmanager
    def _noting(self, number: int) -> Iterator[None]:
        try:
            yield
        except KaptureError as error:
            self.problems[number] = wire.not_opened(self._urls[number], error)
