"""`kapture mcp`: forwards an MCP client's stdio to the hub's WebSocket and back, byte for byte.

When the hub is restarted, requests that it cannot answer any more are answered with an error, and the new hub gets the
client's handshake, log level and subscriptions (`kapture.client.client_state`).
"""

from __future__ import annotations

import os
from pathlib import Path

import trio

from kapture.changed import Changed
from kapture.client.client_state import ClientState
from kapture.client.connection import (
    MAX_MESSAGE_BYTES,
    ConnectionClosedError,
    HubAbsentError,
    HubConnection,
    connect,
)
from kapture.client.hubs import hub_folder
from kapture.client.json_rpc import PARSE_ERROR, error_answer, read_head
from kapture.client.session_proof import SessionProof, started_by
from kapture.client.start import connect_or_start
from kapture.client.stdio import ClientPipes, Stdio, TooLongError, read_lines
from kapture.errors import KaptureError

RESTART_MS = 2_000  # for a lost hub to come back, before the bridge starts one
FINISH_MS = 10_000  # for pending requests, after the client has closed its stdin
_FIRST_PAUSE_MS = 20
_LONGEST_PAUSE_MS = 500


class Bridge:
    """One client's bridge. `run` returns when the client has closed its end."""

    def __init__(self, home: Path, query: str, pipes: ClientPipes, session: SessionProof | None = None) -> None:
        self._home = home
        self._query = query
        self._session = session or SessionProof()
        """The client's proof of session: with it another hub gives it its tabs back."""
        self._pipes = pipes
        self._state = ClientState()
        self._writing = trio.Lock()
        self._connecting: trio.CancelScope | None = None
        self._had_hub = False
        self._line_waits = Changed()  # the client has sent a line for the hub
        self._client_left = False
        self._nursery: trio.Nursery

    async def run(self) -> None:
        """Forward messages until the client closes its end."""
        send_line, lines = trio.open_memory_channel[bytes](0)
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._read, send_line)
                await self._serve(lines)
                nursery.cancel_scope.cancel()
        except* BrokenPipeError:
            pass  # the client has closed its end

    async def _serve(self, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        while (connection := await self._connect_patiently(lines)) is not None:
            try:
                if await self._relay(connection, lines):
                    return
            finally:
                await connection.aclose()
            for message in self._state.hub_lost():
                await self._write(message)

    # The client's pipes

    async def _read(self, send_line: trio.MemorySendChannel[bytes]) -> None:
        """Read lines from the client, one at a time: what the hub does not take stays in the client's pipe."""
        async with send_line:
            async for line in read_lines(self._pipes):
                if isinstance(line, TooLongError):
                    await self._refuse_line(f"The message is larger than {MAX_MESSAGE_BYTES} bytes.")
                else:
                    self._line_waits.notify()
                    await send_line.send(line)
        self._client_left = True
        if self._connecting is not None:
            self._connecting.cancel()

    async def _write(self, message: bytes) -> None:
        """Write one line to the client."""
        if b"\n" in message:
            message = message.replace(b"\n", b" ")  # only between tokens: JSON strings hold no raw newlines
        async with self._writing:
            await self._pipes.write_all(message + b"\n")

    async def _refuse_line(self, problem: str) -> None:
        await self._write(error_answer(None, PARSE_ERROR, problem))

    # With a hub

    async def _relay(self, connection: HubConnection, lines: trio.MemoryReceiveChannel[bytes]) -> bool:
        """Forward in both directions until one end closes; returns whether it was the client."""
        left = False
        async with trio.open_nursery() as nursery:

            async def receive() -> None:
                try:
                    while True:
                        message = await connection.receive()
                        if self._state.from_hub(message):
                            with trio.CancelScope(shield=True):  # it is not pending any more: nothing else answers it
                                await self._write(message)
                except ConnectionClosedError:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(receive)
            try:
                while True:
                    await self._to_hub(await lines.receive(), connection)
            except ConnectionClosedError:
                pass
            except trio.EndOfChannel:
                left = True
                await self._finish()
            nursery.cancel_scope.cancel()
        return left

    async def _to_hub(self, line: bytes, connection: HubConnection) -> None:
        try:
            line.decode()
        except UnicodeDecodeError:
            await self._refuse_line("The message is not UTF-8.")
            return
        if self._state.from_client(line):
            await connection.send(line)

    async def _finish(self) -> None:
        """Wait a while for the answers that are still missing, unless nobody can read them."""
        with trio.move_on_after(FINISH_MS / 1000):
            async with trio.open_nursery() as nursery:

                async def give_up() -> None:
                    await self._pipes.wait_unread()
                    nursery.cancel_scope.cancel()

                nursery.start_soon(give_up)
                while self._state.waiting:
                    await self._state.answered.wait()
                nursery.cancel_scope.cancel()

    # Without a hub

    async def _connect_patiently(self, lines: trio.MemoryReceiveChannel[bytes]) -> HubConnection | None:
        """Connect to a hub and introduce the client to it; returns None if the client leaves meanwhile."""
        since = trio.current_time()
        pause_ms = _FIRST_PAUSE_MS
        with trio.CancelScope() as self._connecting:
            while not self._client_left:
                waiting = lines.statistics().tasks_waiting_send > 0
                restarting = self._had_hub and trio.current_time() - since < RESTART_MS / 1000
                try:
                    return await self._connect(start=waiting and not restarting)
                except (HubAbsentError, ConnectionClosedError):
                    if not self._had_hub and not lines.statistics().tasks_waiting_send:
                        await self._line_waits.wait()  # the hub is not needed yet
                        continue
                    await trio.sleep(pause_ms / 1000)  # there is no event for a port that opens
                    pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)
                except KaptureError as error:
                    await self._refuse_next(error, lines)
        return None

    async def _connect(self, *, start: bool) -> HubConnection:
        connection = await (connect_or_start if start else connect)(
            self._nursery, self._home, self._query, session=self._session
        )
        try:
            await self._introduce(connection)
        except BaseException:
            await connection.aclose()
            raise
        self._had_hub = True
        return connection

    async def _introduce(self, connection: HubConnection) -> None:
        """Replay the client's handshake and settings to a new hub, whose answers are not for the client."""
        state = self._state
        if state.handshake is None:
            return
        await connection.send(state.handshake)
        if state.handshake_waits:
            return
        while not state.answers_handshake(await connection.receive()):
            pass
        for line in state.replay():
            await connection.send(line)
        for message in state.changes():
            await self._write(message)

    async def _refuse_next(self, error: KaptureError, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        """Answer the next request with the reason why no hub can be reached; then try again."""
        for request in self._state.waiting:  # an initialize that is kept for the next hub
            await self._write(self._state.refuse(request, error))
        try:
            line = await lines.receive()
        except trio.EndOfChannel:
            return
        if (request_id := read_head(line).request_id) is not None:
            await self._write(self._state.refuse(request_id, error))


def serve_stdio(query: str, name: str, hub: str | None = None) -> None:
    """Bridge this process's own stdin and stdout until the client leaves. `query`: of the hub's `/mcp`; `name`: of the
    session. `hub`: see `hub_folder`, whose errors it raises."""
    bridge = Bridge(hub_folder(hub, may_come=True), query, Stdio(), started_by(name))
    try:
        trio.run(bridge.run)
    except KeyboardInterrupt:
        os._exit(130)  # the thread that reads stdin would delay the interpreter's exit
