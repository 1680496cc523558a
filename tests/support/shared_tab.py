"""One tab for tests that follow one another: opening another takes twice as long as emptying it.

What ends with a document or with a debugger's connection is new for each test, as are history, the window's name and
being in front. A tab that a test failed in, whose size has changed, that holds session storage, has opened another or
cannot be emptied is closed, and the next test gets a new one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed, HandshakeError

from kapture.cdp import CdpConnection, CdpError
from tests.support.direct import activate, attached, close, new_tab, targets
from tests.support.patience import evaluate

# In the process of the document that is left, where the next test's is likely to be shown: another takes as long as
# another tab. What a document of no origin cannot read, it cannot have written.
_LEAVE = """
(() => {
  try { if (sessionStorage.length > 0) return 'not empty'; } catch {}
  if (location.href === 'about:blank') return 'still there';
  location.replace('about:blank');
  return 'leaves';
})()
"""
_SIZE = "[innerWidth, innerHeight].join()"
_EMPTY = f"""
(async () => {{
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done));
  window.name = '';
  return {_SIZE};
}})()
"""

_ANSWERS_WITHIN_S = 5
"""Seconds that a tab may take to become empty: another costs less than waiting longer."""


@attrs.define
class SharedTab:
    """A tab of the browser on this port, opened when it is first needed, and left to the browser.

    `_idle` is its target while no test has it, `_size` the size that it had at first.
    """

    port: int
    _idle: dict[str, Any] | None = None
    _size: str = ""

    @asynccontextmanager
    async def blank(self) -> AsyncIterator[CdpConnection]:
        """It, with an empty document, in front. Whoever takes it while it is in use gets another."""
        target, self._idle = self._idle, None
        if target is not None and not await self._in_front(target):
            target = None
        if target is None:
            target = await new_tab(self.port)
        empty = False
        try:
            async with attached(target) as connection:
                if not self._size:
                    self._size = await evaluate(connection, _SIZE)
                yield connection
            empty = await self._emptied(target)
        finally:
            if empty and self._idle is None:
                self._idle = target
            else:
                with trio.CancelScope(shield=True):
                    await self._close(target)

    async def _in_front(self, target: dict[str, Any]) -> bool:
        try:
            await activate(self.port, target["id"])
        except OSError:  # it has closed, or the browser has
            return False
        return True

    async def _emptied(self, target: dict[str, Any]) -> bool:
        emptied = False
        try:
            with trio.fail_after(_ANSWERS_WITHIN_S):
                async with attached(target) as connection:
                    tab = connection.root
                    opened = (await tab.send("Target.getTargets", {}))["targetInfos"]
                    if any(one.get("openerId") == target["id"] for one in opened):
                        return False
                    left = trio.Event()

                    def leave(_question: dict[str, Any]) -> None:
                        tab.submit("Page.handleJavaScriptDialog", {"accept": True})

                    def navigated(event: dict[str, Any]) -> None:
                        if "parentId" not in event["frame"] and event["frame"]["url"] == "about:blank":
                            left.set()

                    tab.on("Page.javascriptDialogOpening", leave)
                    tab.on("Page.frameNavigated", navigated)
                    await tab.send("Page.enable", {})
                    leaves = await evaluate(connection, _LEAVE)
                    if leaves == "not empty":
                        return False
                    if leaves == "still there":
                        await tab.send("Page.navigate", {"url": "about:blank"})
                    await left.wait()
                    size = await evaluate(connection, _EMPTY)
                    await tab.send("Page.resetNavigationHistory", {})
                    emptied = size == self._size
        except* (OSError, HandshakeError, ConnectionClosed, CdpError, AssertionError, trio.TooSlowError):
            pass
        return emptied

    async def _close(self, target: dict[str, Any]) -> None:
        if any(one["id"] == target["id"] for one in await targets(self.port)):
            await close(self.port, target["id"])


@cache
def shared_tab(port: int) -> SharedTab:
    """The one of the browser on this port."""
    return SharedTab(port)
