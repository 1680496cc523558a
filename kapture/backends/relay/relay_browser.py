"""Browsers behind a relay extension: one socket per browser, over which any of its tabs can be debugged.

The protocol is that of the Alma browser relay: `{id, method, params}` is answered by `{id, result | error}`; the other
messages are `status`, `ping`, `pong` and `cdp_event`. Its CDP has no sessions: frames and workers in other processes
cannot be reached.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import msgspec
import trio
from trio_websocket import ConnectionClosed

from kapture.backends.cdp_tab import CdpTab, TabFacts
from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.backends.outbox import Outbox, Socket
from kapture.backends.relay.relay_tab import RelayTab
from kapture.backends.tab_page import OpenPage
from kapture.cdp import CdpError, PendingReply
from kapture.cdp.program import Json
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import extension_messages
from kapture.wire.codec import decode_with

logger = logging.getLogger(__name__)

ServeTab: TypeAlias = Callable[[CdpTab], Awaitable[None]]

HEARTBEAT_S = 10.0
_LIST_S = 1.0
MAX_PENDING = 4096
_MISSED = 2


class _Message(msgspec.Struct, rename="camel"):
    """A message of the extension. Keys that it has no value for may be null."""

    type: str | None = None
    id: str | None = None
    result: Any = None
    error: Any = None
    tab_id: int | None = None
    method: str | None = None
    params: Json | None = None
    attached_tabs: list[int] | None = None


_MESSAGE = msgspec.json.Decoder(_Message, strict=False)


@attrs.frozen
class _Pending:
    method: str
    chrome_id: int | None
    reply: PendingReply


class RelayBrowser:
    """One relay extension's socket, and the tabs of its browser."""

    def __init__(
        self,
        socket: Socket,
        tabs: RelayTabs,
        *,
        folder: Path,
        limit_bytes: int,
        open_page: OpenPage,
        room: Callable[[], int],
        serve: ServeTab,
    ) -> None:
        """`room` returns how many more tabs the hub takes."""
        self._socket = socket
        self._outbox = Outbox(limit_bytes)
        self._made = 0
        self._pending: dict[str, _Pending] = {}
        self._ids = tabs
        self._tabs: dict[int, RelayTab] = {}
        self._attached: frozenset[int] = frozenset()
        self._open_page = open_page
        self._room = room
        self._full = False
        self._serve_tab = serve
        self._tabs_changed = Changed()
        self._nursery: trio.Nursery | None = None
        self.downloads = BrowserDownloads(folder)
        self.last_message_at = trio.current_time()

    async def run(self) -> None:
        """Serve the browser's tabs until the socket closes."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._read)
                nursery.start_soon(self._outbox.write_to, self._socket)
                nursery.start_soon(self._keep_list)
                nursery.start_soon(self._heartbeat)
        except* ConnectionClosed:
            pass  # pending replies are failed below
        finally:
            self._nursery = None
            self._outbox.close()
            while self._pending:
                self._pending.popitem()[1].reply.fail(_lost())

    # Commands

    def submit(self, method: str, params: Mapping[str, Any]) -> PendingReply:
        """Send a relay command without waiting."""
        reply = PendingReply()
        if self._nursery is None:
            reply.fail(_lost())
            return reply
        if len(self._pending) >= MAX_PENDING:
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                f"{MAX_PENDING} commands are waiting for the relay to reply.",
                hint="Wait for them to end, then try again.",
            )
        self._made += 1
        number = f"k{self._made}"
        self._outbox.put(msgspec.json.encode({"id": number, "method": method, "params": dict(params)}).decode())
        self._pending[number] = _Pending(method, params.get("tabId"), reply)
        return reply

    async def send(self, method: str, params: Mapping[str, Any]) -> Any:
        """Send a relay command; returns its result."""
        return (await self.submit(method, params).wait()).get("result")

    async def open_tab(self, url: str, *, active: bool) -> str:
        """Open a tab; returns its tabId, once it is in the list."""
        created = await self.send("tabs.create", {"url": url, "active": active})
        for info in read_tabs([created]):
            self._follow(info)
            return self._ids.of(info)
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, "The relay extension opened a tab but did not say which.")

    # Messages of the extension

    async def _read(self) -> None:
        while True:
            frame = await self._socket.get_message()
            self.last_message_at = trio.current_time()
            try:
                message = decode_with(_MESSAGE, frame)
            except (msgspec.MsgspecError, RecursionError):
                continue  # an unreadable message answers nothing
            match message.type:
                case "ping":
                    self._outbox.offer('{"type":"pong"}')
                case "status":
                    self._take_status(frozenset(message.attached_tabs or ()))
                case "cdp_event":
                    self._take_event(message)
                case "pong":
                    continue
                case _:
                    self._settle(message)

    def _take_event(self, message: _Message) -> None:
        tab = None if message.tab_id is None else self._tabs.get(message.tab_id)
        if tab is None or tab.gone.is_set() or message.method is None:
            return
        with self._contained(tab.chrome_id, message.method):
            tab.deliver(message.method, message.params or {}, None)

    def _settle(self, message: _Message) -> None:
        pending = None if message.id is None else self._pending.pop(message.id, None)
        if pending is None:
            return
        with self._contained(pending.chrome_id, pending.method):
            if message.error is None:
                pending.reply.resolve({"result": message.result})
            else:
                pending.reply.fail(CdpError(pending.method, _words_of(message.error)[:10_000]))

    @contextmanager
    def _contained(self, chrome_id: int | None, method: str) -> Iterator[None]:
        """Drop the tab whose message cannot be processed, and no other."""
        try:
            yield
        except Exception:
            if chrome_id is None:
                raise
            logger.exception("A tab was dropped: its relay's message for %s cannot be processed.", method)
            if (tab := self._tabs.get(chrome_id)) is not None:  # it may be gone already
                tab.left("unreadable")

    def _take_status(self, attached: frozenset[int]) -> None:
        gone = self._attached - attached
        self._attached = attached
        for chrome_id in gone:
            if (tab := self._tabs.get(chrome_id)) is not None:
                tab.lost_debugger()
        self._tabs_changed.notify()

    async def _heartbeat(self) -> None:
        while True:
            self._outbox.offer('{"type":"ping"}')
            await trio.sleep(HEARTBEAT_S)
            if trio.current_time() - self.last_message_at > _MISSED * HEARTBEAT_S:
                raise ConnectionClosed(None)

    async def _keep_list(self) -> None:
        while True:
            changed = self._tabs_changed.upcoming
            try:
                found = read_tabs(await self.send("tabs.list", {}))
            except KaptureError:
                found = None
            if found is not None:
                self._ids.recognise(found)
                self._ids.let_go &= {info.chrome_id for info in found}
                self._follow_all(found)
                for chrome_id in self._tabs.keys() - {info.chrome_id for info in found}:
                    self._tabs[chrome_id].left()
            with trio.move_on_after(_LIST_S):  # not every extension reports opened and closed tabs
                await changed.wait()

    def _follow_all(self, found: Sequence[RelayTabInfo]) -> None:
        """Follow the tabs for which the hub has room, and one more when there is none left: it is refused, which is
        logged once, however often the list comes."""
        followed = self._tabs.keys() | self._ids.let_go
        new = [info.chrome_id for info in found if info.chrome_id not in followed]
        room = self._room()
        left_out = set(new[room if self._full else room + 1 :])
        self._full = len(new) > room
        for info in found:
            if info.chrome_id not in left_out:
                self._follow(info)

    def _follow(self, info: RelayTabInfo) -> None:
        if (known := self._tabs.get(info.chrome_id)) is not None:
            known.moved(info.url, info.title)
            return
        if self._nursery is None or info.chrome_id in self._ids.let_go:
            return
        facts = TabFacts(
            tab_id=self._ids.of(info),
            opener=None,
            owner=self._ids.owner,
            browser=extension_messages.Browser(name="relay", instance=self._ids.owner),
            url=info.url,
            title=info.title,
        )
        tab = self._tabs[info.chrome_id] = RelayTab(facts, self, info.chrome_id, self._open_page)
        tab.let_go = lambda: self._let_go(tab)
        self._nursery.start_soon(self._serve, info.chrome_id, tab)

    def _let_go(self, tab: RelayTab) -> None:
        """Disconnect a tab: it stays open, and is followed no more as long as the hub runs."""
        self._ids.let_go.add(tab.chrome_id)
        self.submit(
            "debugger.detach", {"tabId": tab.chrome_id}
        )  # one that was never attached is refused: so much the better
        tab.left("let_go")

    async def _serve(self, chrome_id: int, tab: RelayTab) -> None:
        try:
            await self._serve_tab(tab)
        finally:
            self._tabs.pop(chrome_id, None)


def _words_of(error: Any) -> str:
    """The protocol has a text; some extensions send the error that Chrome gave them."""
    words = error.get("message") if isinstance(error, dict) else error
    return words if isinstance(words, str) else msgspec.json.encode(error).decode()


def _lost() -> KaptureError:
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        "The relay extension disconnected while this ran; it may have taken effect.",
        hint="List the tabs to see whether it is back.",
    )


def new_relay_token() -> str:
    """A new token that admits only relay extensions."""
    return secrets.token_urlsafe(32)


_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_MAX_AWAY = 64


@attrs.frozen
class RelayTabInfo:
    """One tab as the extension lists it. `chrome_id` is the browser's number for it."""

    chrome_id: int
    url: str
    title: str


