"""The hub's end of a registered tab's connection: requests out, responses and events in.

This is what tabs that carry CDP (`extension`) and tabs that execute commands themselves (`remote`) have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import trio
from msgspec import UNSET

from kapture.backends.backend import (
    FOR_GOOD,
    Address,
    HandsOver,
    ScriptSessions,
    TabDocuments,
    TabListener,
    TabPanel,
    Traffic,
    call_allowed_once,
)
from kapture.backends.outbox import Outbox
from kapture.backends.pending_requests import EndedCommands, PendingRequests
from kapture.cdp import PendingReply
from kapture.changed import Changed
from kapture.commands.core.context import Pin
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.wire import extension_messages, messages
from kapture.wire.codec import encode
from kapture.wire.envelope import WireError
from kapture.wire.panel_messages import EndedCommand, RunningCommand

if TYPE_CHECKING:
    from kapture.page import Page


_WITH_PANEL = frozenset({"activity", "approve", "cdp"})
"""Capabilities that only tabs with a panel declare. Activity for other tabs is neither kept nor sent: it would cost a
fifth of a command's time."""

_MOST_OF_A_TITLE = 4_096
"""As Chromium, which keeps no more of one."""


class TabConnection:
    """The part of a `Backend` that is the same for every tab that has registered over a socket."""

    executes_itself = False
    let_go: Callable[[], None] | None = None  # its own side does it
    scripts: ScriptSessions | None = None
    hands_over: HandsOver | None = None

    def __init__(self, register: messages.Register, outbox: Outbox) -> None:
        self.tab_id = register.tab_id
        self.opener = register.opener
        self.capabilities = register.capabilities
        self.panel: TabPanel | None = None if _WITH_PANEL.isdisjoint(register.capabilities) else self
        self.browser = register.browser or extension_messages.Browser()
        self.outbox = outbox
        self.pending = PendingRequests()
        self.url = register.url
        self.title = register.title
        self.last_message_at = trio.current_time()
        self.messages = Changed()
        """Notified of every message and answered ping."""
        self.ping: Callable[[], None] = lambda: None
        """Sends a ping; set by the session of the socket."""
        self.ended_commands = EndedCommands(outbox)
        self.closed = trio.Event()
        self.closing = False  # a command is closing the tab: the end of the socket is expected
        self.vouched = False
        """Whether the tab has shown more than a client has. Else the hub takes none of the files that it names as
        downloaded, and its errors are in a client's words."""
        self.listener = TabListener()
        self.why_left = ""
        self._asked = 0
        self._questions: dict[str, PendingReply] = {}

    @property
    def title(self) -> str:
        """The title that the tab reported: one that runs commands itself passes on all of its page's."""
        return self._title

    @title.setter
    def title(self, text: str) -> None:
        self._title = text[:_MOST_OF_A_TITLE]

    @property
    def owner(self) -> str:
        """The secret id of the browser instance that the tab is in; empty if it has sent none."""
        return self.browser.instance

    @property
    def address(self) -> Address:
        """URL and title as the tab reported them."""
        return Address(url=self.url, title=self.title)

    @property
    def inherited_url(self) -> str | None:
        """None: a tab reports only its own address."""
        return None

    @property
    def why_detached(self) -> str | None:
        """None: a connected tab can run commands."""
        return None

    @property
    def current_page(self) -> Page | None:
        """None: the hub has no page for the tab."""
        return None

    @property
    def documents(self) -> TabDocuments | None:
        """None: the hub does not know the tab's documents."""
        return None

    @property
    def traffic(self) -> Traffic:
        """Figures on the connection."""
        return Traffic(
            pending_requests=len(self.pending),
            late=self.pending.late,
            unsolicited=self.pending.unsolicited,
            buffered_bytes=self.outbox.buffered_bytes,
            last_message_at=self.last_message_at,
        )

    @property
    def blocked(self) -> DialogOpen | None:
        """`DIALOG_OPEN` while a dialog blocks the page."""
        return None

    @property
    def leaving(self) -> bool:
        """Whether the tab has announced that it will not come back."""
        return bool(self.why_left) or self.closing

    def heard(self) -> None:
        """Note that the other end has sent something."""
        self.last_message_at = trio.current_time()
        self.messages.notify()

    def send(self, message: messages.FromHub, *, limited: bool = True) -> None:
        """Queue a message; `QUEUE_FULL` if too much waits, if `limited`."""
        self.outbox.put(encode(message), limited=limited)

    def command_begun(self, call: str, command: RunningCommand) -> None:
        """Send it to the tab's panel, unless it ends soon."""
        self.ended_commands.begun(call, command)

    def command_ended(self, ended: EndedCommand, *, at_once: bool) -> None:
        """Send it to the tab's panel; at once also while a person is asked, because the question may end with it."""
        self.ended_commands.add(ended, at_once=at_once or bool(self._questions))

    def _offer(self, message: messages.FromHub) -> None:
        """Queue a message that may be dropped when the tab is slow."""
        self.outbox.offer(encode(message))

    def submit(
        self, command: str, params: Mapping[str, Any], timeout_ms: float | None = None, *, limited: bool = True
    ) -> tuple[str, PendingReply]:
        """Send a command; returns its id and the reply. `limited`: `QUEUE_FULL` if too much waits to be sent."""
        request_id, reply = self.pending.begin()
        call = call_allowed_once()
        try:
            self.send(
                messages.Command(
                    id=request_id,
                    command=command,
                    params=dict(params),
                    timeout_ms=UNSET if timeout_ms is None else timeout_ms,
                    call=UNSET if call is None else call,
                ),
                limited=limited,
            )
        except KaptureError:
            self.pending.abandon(request_id)
            raise
        return request_id, reply

    async def request(self, command: str, params: Mapping[str, Any], timeout_ms: float | None = None) -> Any:
        """Send a command and wait for its result. Cancelling the caller cancels the command."""
        request_id, reply = self.submit(command, params, timeout_ms)
        try:
            return await reply.wait()
        finally:
            if self.pending.abandon(request_id):
                self.cancel(request_id)

    def cancel(self, request_id: str) -> None:
        """Cancel a command in the tab: what it has not begun yet is not begun."""
        self._offer(messages.Cancel(id=request_id))

    @property
    def can_ask_person(self) -> bool:
        """Whether the tab can show its person a question."""
        return "approve" in self.capabilities

    async def ask_person(self, question: messages.Approve) -> str:
        """Ask the person in the tab's extension; returns their decision."""
        self._asked += 1
        question_id, reply = f"q{self._asked}", PendingReply()
        self._questions[question_id] = reply
        self.ended_commands.send()
        try:
            self.send(msgspec.structs.replace(question, id=question_id))
            return str((await reply.wait())["decision"])
        finally:
            self._questions.pop(question_id, None)
            self._offer(messages.ApproveEnd(id=question_id))

    def handle_approval(self, approval: messages.Approval) -> None:
        """Settle a question with the person's decision; ignored if it is settled already."""
        if (reply := self._questions.pop(approval.id, None)) is not None:
            reply.resolve({"decision": approval.decision})

    def show_pins(self, pins: Sequence[Pin]) -> None:
        """Show them in popup and panel."""
        if "pins" in self.capabilities:
            rows = [messages.PinRow(pin=pin.pin, what=pin.what, note=pin.note) for pin in pins]
            self._offer(messages.Pins(pins=rows))

    def show_hold(self, held_by: Mapping[str, str] | None) -> None:
        """Show it in popup and panel."""
        self._offer(messages.Held(by=None if held_by is None else messages.HeldBy(**held_by)))

    def show_pauses(self, clients: Sequence[str], *, everywhere: bool) -> None:
        """Show them in popup and panel."""
        self._offer(messages.Paused(clients=list(clients), everywhere=everywhere))

    def show_owner(self, owner: Mapping[str, str] | None) -> None:
        """Show it in popup and panel, and by a group of tabs."""
        if "tab_owner" in self.capabilities:
            self._offer(messages.Owned(by=None if owner is None else messages.OwnedBy(**owner)))

    def child_opened(self, tab_id: str) -> None:
        """Ignored: the hub has no page that reports it."""

    def handle_response(self, response: messages.Response) -> None:
        """Settle the request that a response belongs to."""
        reply = self.pending.take(response.id)
        if reply is None:
            return
        if response.success:
            reply.resolve(response.result)
        else:
            reply.fail(self.failure(response.error or WireError()))

    def failure(self, error: WireError) -> KaptureError:
        """The error that the tab reported."""
        failure = wire_failure(error)
        return failure if self.vouched else in_own_words(failure)

    def handle_answers_so_far(self, message: messages.CdpAnswersSoFar) -> None:
        """Ignored: only tabs that carry CDP run programs."""

    def handle_unreadable_response(self, request_id: str, error: KaptureError) -> None:
        """Fail the request whose response cannot be read."""
        reply = self.pending.take(request_id)
        if reply is not None:
            reply.fail(
                KaptureError(
                    error.code,
                    f"The tab's answer cannot be used: {error.message}",
                    hint=f"That is a fault of the program that answers for this tab, not of the call. {error.hint}",
                    data=error.data,
                    quotes_page=True,
                )
            )

    def handle_event(self, event: messages.Event) -> None:
        """Apply an event that concerns every kind of backend."""
        if event.event == "tab":
            self.url = self.url if event.url is None else event.url
            self.title = self.title if event.title is None else event.title
            self.listener.changed()
        elif event.event == "detached":
            self.why_left = event.reason if event.reason in FOR_GOOD else ""

    def close(self, error: KaptureError) -> None:
        """Fail everything that is pending, because the socket has ended."""
        self.closed.set()
        self.outbox.close()
        self.pending.close(error)
        while self._questions:
            self._questions.popitem()[1].fail(error)


def in_own_words(error: KaptureError) -> KaptureError:
    """A tab's error, whose words are the tab's own whatever its code."""
    return KaptureError(error.code, error.explanation, data=error.data, quotes_page=True)


def wire_failure(error: WireError) -> KaptureError:
    """The error that a tab reported. An unknown code becomes `EXECUTION_ERROR`, as does none."""
    data = dict(error.data or {})
    try:
        code = ErrorCode(str(error.code))
    except ValueError:
        code = ErrorCode.EXECUTION_ERROR
        if error.code is not None:
            data["tabCode"] = str(error.code)[:200]
    message = (error.message or "")[:10_000] or "The tab gave no reason."
    return KaptureError(code, message, hint=(error.hint or "")[:2_000], data=data)
