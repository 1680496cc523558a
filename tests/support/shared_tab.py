"""One tab for the tests of a file that only show documents in it: opening another takes twice as long as emptying it.

What ends with a document or with a debugger's connection is new for each test. What a tab keeps beyond them, such as
session storage, is not: tests that open pages of a site have tabs of their own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed, HandshakeError

from kapture.cdp import CdpConnection, CdpError
from tests.support.direct import attached, close, new_tab, targets
from tests.support.patience import PATIENCE_S, evaluate

_SIZE = "`${innerWidth} ${innerHeight}`"
_EMPTY = """
(async () => {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done));
  window.name = '';
  return %s;
})()
"""


@attrs.define
class SharedTab:
    """A tab of the browser on this port, opened when it is first needed, and left to the browser."""

    port: int
    _target: dict[str, Any] | None = None
    _size: str = ""

    @asynccontextmanager
    async def blank(self) -> AsyncIterator[CdpConnection]:
        """It, with an empty document, in front. A tab that has ended or does not answer is replaced."""
        if self._target is not None and not await self._emptied(self._target):
            await self._close()
        if self._target is None:
            self._target = await new_tab(self.port)
            async with attached(self._target) as connection:
                self._size = await evaluate(connection, _SIZE)
        async with attached(self._target) as connection:
            yield connection

    async def _emptied(self, target: dict[str, Any]) -> bool:
        emptied = False
        try:
            with trio.fail_after(PATIENCE_S):
                async with attached(target) as connection:
                    tab = connection.root

                    def leave(_question: dict[str, Any]) -> None:
                        tab.submit("Page.handleJavaScriptDialog", {"accept": True})

                    tab.on("Page.javascriptDialogOpening", leave)
                    tab.submit("Page.enable", {})  # a page that asks something answers only when it has been left
                    await tab.send("Page.navigate", {"url": "about:blank"})
                    await tab.send("Page.bringToFront", {})
                    size = await evaluate(connection, _EMPTY % _SIZE)
                    await tab.send("Page.resetNavigationHistory", {})
                    emptied = size == self._size
        except* (OSError, HandshakeError, ConnectionClosed, CdpError, trio.TooSlowError):
            pass
        return emptied

    async def _close(self) -> None:
        if self._target is not None and any(one["id"] == self._target["id"] for one in await targets(self.port)):
            await close(self.port, self._target["id"])
        self._target = None