def read_tabs(rows: Any) -> list[RelayTabInfo]:
    """The tabs in an answer: a list, or an object with one under `tabs`. Rows without a number are left out."""
    if isinstance(rows, dict):
        rows = rows.get("tabs")
    found = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        number = row.get("tabId", row.get("id"))
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53:
            found.append(RelayTabInfo(number, str(row.get("url") or ""), str(row.get("title") or "")))
    return found


class RelayTabs:
    """The ids of one relay browser's tabs: the browser's number, and a word that is unique to this browser.

    `owner` is the secret by which only the same browser may use these ids. `let_go`: tabs that are to be left alone.
    """

    def __init__(self) -> None:
        self.let_go: set[int] = set()
        self.owner = secrets.token_hex(16)
        self.in_use = False
        self._word = "".join(secrets.choice(_LETTERS) for _ in range(4))
        self._seen: frozenset[tuple[int, str]] = frozenset()

    def of(self, info: RelayTabInfo) -> str:
        """The tabId of a tab."""
        return f"{info.chrome_id}.{self._word}"

    def recognise(self, tabs: Sequence[RelayTabInfo]) -> None:
        """Remember the browser's tabs, to recognise it by them later."""
        self._seen = frozenset((tab.chrome_id, tab.url) for tab in tabs)

    def likeness(self, tabs: Sequence[RelayTabInfo]) -> int:
        """How many of these tabs the browser had when it was last connected, with the same number and address."""
        return len(self._seen & {(tab.chrome_id, tab.url) for tab in tabs})


class KnownRelays:
    """Relay browsers that are or were connected: an extension whose worker was restarted is recognised by its tabs. Of
    those that are away, the latest are remembered."""

    def __init__(self) -> None:
        self._known: list[RelayTabs] = []

    def find(self, tabs: Sequence[RelayTabInfo]) -> RelayTabs:
        """The browser with these tabs, if it was connected before and is not connected now; else a new one."""
        away = [known for known in self._known if not known.in_use and known.likeness(tabs)]
        if away:
            return max(away, key=lambda known: known.likeness(tabs))
        forgotten = [known for known in self._known if not known.in_use][:-_MAX_AWAY]
        self._known = [known for known in self._known if known not in forgotten]
        self._known.append(RelayTabs())
        return self._known[-1]
