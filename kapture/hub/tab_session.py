"""Events of a tab that its person causes in the extension: another grant, or taking the tab back from a script."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import trio
from msgspec import UNSET
from trio_websocket import ConnectionClosed

from kapture.backends.backend import left_error
from kapture.backends.extension.extension import ExtensionBackend
from kapture.backends.outbox import Outbox, Socket
from kapture.changed import Changed
from kapture.commands.core.recorder import RecordingState
from kapture.errors import InvalidParams, KaptureError, ProtocolError, Unauthorized, leaves
from kapture.hub.calls import Calls
from kapture.hub.consent import reported_grant
from kapture.hub.extensions import Extension
from kapture.hub.idle_detach import detach_when_idle
from kapture.hub.panel_calls import panel_of
from kapture.hub.sockets import Credentials, Handshake, HandshakeResult, Heartbeat, RateLimit, SocketEnd, close_socket
from kapture.hub.standing import note_standing, tell_clients
from kapture.hub.state import HubState
from kapture.hub.tab_control import apply_grant, set_for_group
from kapture.hub.tab_registration import TabBackend, announce_tab, narrow_again, register_tab
from kapture.hub.tabs.tab import Tab
from kapture.pairing.access import Door, Who
from kapture.wire import extension_messages, messages, panel_messages
from kapture.wire.codec import Reason, decode_from_tab, encode, protocol_error
from kapture.wire.panel_messages import FromPanel


def apply_person_event(state: HubState, tab: Tab, event: messages.Event) -> None:
    """Apply a changed grant, take the tab back from a script or a client, stop clients or let them go on. Other events
    are ignored here."""
    if event.event == "grant" and event.grant is not UNSET:
        grant = state.unconfirmed_grants.reported(tab.tab_id, reported_grant(event.grant))
        has_person = Door.PANEL.admits(Who(tab.identity.kind))
        tab.bond = event.standing if has_person else None
        set_for_group(state, tab, event.group and has_person)
        apply_grant(state, tab, grant)
    elif event.event == "release":
        tab.end_hold()
        state.owners.free(tab.tab_id)
    elif Door.PANEL.admits(Who(tab.identity.kind)):
        _apply_stop(state, tab, event)


def _apply_stop(state: HubState, tab: Tab, event: messages.Event) -> None:
    pauses = state.pauses
    match event.event:
        case "stop" if event.client:
            pauses.stop(tab, event.client)
        case "stop" | "pause":
            pauses.pause_all(stop=event.event == "stop")
        case "resume" if event.everywhere:
            pauses.resume_all()
        case "resume":
            pauses.resume(tab)
        case "shows":
            tab.shows = event.shows


_MAX_EXTENSION_BYTES = 1024 * 1024
"""Of a message on an extension's own socket: it lists up to 200 standing grants."""
_TOGETHER_S = 0.1
"""Seconds; changes within this time are sent in one message."""


class Recordings(Protocol):
    """The recordings of tabs, as panels see them."""

    def state(self, tab_id: str) -> RecordingState | None:
        """Return the unsaved recording of a tab; None if there is none."""

    @property
    def changed(self) -> Changed:
        """Notified when a recording of any tab has changed."""


async def send_recording(recorder: Recordings | None, tab_id: str, outbox: Outbox) -> None:
    """Send the recording of the tab, and again whenever it has changed, until cancelled."""
    sent: RecordingState | None = None
    while recorder is not None:
        upcoming = recorder.changed.upcoming
        state = recorder.state(tab_id)
        if state != sent:
            if outbox.offer(encode(panel_messages.Recording(state=as_sent(state)))):
                sent = state
            elif outbox.buffered_bytes:
                await outbox.flushed()
                continue  # else it is too large for any message
        await upcoming.wait()
        await trio.sleep(_TOGETHER_S)


