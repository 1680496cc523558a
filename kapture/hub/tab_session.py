"""One tab's socket, from the first message to its end: proof, registration, heartbeat, messages.

Whatever comes over the socket, it ends at most this session: its tasks live in one nursery, and nothing outside waits
for them.
"""

from __future__ import annotations

import logging
import secrets
from collections import deque
from typing import TYPE_CHECKING

import attrs
import trio
from msgspec import UNSET
from trio_websocket import ConnectionClosed

from kapture.backends.extension import ExtensionLink
from kapture.backends.link import Link
from kapture.backends.outbox import Outbox, Socket
from kapture.backends.remote import RemoteLink
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.consent import grant_of
from kapture.hub.handshake import Admittance, Greeting, Peer
from kapture.hub.invokes import Invokes
from kapture.hub.running import Running
from kapture.hub.tab import Identity, Tab
from kapture.wire import messages
from kapture.wire.codec import Reason, decode_from_tab, encode, protocol_error

if TYPE_CHECKING:
    from kapture.hub.hub import Hub

logger = logging.getLogger(__name__)

LEFT_CODE = 4001
"""The close code of a tab that was closed or disconnected by its person."""


@attrs.frozen(kw_only=True)
class _End:
    """How a socket ended. `code` 0: it has not."""

    code: int = 0
    reason: str = ""
    by_tab: bool = False

    @property
    def said(self) -> str:
        """For people."""
        return f"its socket closed with code {self.code}" if self.by_tab else self.reason or "the hub stopped"


