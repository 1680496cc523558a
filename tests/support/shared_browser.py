"""One browser for the files of a test process, as new for each: starting and ending one takes 0.7 s of processor time.

What a file may leave in it are tabs and data of sites: cookies, storage, caches, workers. They are removed before the
next file; permissions, emulation and where downloads go end with the connection that set them. A browser that cannot be
cleaned, or that has ended, is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed, HandshakeError

from kapture.cdp import CdpConnection, CdpError
from tests.support.direct import attached, browser_target, direct_browser
from tests.support.own_loop import on_own_loop
from tests.support.patience import until


@attrs.define
class SharedBrowser:
    """A headless browser, started when it is first needed. `profile` makes the folder of a new one."""

    profile: Callable[[], Path]
    _running: ExitStack = attrs.field(factory=ExitStack)
    _port: int | None = None

    def port(self) -> int:
        """The debugging port of a browser that nobody has left anything in."""
        if self._port is None or not trio.run(cleaned, self._port):
            self.close()
            self._port = self._running.enter_context(on_own_loop(direct_browser(self.profile())))
        return self._port

    def close(self) -> None:
        """End it."""
        self._running.close()
        self._port = None


@contextmanager
def shared_browser(profile: Callable[[], Path]) -> Iterator[SharedBrowser]:
    """A browser for several files; it ends with the block."""
    browser = SharedBrowser(profile)
    try:
        yield browser
    finally:
        browser.close()


async def cleaned(port: int) -> bool:
    """Make it as it was when it started. False if it has ended, or cannot be cleaned."""
    clean = False
    try:
        async with attached(await browser_target(port)) as browser:
            await _clean(browser)
            clean = True
    except* (OSError, HandshakeError, ConnectionClosed, CdpError, AssertionError):
        pass
    return clean


async def _clean(browser: CdpConnection) -> None:
    async def tabs() -> list[dict[str, Any]]:
        found = (await browser.root.send("Target.getTargets", {}))["targetInfos"]
        return [one for one in found if one["type"] not in ("browser", "tab")]

    blank = (await browser.root.send("Target.createTarget", {"url": "about:blank"}))["targetId"]

    async def alone() -> bool:
        others = [one["targetId"] for one in await tabs() if one["targetId"] != blank]
        for other in others:
            await browser.root.send("Target.closeTarget", {"targetId": other})
        return not others

    await until(alone, "the end of all tabs but one")
    session = (await browser.root.send("Target.attachToTarget", {"targetId": blank, "flatten": True}))["sessionId"]
    tab = browser.session(session)
    await tab.send("Network.clearBrowserCookies", {})
    await tab.send("Network.clearBrowserCache", {})
    await tab.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    await browser.root.send("Target.detachFromTarget", {"sessionId": session})
