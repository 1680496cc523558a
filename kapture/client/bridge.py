"""`kapture mcp`: an MCP client's stdio, carried to the hub's WebSocket and back, byte for byte.

The bridge reads of each message only what it needs to keep a promise: that a request which the hub can no longer
answer, because it was restarted, is answered with an error; and that the new hub is told what the old one knew
of this client (handshake, log level, subscriptions).
"""

from __future__ import annotations

import os
import select
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import trio
from msgspec import UNSET, UnsetType

from kapture.client.connection import MAX_MESSAGE_BYTES, HubAbsentError, Link, LinkClosedError, connect
from kapture.client.start import connect_or_start
from kapture.errors import KaptureError

PATIENCE_MS = 2_000  # how long a hub that went away may take to come back before we start one
LEAVE_MS = 10_000  # how long requests in flight may still take when the client has said its last word
_LONGEST_PAUSE_MS = 500
_READ_BYTES = 256 * 1024
_MAX_REPLAYED = 256
_MAX_HANDSHAKES = 3  # lost ones, before the client is told

PARSE_ERROR = -32700
HUB_UNREACHABLE = -32000

ReadSome = Callable[[], Awaitable[bytes]]
UntilDeaf = Callable[[], Awaitable[None]]
WriteAll = Callable[[bytes], Awaitable[None]]
Id = int | float | str


class _Head(msgspec.Struct):
    """What the bridge looks at in a message."""

    id: Id | UnsetType | None = UNSET
    method: str | UnsetType = UNSET


class _Naming(msgspec.Struct):
    """The parameters that say what a notification or a subscription is about."""

    uri: str | UnsetType = UNSET
    requestId: Id | UnsetType = UNSET  # noqa: N815  as the protocol spells it


class _Params(msgspec.Struct):
    params: _Naming | UnsetType = UNSET


_HEAD = msgspec.json.Decoder(_Head)
_PARAMS = msgspec.json.Decoder(_Params)


