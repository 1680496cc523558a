"""One Console's socket at `/console/live`: changes of state and calls, pictures of the tabs in view, questions.

The Console runs commands as an MCP client, on a socket of its own; nothing here runs one. It is shown what a client
with its name may see.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture import __version__
from kapture.changed import Changed
from kapture.commands.core.recorder import RecordingState
from kapture.endpoints.console import visible
from kapture.endpoints.console.highlights import Highlights
from kapture.endpoints.console.pictures import Pictures
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client, Hub
from kapture.hub.records import CallState, CallWatcher, ended_state
from kapture.hub.sockets import close_socket
from kapture.hub.standing import revoke_standing, standing_rows
from kapture.hub.tab_session import as_sent
from kapture.policy import Grant
from kapture.policy.audit import latest
from kapture.wire import console as wire

CLIENT_NAME = "Kapture Console"
_TICK_S = 1.0
"""Interval for checking what has no event of its own (dialogs, grants, heartbeats, questions)."""
_TOGETHER_S = 0.05
"""Changes within this time are sent in one message."""
_AUDIT_ENTRIES = 200
_MOST_ASKED = 64
"""Questions of one Console whose answers are not sent yet; nothing more is read from one that does not read them."""
_DECODER: msgspec.json.Decoder[wire.FromConsole] = msgspec.json.Decoder(wire.FromConsole)

Checks = Callable[[Mapping[str, Any]], Awaitable[Sequence[Mapping[str, Any]]]]
"""Runs the checks of `kapture doctor` with the hub's status; returns rows with `what`, `state` (ok, note, bad),
`detail` and `fix`."""


Commands = Callable[[], Sequence[Mapping[str, Any]]]
"""Every command with its complete schema; MCP's lists are shortened for models."""


