"""A Chromium page over its own debugging socket, for tests of the page engine that need no hub or extension."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, open_websocket_url

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.cdp import CdpCommand, CdpConnection, CdpError, PendingReply, run_program


class DirectTransport:
    """`CdpTransport` over a `/devtools/page/…` socket.

    The browser may close the socket of a target that has gone without an answer to what it was asked: `CdpError`.
    """

    def __init__(self, socket: WebSocketConnection) -> None:
        self._socket = socket
        self._waiting: dict[int, tuple[str, PendingReply]] = {}
        self._next = 0
        self._closed = False
        self._out, self._queue = trio.open_memory_channel[str](10_000)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self._next += 1
        reply = PendingReply()
        if self._closed:
            reply.fail(_gone(method))
            return reply
        self._waiting[self._next] = (method, reply)
        message: dict[str, Any] = {"id": self._next, "method": method, "params": dict(params)}
        if session_id is not None:
            message["sessionId"] = session_id
        self._out.send_nowait(json.dumps(message))
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        run_program(self.submit, commands)

    async def write(self) -> None:
        with suppress(ConnectionClosed):  # `read` says so to all who wait
            async for text in self._queue:
                await self._socket.send_message(text)

    async def read(self, connection: CdpConnection) -> None:
        while True:
            try:
                message = json.loads(await self._socket.get_message())
            except ConnectionClosed:
                self._closed = True
                for method, reply in self._waiting.values():
                    reply.fail(_gone(method))
                return
            if "id" not in message:
                connection.deliver(message["method"], message.get("params", {}), message.get("sessionId"))
                continue
            method, reply = self._waiting.pop(message["id"])
            if "error" in message:
                reply.fail(CdpError(method, message["error"]["message"], message["error"]["code"]))
            else:
                reply.resolve(message["result"])


def _gone(method: str) -> CdpError:
    return CdpError(method, "the target has gone")


@asynccontextmanager
async def direct_browser(profile: Path) -> AsyncIterator[int]:
    """A headless Chromium; its debugging port."""
    # Names that nobody has are answered here, at once, whatever the machine's resolver makes of them.
    extra = (
        "--remote-debugging-port=0",
        "--host-resolver-rules=MAP *.invalid ~NOTFOUND",
        # With each tab it would start a process for the next page, which most tests do not open.
        "--disable-features=SpareRendererForSitePerProcess",
        # Without tab strip and toolbar, whose drawing took a tenth of a page's processor time. Pages are as large as in
        # a window of 1280 x 800, and not under the mouse of the machine, which stands at the first screen's corner.
        "--kiosk",
        "--screen-info={1280x87}{0,87 1280x713}",
        "--window-position=0,87",
    )
    launch = Launch(profile=profile, headless=True, extra=extra)
    async with running(launch):
        yield await devtools_port(profile)


async def devtools_port(profile: Path) -> int:
    """The port that Chromium writes into its profile when it listens."""
    file = profile / "DevToolsActivePort"
    with trio.fail_after(30):
        while not file.exists() or not file.read_text().count("\n"):  # noqa: ASYNC110  a file has no event
            await trio.sleep(0.02)
    return int(file.read_text().splitlines()[0])


@asynccontextmanager
async def direct_page(port: int, url: str = "about:blank") -> AsyncIterator[CdpConnection]:
    """A new tab of that browser, closed when the block ends."""
    target = await new_tab(port, url)
    try:
        async with attached(target) as connection:
            yield connection
    finally:
        with trio.CancelScope(shield=True):
            await close(port, target["id"])


@asynccontextmanager
async def private_page(port: int) -> AsyncIterator[CdpConnection]:
    """A new tab with cookies and storage of its own, as in another profile, closed when the block ends."""
    async with attached(await browser_target(port)) as browser:
        context = {"browserContextId": (await browser.root.send("Target.createBrowserContext", {}))["browserContextId"]}
        try:
            opened = (await browser.root.send("Target.createTarget", {"url": "about:blank", **context}))["targetId"]
            async with attached(page_target(port, opened)) as connection:
                yield connection
        finally:
            with trio.CancelScope(shield=True):
                await browser.root.send("Target.disposeBrowserContext", context)


async def new_tab(port: int, url: str = "about:blank") -> dict[str, Any]:
    """Open a tab in front. Returns its target."""
    opened: dict[str, Any] = await _ask(port, f"new?{url}", "PUT")
    return opened


async def targets(port: int) -> list[dict[str, Any]]:
    """All that the browser lets a debugger attach to: tabs, DevTools, extension pages, workers."""
    found: list[dict[str, Any]] = await _ask(port, "list")
    return found


async def browser_target(port: int) -> dict[str, Any]:
    """The browser itself, for `attached`."""
    version: dict[str, Any] = await _ask(port, "version")
    return version


def page_target(port: int, target_id: str) -> dict[str, Any]:
    """A page that is known by its id alone, for `attached`."""
    return {"id": target_id, "webSocketDebuggerUrl": f"ws://127.0.0.1:{port}/devtools/page/{target_id}"}


async def activate(port: int, target_id: str) -> None:
    """Bring a tab to the front. `OSError` if there is none, or no browser."""
    await _ask(port, f"activate/{target_id}")


async def close(port: int, target_id: str) -> None:
    """Close a target: a tab, or a worker."""
    await _ask(port, f"close/{target_id}")


@asynccontextmanager
async def attached(target: Mapping[str, Any]) -> AsyncIterator[CdpConnection]:
    """One of `targets`, over its own socket."""
    async with (
        open_websocket_url(target["webSocketDebuggerUrl"], max_message_size=64 * 2**20) as socket,
        trio.open_nursery() as nursery,
    ):
        transport = DirectTransport(socket)
        connection = CdpConnection(transport)
        nursery.start_soon(transport.write)
        nursery.start_soon(transport.read, connection)
        try:
            yield connection
        finally:
            nursery.cancel_scope.cancel()


async def _ask(port: int, path: str, method: str = "GET") -> Any:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/json/{path}", method=method)

    def read() -> bytes:
        with urllib.request.urlopen(request) as answer:
            content: bytes = answer.read()
            return content

    text = await trio.to_thread.run_sync(read)
    return json.loads(text) if text.startswith((b"{", b"[")) else text.decode()