class Bridge:
    """One client's bridge. `run` returns when the client has left.

    `until_deaf` returns when nobody can read any more what is written to the client.
    """

    def __init__(
        self,
        home: Path,
        query: str,
        read_some: ReadSome,
        write_all: WriteAll,
        until_deaf: UntilDeaf = trio.sleep_forever,
    ) -> None:
        self._home = home
        self._query = query
        self._read_some = read_some
        self._write_all = write_all
        self._until_deaf = until_deaf
        self._writing = trio.Lock()
        self._reaching: trio.CancelScope | None = None
        self._had_hub = False
        self._spoken = trio.Event()  # the client has a line for the hub
        self._left = False
        # What the client waits for, and what waits for the client.
        self._in_flight: dict[Id, str] = {}
        self._all_answered = trio.Event()
        self._asked: set[Id] = set()
        self._stale: set[Id] = set()
        # What a new hub must be told, as the client said it.
        self._initialize: bytes | None = None
        self._handshakes_lost = 0
        self._initialized: bytes | None = None
        self._replayed: dict[str, bytes] = {}
        self._swallow: set[Id] = set()

    async def run(self) -> None:
        """Carry messages until the client closes its end."""
        send_line, lines = trio.open_memory_channel[bytes](0)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, send_line)
                await self._carry(lines)
                nursery.cancel_scope.cancel()
        except* BrokenPipeError:
            pass  # the client is gone: nobody is left to say anything to

    async def _carry(self, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        while (link := await self._reach(lines)) is not None:
            try:
                if await self._relay(link, lines):
                    return
            finally:
                await link.aclose()
            await self._hub_lost()

    # From the client

    async def _read(self, send_line: trio.MemorySendChannel[bytes]) -> None:
        """Lines from the client, one at a time: what the hub does not take stays in the client's pipe."""
        async with send_line:
            pending = bytearray()
            searched = 0
            too_long = False
            while data := await self._read_some():
                pending += data
                while (end := pending.find(b"\n", searched)) >= 0:
                    line = bytes(pending[:end]).rstrip(b"\r")
                    del pending[: end + 1]
                    searched = 0
                    if too_long:
                        too_long = False
                    elif line.strip():
                        await self._hand_over(line, send_line)
                searched = len(pending)
                if searched > MAX_MESSAGE_BYTES:
                    if not too_long:
                        await self._complain(f"The message is larger than {MAX_MESSAGE_BYTES} bytes.")
                    too_long, searched = True, 0
                    pending.clear()
            if pending.strip() and not too_long:
                await self._hand_over(bytes(pending), send_line)
        self._left = True
        if self._reaching is not None:
            self._reaching.cancel()

    async def _hand_over(self, line: bytes, send_line: trio.MemorySendChannel[bytes]) -> None:
        self._spoken.set()
        await send_line.send(line)
        self._spoken = trio.Event()

    async def _from_client(self, line: bytes, link: Link) -> None:
        try:
            line.decode()
        except UnicodeDecodeError:
            await self._complain("The message is not UTF-8.")
            return
        if self._note(line):
            await link.send(line)

    def _note(self, line: bytes) -> bool:
        """Remember what this message means for a later hub; whether it may go to this one."""
        head = _head(line)
        if head.method is UNSET:
            if head.id in self._stale:
                self._stale.discard(head.id)  # the answer to a question of a hub that is gone
                return False
            if isinstance(head.id, Id):
                self._asked.discard(head.id)
        elif isinstance(head.id, Id):
            self._in_flight[head.id] = head.method
            self._remember(head.method, line)
        elif head.method == "notifications/initialized":
            self._initialized = line
        elif head.method == "notifications/cancelled":
            self._answered(_naming(line).requestId)
        return True

    def _remember(self, method: str, line: bytes) -> None:
        if method == "initialize":
            self._initialize, self._initialized, self._handshakes_lost = line, None, 0
            self._replayed.clear()
        elif method == "logging/setLevel":
            self._replayed[method] = line
        elif method in ("resources/subscribe", "resources/unsubscribe"):
            uri = _naming(line).uri
            if not isinstance(uri, str):
                return
            self._replayed.pop(uri, None)
            if method == "resources/subscribe" and len(self._replayed) < _MAX_REPLAYED:
                self._replayed[uri] = line

    def _answered(self, request: Any) -> None:
        if isinstance(request, Id):
            self._in_flight.pop(request, None)
        if not self._in_flight:
            self._all_answered.set()

    # From the hub

    async def _from_hub(self, message: bytes) -> None:
        head = _head(message)
        if head.method is UNSET and isinstance(head.id, Id):
            if head.id in self._swallow:
                self._swallow.discard(head.id)
                return
            self._answered(head.id)
        elif isinstance(head.id, Id):
            self._asked.add(head.id)
        await self._write(message)

    async def _write(self, message: bytes) -> None:
        """One line to the client."""
        if b"\n" in message:
            message = message.replace(b"\n", b" ")  # between tokens: inside a string JSON has it escaped
        async with self._writing:
            await self._write_all(message + b"\n")

    async def _write_json(self, message: dict[str, Any]) -> None:
        await self._write(msgspec.json.encode({"jsonrpc": "2.0", **message}))

    async def _complain(self, what: str) -> None:
        await self._write_json({"id": None, "error": {"code": PARSE_ERROR, "message": what}})

    # The hub that comes and goes

    async def _relay(self, link: Link, lines: trio.MemoryReceiveChannel[bytes]) -> bool:
        """Carry both ways until one end goes; whether it was the client."""
        left = False
        async with trio.open_nursery() as nursery:

            async def listen() -> None:
                try:
                    while True:
                        await self._from_hub(await link.receive())
                except LinkClosedError:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(listen)
            try:
                async for line in lines:
                    await self._from_client(line, link)
            except LinkClosedError:
                nursery.cancel_scope.cancel()
            else:
                left = True
                await self._finish()
                nursery.cancel_scope.cancel()
        return left

    async def _finish(self) -> None:
        """Give what is still to be answered a while, as long as somebody is there to read it."""
        self._all_answered = trio.Event()
        self._answered(None)
        with trio.move_on_after(LEAVE_MS / 1000):
            async with trio.open_nursery() as nursery:

                async def give_up() -> None:
                    await self._until_deaf()
                    nursery.cancel_scope.cancel()

                nursery.start_soon(give_up)
                await self._all_answered.wait()
                nursery.cancel_scope.cancel()

    async def _reach(self, lines: trio.MemoryReceiveChannel[bytes]) -> Link | None:
        """A connection to a hub that knows the client; None when the client has left meanwhile."""
        since = trio.current_time()
        pause_ms = 20.0
        with trio.CancelScope() as self._reaching:
            while not self._left:
                waiting = lines.statistics().tasks_waiting_send > 0
                patient = trio.current_time() - since < PATIENCE_MS / 1000
                try:
                    return await self._connect(start=waiting and not (self._had_hub and patient))
                except (HubAbsentError, LinkClosedError):
                    if not self._had_hub and not waiting:
                        await self._spoken.wait()  # nobody needs a hub yet
                        continue
                    await trio.sleep(pause_ms / 1000)  # a port that nobody listens on has no event
                    pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)
                except KaptureError as error:
                    await self._explain(error, lines)
        return None

    async def _connect(self, *, start: bool) -> Link:
        link = await (connect_or_start if start else connect)(self._home, self._query)
        try:
            await self._introduce(link)
        except BaseException:
            await link.aclose()
            raise
        self._had_hub = True
        return link

    async def _introduce(self, link: Link) -> None:
        """Tell a hub what an earlier one was told. What it answers to that is not for the client."""
        if self._initialize is None:
            return
        request = _head(self._initialize).id
        await link.send(self._initialize)
        if request in self._in_flight:
            return  # never answered: this hub's answer is the client's
        while True:
            message = await link.receive()
            head = _head(message)
            if head.method is UNSET and head.id == request:
                break
        if self._initialized is None:
            return
        await link.send(self._initialized)
        for line in self._replayed.values():
            replayed = _head(line).id
            if isinstance(replayed, Id):
                self._swallow.add(replayed)
            await link.send(line)
        for kind in ("tools", "resources"):  # another hub: what the client has read of the old one is old
            await self._write_json({"method": f"notifications/{kind}/list_changed"})

    async def _hub_lost(self) -> None:
        """Answer what the old hub never will, and take its questions back."""
        self._swallow.clear()
        for request, method in list(self._in_flight.items()):
            if method == "initialize" and self._handshakes_lost < _MAX_HANDSHAKES:
                self._handshakes_lost += 1
                continue
            del self._in_flight[request]
            what = f"The Kapture hub was restarted during {method}: it may or may not have taken effect."
            if method == "initialize":
                what = (
                    "The Kapture hub closes the connection whenever it is greeted. Its log says why: `kapture doctor`."
                )
                self._initialize = None
            await self._write_json({"id": request, "error": {"code": HUB_UNREACHABLE, "message": what}})
        for question in self._asked:
            reason = {"requestId": question, "reason": "The Kapture hub was restarted."}
            await self._write_json({"method": "notifications/cancelled", "params": reason})
        self._stale |= self._asked
        self._asked.clear()

    async def _explain(self, error: KaptureError, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        """No hub can be had: say so to whoever asks next, and try again then."""
        for request in list(self._in_flight):  # an initialize that was kept for the next hub
            await self._refuse(request, error)
        try:
            line = await lines.receive()
        except trio.EndOfChannel:
            return
        head = _head(line)
        if head.method is not UNSET and isinstance(head.id, Id):
            await self._refuse(head.id, error)

    async def _refuse(self, request: Id, error: KaptureError) -> None:
        self._in_flight.pop(request, None)
        data = {"code": error.code.value}
        failure = {"code": HUB_UNREACHABLE, "message": str(error), "data": data}
        await self._write_json({"id": request, "error": failure})


def _head(message: bytes) -> _Head:
    try:
        return _HEAD.decode(message)
    except msgspec.MsgspecError:
        return _Head()  # no message of ours; the hub says what is wrong with it


def _naming(message: bytes) -> _Naming:
    try:
        params = _PARAMS.decode(message).params
    except msgspec.MsgspecError:
        return _Naming()
    return params if isinstance(params, _Naming) else _Naming()


async def run_stdio(home: Path, query: str) -> None:
    """A bridge over this process's own stdin and stdout.

    Both are read and written in threads: they may be pipes, sockets, files or a terminal, and making a shared
    one non-blocking would change it for its other users too.
    """

    async def read_some() -> bytes:
        return await trio.to_thread.run_sync(os.read, 0, _READ_BYTES, abandon_on_cancel=True)

    async def write_all(data: bytes) -> None:
        await trio.to_thread.run_sync(_write_stdout, data)

    async def until_deaf() -> None:
        if not hasattr(select, "poll"):
            await trio.sleep_forever()
        await trio.to_thread.run_sync(_wait_for_a_broken_stdout, abandon_on_cancel=True)

    await Bridge(home, query, read_some, write_all, until_deaf).run()


def _wait_for_a_broken_stdout() -> None:
    watch = select.poll()
    watch.register(1, 0)  # errors and hang-ups are told whatever is asked for
    watch.poll()


def _write_stdout(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