class ConsoleEndpoint:
    """Serves the Consoles of one hub."""

    def __init__(self, hub: Hub, *, checks: Checks, commands: Commands) -> None:
        self._hub = hub
        self._checks = checks
        self._commands = commands

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one authenticated Console until it closes the socket."""
        socket = await request.accept()
        self._hub.hand_overs.consoles += 1
        try:
            async with trio.open_nursery() as nursery:
                await _Live(self._hub, self._checks, self._commands, socket, nursery).run()
                nursery.cancel_scope.cancel()
        except* ConnectionClosed:
            pass  # the Console has disconnected
        except* (msgspec.MsgspecError, RecursionError) as group:
            await close_socket(socket, 1008, f"This message cannot be read: {group.exceptions[0]}"[:100])
        finally:
            self._hub.hand_overs.consoles -= 1


class _Live:
    """The connection of one Console."""

    def __init__(
        self, hub: Hub, checks: Checks, commands: Commands, socket: WebSocketConnection, nursery: trio.Nursery
    ) -> None:
        self._hub = hub
        self._checks = checks
        self._commands = commands
        self._socket = socket
        self._nursery = nursery
        self._client = Client(name=CLIENT_NAME, version=__version__, kind="console")
        self._pictures = Pictures(hub.state, self._client, nursery, socket.send_message)
        self._highlights = Highlights(hub.state, self._client)
        self._asked = trio.Semaphore(_MOST_ASKED)
        self._changed = Changed()
        self._look = True  # whether tabs or clients may have changed
        self._logged: set[str] = set()  # ids of tabs with new console entries
        self._recordings: dict[str, RecordingState] = {}  # as last sent
        self._rows: dict[str, dict[str, Any]] = {}  # as last sent
        self._quoted: set[str] = set()  # ids of tabs with messages of calls that the Console has
        self._state: wire.HubState | None = None  # as last sent

    async def run(self) -> None:
        """Serve until the socket closes."""
        self._nursery.start_soon(self._follow_events)
        self._nursery.start_soon(self._follow_recordings)
        self._nursery.start_soon(self._send_changes)
        self._nursery.start_soon(self._highlights.run)
        while True:
            message = _DECODER.decode(await self._socket.get_message())
            match message:
                case wire.Watch():
                    await self._pictures.watch(message.tabs, message.enlarged, message.width)
                case wire.Drawn():
                    self._pictures.drawn(message.tab_id, message.number)
                case wire.Highlight():
                    self._highlights.point_at(message.tab_id, message.ref)
                case wire.Ask() | wire.Act():
                    await self._asked.acquire()
                    self._nursery.start_soon(self._answer, message)

    async def _follow_events(self) -> None:
        async with self._hub.subscribe() as events:
            async for event in events:
                if event.kind == "console" and event.tab_id is not None:
                    self._logged.add(event.tab_id)
                else:
                    self._look = True
                self._changed.notify()

    async def _follow_recordings(self) -> None:
        while (recorder := self._hub.state.recorder) is not None:
            await recorder.changed.wait()
            self._changed.notify()

    async def _send_changes(self) -> None:
        """Send the complete state first and changes from then on, no faster than the Console reads."""
        hub, records = self._hub.state, self._hub.state.records
        running = {tab.tab_id: tab.all_running() for tab in hub.router}
        with hub.consent.calling(self._client), records.feed.watch(self._changed, running) as watcher:
            await self._send_state()
            await self._send_calls([ended_state(activity) for activity in records.activity.kept()])
            next_tick = trio.current_time()
            while True:
                upcoming = self._changed.upcoming
                await self._send_new(watcher)
                if trio.current_time() >= next_tick:
                    next_tick = trio.current_time() + _TICK_S
                    await self._send(wire.Heard(silent_ms=visible.silent_ms(self._hub)))
                with trio.move_on_at(next_tick) as tick:
                    await upcoming.wait()
                self._look |= tick.cancelled_caught
                await trio.sleep(_TOGETHER_S)

    async def _send_new(self, watcher: CallWatcher) -> None:
        if self._look:
            self._look = False
            await self._send_state()
            await self._pictures.refresh()
        await self._send_calls(watcher.take())
        await self._send_recordings()
        if self._logged:
            tabs, self._logged = sorted(self._logged), set()
            await self._send(wire.Console(tabs=tabs))

    async def _send_state(self) -> None:
        """Tabs first: a Console that knows the hub knows whether any tab is connected."""
        rows = visible.tab_rows(self._hub)
        changed = [row for tab_id, row in rows.items() if self._rows.get(tab_id) != row]
        gone = [tab_id for tab_id in self._rows if tab_id not in rows]
        if changed or gone:
            self._rows = rows
            await self._send(wire.Tabs(changed=changed, gone=gone))
        hub = self._hub.state
        if unreadable := sorted(tab_id for tab_id in self._quoted if not visible.readable(hub, tab_id)):
            self._quoted.difference_update(unreadable)
            await self._send(wire.Unreadable(tabs=unreadable))
        state = wire.HubState(
            version=__version__,
            started_at=hub.started_at,
            clients=visible.client_rows(self._hub),
            questions=visible.questions(self._hub),
            paused=hub.pauses.everywhere,
            handed_over=visible.handed_over(self._hub),
            shares=hub.shares.rows(),
        )
        if state != self._state:
            self._state = state
            await self._send(state)

    async def _send_recordings(self) -> None:
        now = visible.recordings(self._hub)
        if now == self._recordings:
            return
        before, self._recordings = self._recordings, now
        tabs = {
            tab_id: as_sent(now.get(tab_id)) for tab_id in {**before, **now} if before.get(tab_id) != now.get(tab_id)
        }
        await self._send(wire.Recordings(tabs=tabs))

    async def _send_calls(self, calls: Sequence[CallState]) -> None:
        if calls:
            shown = [visible.shown_call(self._hub.state, call) for call in calls]
            self._quoted.update(call.tab_id for call in shown if call.tab_id is not None and (call.message or call.did))
            await self._send(wire.Calls(calls=shown))

    async def _answer(self, message: wire.Ask | wire.Act) -> None:
        answer = wire.Answer(id=message.id)
        try:
            answer.value = await (self._ask(message.about) if isinstance(message, wire.Ask) else self._act(message))
        except OSError as error:
            answer.error = str(error)
        except KaptureError as error:
            answer.error = error.explanation
        await self._send(answer)
        self._asked.release()

    async def _act(self, message: wire.Act) -> Any:
        control = self._hub.tab_control
        match message.action:
            case "disconnect":
                return await control.disconnect(message.tab_id)
            case "change_grant":
                return await control.request_grant(self._client, message.tab_id)
            case "narrow_grant":
                if message.level is None:
                    raise KaptureError(
                        ErrorCode.INVALID_PARAMS, "`narrow_grant` needs the sites and level that are left."
                    )
                return control.narrow_grant(self._client, message.tab_id, Grant.make(message.sites, message.level))
            case "revoke":
                return await revoke_standing(self._hub.state, message.grant, self._client)
            case "end_share":
                return self._hub.state.shares.end(message.share)
            case "release":
                return self._hub.holding.end(message.tab_id)
            case "pause" | "stop":
                return self._hub.state.pauses.pause_all(stop=message.action == "stop")
            case "resume" if message.tab_id:
                return self._hub.state.pauses.resume(self._hub.state.router.find(message.tab_id))
            case "resume":
                return self._hub.state.pauses.resume_all()
            case "hand_back":
                return self._hub.hand_overs.answer(message.tab_id, done=message.done, note=message.note)

    async def _ask(self, about: str) -> Any:
        match about:
            case "audit":
                return await trio.to_thread.run_sync(latest, self._hub.state.settings.home, _AUDIT_ENTRIES)
            case "commands":
                return self._commands()
            case "standing":
                return standing_rows(self._hub.state)
            case "group":
                return await self._group()
            case "checks":
                return await self._checks(self._status())
            case _:
                return self._status()

    async def _group(self) -> Mapping[str, Any] | None:
        """The hub's group as in `status`, with the tabs of its other machines; None outside of one."""
        if (elsewhere := self._hub.state.group.elsewhere) is None:
            return None
        await elsewhere.look()
        return {**elsewhere.status(), "tabs": list(await elsewhere.rows(self._client))}

    def _status(self) -> Mapping[str, Any]:
        with self._hub.state.consent.calling(self._client):
            return self._hub.status()

    async def _send(self, message: wire.FromHub) -> None:
        await self._socket.send_message(msgspec.json.encode(message).decode())
