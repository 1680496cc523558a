"""One DevTools window for tests that follow one another: to open another takes twice the processor time.

Each test finds a tab on its own page that was never connected, a worker that has just started and has stored nothing,
and a panel that has just been loaded. What a test fails in is closed before the next, which gets a new one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs

from kapture.cdp import CdpConnection
from tests.support.direct import attached, page_target, targets
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person


@attrs.define
class SharedPanel:
    """A tab of a person's and its DevTools, opened when they are first needed.

    `_kept`: the ids of both; empty while a test has them.
    """

    person: Person
    _kept: tuple[str, ...] = ()

    async def reset(self) -> None:
        """`Person.reset`, which leaves them open, but nothing that the extension knows of them."""
        await self.person.reset(self._kept)
        if not self._kept:
            return
        # A tab has its id, by which the hub remembers what was denied, for as long as the worker knows it.
        await self.person.in_worker("chrome.storage.session.clear()")
        await self.person.stop_worker()
        cleared = (
            "globalThis.chrome?.storage?.local.clear().then(() => true)"  # the old one may have written to its end
        )
        await until(lambda: self.person.in_worker(cleared), "another worker")

    @asynccontextmanager
    async def on(self, url: str) -> AsyncIterator[Panel]:
        """The panel of a tab on this page. It is disconnected at the end."""
        kept, self._kept = self._kept, ()
        if kept and not {one["id"] for one in await targets(self.person.port)}.issuperset(kept):
            kept = ()
        async with self._again(*kept, url=url) if kept else self._new(url) as panel:
            kept = kept or tuple([(await self.person.target(part))["id"] for part in (url, "devtools://")])
            yield panel
            await panel.show()
            if "\nDisconnect" in await panel.text():
                await panel.press("Disconnect")
            await panel.says("\nConnect\n")
        self._kept = kept

    @asynccontextmanager
    async def _new(self, url: str) -> AsyncIterator[Panel]:
        await self.person.open(url)
        async with self.person.panel(url) as panel:
            yield panel

    @asynccontextmanager
    async def _again(self, tab: str, frontend: str, *, url: str) -> AsyncIterator[Panel]:
        async with self.person.devtools(frontend) as panel:
            async with attached(page_target(self.person.port, tab)) as page:
                await page.root.send("Page.navigate", {"url": url})
                await until(lambda: _history_reset(page), "the page that is navigated to")
            before = await evaluate(panel.page, "performance.timeOrigin")
            await evaluate(panel.page, "void setTimeout(() => location.reload())")
            loaded = f"document.readyState === 'complete' && performance.timeOrigin !== {before}"
            await until(lambda: evaluate(panel.page, loaded), "the panel anew")
            await panel.fit()
            yield panel


async def _history_reset(page: CdpConnection) -> bool:
    await page.root.send("Page.resetNavigationHistory", {})  # not while the tab changes its process
    return True