def as_sent(state: RecordingState | None) -> panel_messages.RecordingState | None:
    """The recording's state as a wire message."""
    if state is None:
        return None
    steps = [
        panel_messages.RecordedStep(id=step.id, title=step.title, value=step.value, secret=step.secret)
        for step in state.steps
    ]
    return panel_messages.RecordingState(going=state.recording, steps=steps, left_out=state.left_out, full=state.full)


logger = logging.getLogger(__name__)

LEFT_CODE = 4001
"""The close code for a tab that was closed, or disconnected by its person."""


class TabSocket(Socket, Protocol):
    """A tab's WebSocket."""

    async def ping(self) -> None:
        """Send a ping and wait for its pong; raises `ConnectionClosed`."""


class TabSession:
    """The hub's end of one tab socket."""

    def __init__(
        self,
        state: HubState,
        calls: Calls,
        socket: TabSocket,
        credentials: Credentials,
        on_admitted: Callable[[], None],
    ) -> None:
        self._state = state
        self._calls = calls
        self._limits = state.settings.limits
        self._socket = socket
        self._credentials = credentials
        self._on_admitted = on_admitted
        self._outbox = Outbox(self._limits.buffered_bytes)
        self._scope = trio.CancelScope()
        self._bad_messages = RateLimit(self._limits.bad_messages, self._limits.bad_messages_window_ms)
        self._heartbeat = Heartbeat(self._limits.heartbeat_ms, self._limits.missed_heartbeats, self._ping)
        self._ping_socket: Callable[[], None] | None = None
        self._pong_awaited = False  # one at a time: a socket that never answers would gather a waiting task for each
        self._ended = SocketEnd()
        self.session_id = secrets.token_hex(8)

    async def run(self) -> None:
        """Serve the socket until either end closes it."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write)
                    await self._serve(nursery)
                    nursery.cancel_scope.cancel()
        except* KaptureError as group:
            logger.warning("A tab's socket is closed: %s", "; ".join(map(str, leaves(group))))
            self._end(1011, "the hub could not continue")
        except* Exception:
            # Nothing that a tab causes may affect the other tabs or the hub.
            logger.exception("A tab's socket is closed because of a bug in Kapture.")
            self._end(1011, "the hub failed")
        ended = self._ended
        await close_socket(self._socket, 1000 if ended.by_tab else ended.code or 1001, ended.reason[:100], shield=True)

    def _close(self, code: int, reason: str) -> None:
        """Close the socket with this code and reason."""
        self._end(code, reason)
        self._scope.cancel()

    def _end(self, code: int, reason: str = "", *, by_tab: bool = False) -> None:
        if not self._ended.code:
            self._ended = SocketEnd(code=code, reason=reason, by_tab=by_tab)

    async def _serve(self, nursery: trio.Nursery) -> None:
        try:
            with trio.fail_after(self._limits.proof_ms / 1_000):
                result = await self._shake_hands()
            self._on_admitted()
            if isinstance(result.register, extension_messages.RegisterBrowser):
                await self._serve_extension(result.register, result, nursery)
                return
            tab, backend = self._register(result.register, result, nursery)
        except trio.TooSlowError:
            self._end(1008, f"no proof and registration within {self._limits.proof_ms / 1_000:g} s")
            self._state.records.connection_refused(f"Tab: {self._ended}.")
            return
        except ConnectionClosed as closed:
            self._closed_by_tab(closed)
            return
        except KaptureError as error:
            await self._refuse(error)
            return
        try:
            backend.ping = self._ping
            nursery.start_soon(backend.serve, self._state.consent.gate(tab))
            if backend.executes_itself:
                self._ping_socket = lambda: nursery.start_soon(self._hear_pong, backend)
            nursery.start_soon(self._watch_heartbeat)
            if isinstance(backend, ExtensionBackend):
                nursery.start_soon(detach_when_idle, self._state, tab, backend, self._calls.pins)
            nursery.start_soon(send_recording, self._state.recorder, tab.tab_id, self._outbox)
            await self._listen(nursery, tab, backend)
        except ConnectionClosed as closed:
            self._closed_by_tab(closed)
        finally:
            self._unregister(tab, backend)

    async def _serve_extension(
        self, register: extension_messages.RegisterBrowser, result: HandshakeResult, nursery: trio.Nursery
    ) -> None:
        extension = Extension(
            register, result.kind, self._outbox, lambda: self._close(1008, "the extension has connected again")
        )
        self._state.extensions.add(extension)
        self._state.last_seen.saw(register.browser, launched=register.launched)
        self._put(
            extension_messages.BrowserRegistered(heartbeat_ms=self._limits.heartbeat_ms, protocol=result.protocol)
        )
        narrow_again(self._state, extension)
        self._state.events.publish("browsers_changed")
        nursery.start_soon(self._watch_heartbeat)
        nursery.start_soon(tell_clients, self._state, extension)
        try:
            while True:
                frame = await self._socket.get_message()
                self._heartbeat.heard()
                try:
                    message = decode_from_tab(frame, max_bytes=_MAX_EXTENSION_BYTES)
                    if isinstance(message, extension_messages.StandingGrants):
                        note_standing(self._state, extension, message.grants)
                    elif isinstance(message, extension_messages.ShareEnd):
                        with suppress(InvalidParams):  # it has ended meanwhile
                            self._state.shares.end(message.name)
                    else:
                        extension.take(message)
                except ProtocolError as error:
                    self._reject_message(error)
        finally:
            self._state.extensions.remove(extension)
            self._state.events.publish("browsers_changed")

    def _closed_by_tab(self, closed: ConnectionClosed) -> None:
        self._end(closed.reason.code if closed.reason is not None else 1006, by_tab=True)

    async def _write(self) -> None:
        try:
            await self._outbox.write_to(self._socket)
        except ConnectionClosed as closed:
            self._closed_by_tab(closed)
            self._scope.cancel()

    # Before registration

    async def _shake_hands(self) -> HandshakeResult:
        state = self._state
        handshake = Handshake(self._credentials, state.pairing, open_port=state.settings.no_pairing)
        if (challenge := handshake.challenge()) is not None:
            self._put(challenge)
        while True:
            frame = await self._socket.get_message()
            try:
                answer = handshake.receive(decode_from_tab(frame, max_bytes=self._limits.unproven_message_bytes))
            except ProtocolError as error:
                self._reject_message(error)
                continue
            except Unauthorized:
                state.extensions.unproven |= self._credentials.extension
                raise
            if isinstance(answer, HandshakeResult):
                state.extensions.unproven &= not self._credentials.extension
                return answer
            if answer is not None:
                self._put(answer)

    def _register(
        self, register: messages.Register, result: HandshakeResult, nursery: trio.Nursery
    ) -> tuple[Tab, TabBackend]:
        """Register the tab; a `KaptureError` refuses it."""
        reconnected = "the tab has reconnected"
        tab, backend = register_tab(
            self._state, register, result.kind, self._outbox, nursery, lambda: self._close(1008, reconnected)
        )
        self._put(
            messages.Registered(
                tab_id=tab.tab_id,
                session_id=self.session_id,
                heartbeat_ms=self._limits.heartbeat_ms,
                protocol=result.protocol,
            )
        )
        announce_tab(self._state, tab, register.opener)
        if self._state.pauses.everywhere or self._state.pauses.clients(tab.tab_id):
            self._state.pauses.show(tab)
        return tab, backend

    async def _refuse(self, error: KaptureError) -> None:
        """Send the reason, and wait a moment for it to be sent."""
        self._state.records.connection_refused(f"Tab: {error.message}")
        retry = not isinstance(error, InvalidParams)
        self._put(messages.Refused(code=error.code.value, message=error.message, hint=error.hint, retry=retry))
        self._end(1008, error.message)
        with trio.move_on_after(1):
            await self._outbox.flushed()

    def _unregister(self, tab: Tab, backend: TabBackend) -> None:
        """Detach the tab from its closed socket; what ran on it fails."""
        how = "" if backend.why_left else f" ({self._ended})"
        error = left_error(tab.tab_id, backend.why_left, f"while this ran{how}; it may have taken effect")
        left = self._ended.by_tab and (self._ended.code == LEFT_CODE or backend.leaving)
        self._state.router.unregister(tab, backend, error, left=left)
        if left:
            self._state.unconfirmed_grants.forget(tab.tab_id)
        backend.close(error)
        counters = self._state.records.counters
        counters.late_answers += backend.traffic.late
        counters.unsolicited_answers += backend.traffic.unsolicited

    # Once registered

    def _ping(self) -> None:
        self._outbox.offer(encode(messages.Ping(ts=round(trio.current_time() * 1_000))))
        if self._ping_socket is not None and not self._pong_awaited:
            self._pong_awaited = True
            self._ping_socket()

    async def _hear_pong(self, backend: TabBackend) -> None:
        """Send WebSocket pings: a tab that knows no `ping` message is alive if it answers those (RFC 6455, 5.5.2)."""
        try:
            await self._socket.ping()
        except ConnectionClosed:
            return  # the task that reads the socket sees this too
        self._heartbeat.heard()
        backend.heard()
        self._pong_awaited = False

    async def _watch_heartbeat(self) -> None:
        missed = await self._heartbeat.run()
        self._close(1001, f"{missed} heartbeats missed")

    async def _listen(self, nursery: trio.Nursery, tab: Tab, backend: TabBackend) -> None:
        panel = panel_of(self._state, self._calls, tab, self._outbox)
        while True:
            frame = await self._socket.get_message()
            self._heartbeat.heard()
            backend.heard()
            try:
                message = decode_from_tab(frame, max_bytes=self._limits.message_bytes)
                if isinstance(message, FromPanel):
                    if not Door.PANEL.admits(Who(tab.identity.kind)):
                        raise protocol_error(Reason.OUT_OF_ORDER, "A tab of a client has no panel: use /mcp.")
                    panel.take(nursery, message)
                else:
                    self._take(tab, backend, message)
            except ProtocolError as error:
                if isinstance(key := error.data.get("id"), str):
                    backend.handle_unreadable_response(key, error)
                self._reject_message(error)
            except KaptureError as error:
                # What an event triggers in the page's engine may fail, for example because the tab reads too slowly.
                logger.warning("Tab %s: %s", tab.tab_id, error)

    def _take(self, tab: Tab, backend: TabBackend, message: messages.FromTab) -> None:
        match message:
            case messages.Response():
                backend.handle_response(message)
            case messages.CdpAnswersSoFar():
                backend.handle_answers_so_far(message)
            case messages.Event():
                apply_person_event(self._state, tab, message)
                backend.handle_event(message)
            case messages.Ping():
                self._outbox.offer(encode(messages.Pong(ts=message.ts)))
            case messages.Pong():
                return
            case messages.Approval():
                backend.handle_approval(message)
            case messages.Point() if Door.PANEL.admits(Who(tab.identity.kind)):
                self._calls.pins.point(tab, message)
            case messages.Unpin() if Door.PANEL.admits(Who(tab.identity.kind)):
                with suppress(KaptureError):  # it is gone already
                    self._calls.pins.dismiss(tab.tab_id, message.pin)
            case _:
                raise protocol_error(Reason.OUT_OF_ORDER, "This message is not valid after `registered`.")

    def _reject_message(self, error: KaptureError) -> None:
        """Answer a message that cannot be used; a flood of them ends the session."""
        self._state.records.counters.bad_messages += 1
        if self._bad_messages.exceeded():
            self._close(1008, "too many messages that cannot be used")
            return
        reason = str(error.data.get("reason", Reason.MALFORMED))
        self._outbox.offer(encode(messages.Error(code=error.code.value, reason=reason, message=error.message)))

    def _put(self, message: messages.FromHub) -> None:
        self._outbox.put(encode(message))