class TabSession:
    """The hub's end of one tab socket."""

    def __init__(self, hub: Hub, socket: Socket, peer: Peer) -> None:
        self._hub = hub
        self._limits = hub.settings.limits
        self._socket = socket
        self._peer = peer
        self._outbox = Outbox(self._limits.buffered_bytes)
        self._scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._bad: deque[float] = deque(maxlen=self._limits.bad_messages + 1)
        self._heard = True
        self._ended = _End()
        self.session_id = secrets.token_hex(8)

    async def run(self) -> None:
        """Serve the socket until it ends, whoever ends it."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    self._nursery = nursery
                    nursery.start_soon(self._write)
                    await self._serve(nursery)
                    nursery.cancel_scope.cancel()
        except* KaptureError as group:
            logger.warning("a tab's socket is closed: %s", group)
            self._end(1011, "the hub could not go on")
        except* Exception:
            # Nothing that a tab makes happen may reach the other tabs or the hub.
            logger.exception("a tab's socket is closed because of a mistake in Kapture")
            self._end(1011, "the hub failed")
        with trio.CancelScope(shield=True), trio.move_on_after(1):
            await self._socket.aclose(
                1000 if self._ended.by_tab else self._ended.code or 1001, self._ended.reason[:100]
            )

    def end(self, code: int, reason: str) -> None:
        """Close the socket from outside."""
        self._end(code, reason)
        self._scope.cancel()

    def _end(self, code: int, reason: str = "", *, by_tab: bool = False) -> None:
        if not self._ended.code:
            self._ended = _End(code=code, reason=reason, by_tab=by_tab)

    async def _serve(self, nursery: trio.Nursery) -> None:
        try:
            with trio.fail_after(self._limits.proof_ms / 1_000):
                admittance = await self._greet()
            tab, link = self._register(admittance)
        except trio.TooSlowError:
            self._end(1008, "no proof and registration in time")
            return
        except ConnectionClosed as closed:
            self._closed_by_tab(closed)
            return
        except KaptureError as error:
            await self._refuse(error)
            return
        try:
            nursery.start_soon(link.serve, self._hub.consent.gate(tab))
            nursery.start_soon(self._beat)
            await self._listen(nursery, tab, link)
        except ConnectionClosed as closed:
            self._closed_by_tab(closed)
        finally:
            self._gone(tab, link)

    def _closed_by_tab(self, closed: ConnectionClosed) -> None:
        self._end(closed.reason.code if closed.reason is not None else 1006, by_tab=True)

    async def _write(self) -> None:
        try:
            await self._outbox.write_to(self._socket)
        except ConnectionClosed as closed:
            self._closed_by_tab(closed)
            self._scope.cancel()

    # Before registration

    async def _greet(self) -> Admittance:
        greeting = Greeting(self._peer, self._hub.pairing, open_port=self._hub.settings.no_pairing)
        if (challenge := greeting.opening()) is not None:
            self._put(challenge)
        while True:
            frame = await self._socket.get_message()
            try:
                answer = greeting.take(decode_from_tab(frame, max_bytes=self._limits.unproven_message_bytes))
            except KaptureError as error:
                if error.code is not ErrorCode.PROTOCOL_ERROR:
                    raise
                self._complain(error)
                continue
            if isinstance(answer, Admittance):
                return answer
            if answer is not None:
                self._put(answer)

    def _register(self, admittance: Admittance) -> tuple[Tab, Link]:
        """Take the tab in. `KaptureError` refuses it."""
        hub, register = self._hub, admittance.register
        grant = grant_of(register)
        link: Link
        if "cdp" in register.capabilities:
            link = ExtensionLink(register, self._outbox, hub.open_page)
        else:
            link = RemoteLink(register, self._outbox)
        identity = Identity(kind=admittance.kind, instance=link.browser.instance)
        tab = hub.router.register(link, identity, hub.replaced)
        tab.grant = grant
        hub.sessions[link] = self
        link.on_blocked = lambda error: self._blocked(tab, link, error)
        link.on_place = lambda: hub.events.publish("tab_changed", tab.tab_id)
        link.on_console = lambda: hub.events.publish("console", tab.tab_id)
        link.on_detached = lambda error: _fail_all(tab, error)
        self._put(
            messages.Registered(tab_id=tab.tab_id, session_id=self.session_id, heartbeat_ms=self._limits.heartbeat_ms)
        )
        hub.tab_connected(tab)
        return tab, link

    async def _refuse(self, error: KaptureError) -> None:
        """Say why, and give the words a moment to get out."""
        retry = error.code is not ErrorCode.INVALID_PARAMS
        self._put(messages.Refused(code=error.code.value, message=error.message, hint=error.hint, retry=retry))
        self._end(1008, error.message)
        with trio.move_on_after(1):
            await self._outbox.flushed()

    def _gone(self, tab: Tab, link: Link) -> None:
        """The socket has ended, and with it what ran on it."""
        error = KaptureError(
            ErrorCode.TAB_DISCONNECTED,
            f"Tab {tab.tab_id} disconnected while this ran ({self._ended.said}); it may have taken effect.",
            hint="Call list_tabs to see whether it is back, and look at the page before trying again.",
            data={"tabId": tab.tab_id},
        )
        left = self._ended.by_tab and (self._ended.code == LEFT_CODE or link.left)
        self._hub.sessions.pop(link, None)
        self._hub.router.unregister(tab, link, error, left=left)
        link.close(error)
        self._hub.counters.late_answers += link.pending.late
        self._hub.counters.unsolicited_answers += link.pending.unsolicited

    # Once registered

    async def _beat(self) -> None:
        """Ping; end the session when the tab has missed too many."""
        missed = -1  # nothing has been asked yet
        while True:
            self._heard = False
            await trio.sleep(self._limits.heartbeat_ms / 1_000)
            missed = 0 if self._heard else missed + 1
            if missed >= self._limits.missed_heartbeats:
                self.end(1001, f"{missed} heartbeats missed")
                return
            self._outbox.offer(encode(messages.Ping(ts=round(trio.current_time() * 1_000))))

    async def _listen(self, nursery: trio.Nursery, tab: Tab, link: Link) -> None:
        invokes = Invokes(lambda name, params: self._hub.call_from_panel(tab, name, params), self._outbox, 64)
        while True:
            frame = await self._socket.get_message()
            self._heard = True
            link.heard_at = trio.current_time()
            try:
                message = decode_from_tab(frame, max_bytes=self._limits.message_bytes)
                match message:
                    case messages.Invoke():
                        invokes.start(nursery, message)
                    case messages.CancelInvoke():
                        invokes.cancel(message.id)
                    case _:
                        self._take(tab, link, message)
            except KaptureError as error:
                if error.code is ErrorCode.PROTOCOL_ERROR:
                    if isinstance(key := error.data.get("id"), str):
                        link.take_broken_response(key, error)
                    self._complain(error)
                else:
                    # What an event sets off in the page's engine may fail, for one because the tab reads too slowly.
                    logger.warning("tab %s: %s", tab.tab_id, error)

    def _take(self, tab: Tab, link: Link, message: messages.FromTab) -> None:
        match message:
            case messages.Response():
                link.take_response(message)
            case messages.Event():
                if message.event == "grant" and message.grant is not UNSET:
                    self._hub.grant_changed(tab, message.grant)
                link.take_event(message)
            case messages.Ping():
                self._outbox.offer(encode(messages.Pong(ts=message.ts)))
            case messages.Pong():
                return
            case messages.Approval():
                link.take_approval(message)
            case _:
                raise protocol_error(Reason.OUT_OF_ORDER, "This message has no meaning after `registered`.")

    def _blocked(self, tab: Tab, link: Link, error: KaptureError) -> None:
        """A dialog is open: nothing that waits can run now."""
        tab.fail_waiting(error)
        if tab.running is not None and self._nursery is not None:
            self._nursery.start_soon(self._unblock, tab, link, tab.running)

    async def _unblock(self, tab: Tab, link: Link, running: Running) -> None:
        """A command that a dialog holds up ends with `DIALOG_OPEN`, unless it is about to end by itself."""
        await trio.sleep(self._limits.dialog_grace_ms / 1_000)
        if tab.link is link and tab.running is running and (error := link.blocked) is not None:
            running.fail(error)

    def _complain(self, error: KaptureError) -> None:
        """Answer a message that cannot be used; a flood of them ends the session."""
        self._hub.counters.bad_messages += 1
        now = trio.current_time()
        self._bad.append(now)
        window = self._limits.bad_messages_window_ms / 1_000
        if len(self._bad) > self._limits.bad_messages and now - self._bad[0] <= window:
            self.end(1008, "too many messages that cannot be used")
            return
        reason = str(error.data.get("reason", Reason.MALFORMED))
        self._outbox.offer(encode(messages.Error(code=error.code.value, reason=reason, message=error.message)))

    def _put(self, message: messages.FromHub) -> None:
        self._outbox.put(encode(message))


def _fail_all(tab: Tab, error: KaptureError) -> None:
    for running in tab.all_running():
        running.fail(error)
