"""The hub's end of a registered tab's connection: requests out, responses and events in.

What differs between tabs that carry CDP (`extension`) and tabs that execute commands themselves (`remote`) is in
those modules; this is what they share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

import msgspec
import trio
from msgspec import UNSET

from kapture.backends.allowed_once import call_allowed_once
from kapture.backends.backend import Address, DeliverEvent, TabDocuments, Traffic
from kapture.backends.ended_commands import EndedCommands
from kapture.backends.leaving import FOR_GOOD
from kapture.backends.outbox import Outbox
from kapture.backends.pending_requests import PendingRequests
from kapture.cdp import CdpTransport, PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import extension_messages, messages
from kapture.wire.codec import encode
from kapture.wire.envelope import WireError
from kapture.wire.panel_messages import EndedCommand

if TYPE_CHECKING:
    from kapture.page import Page


class TabConnection:
    """The part of a `Backend` that is the same for every tab that has registered over a socket."""

    executes_itself = False
    has_script_sessions = False

    def __init__(self, register: messages.Register, outbox: Outbox) -> None:
        self.tab_id = register.tab_id
        self.opener = register.opener
        self.capabilities = register.capabilities
        self.browser = register.browser or extension_messages.Browser()
        self.outbox = outbox
        self.pending = PendingRequests()
        self.url = register.url
        self.title = register.title
        self.last_message_at = trio.current_time()
        self.ended_commands = EndedCommands(outbox)
        self.closed = trio.Event()
        self.closing = False  # a command closes the tab: the end of the socket is no failure
        self.on_blocked: Callable[[KaptureError], None] = lambda _: None
        self.on_address: Callable[[], None] = lambda: None
        self.on_console: Callable[[], None] = lambda: None
        self.on_page_tools: Callable[[], None] = lambda: None
        self.on_detached: Callable[[KaptureError], None] = lambda _: None
        self.why_left = ""
        self._asked = 0
        self._questions: dict[str, PendingReply] = {}

    @property
    def owner(self) -> str:
        """The secret of the browser instance that the tab belongs to; empty if it has given none."""
        return self.browser.instance

    @property
    def address(self) -> Address:
        """As the tab says."""
        return Address(url=self.url, title=self.title)

    @property
    def inherited_url(self) -> str | None:
        """A tab says only what its own address is."""
        return None

    @property
    def why_detached(self) -> str | None:
        """A tab that is connected can run commands."""
        return None

    async def ready(self) -> None:
        """The hub sets up no page."""
        raise KaptureError(ErrorCode.UNSUPPORTED, f"Tab {self.tab_id} executes commands itself.")

    def script_session(self, deliver: DeliverEvent) -> AbstractAsyncContextManager[CdpTransport]:
        """Never called: `has_script_sessions` is False."""
        raise KaptureError(ErrorCode.UNSUPPORTED, f"Tab {self.tab_id} has no CDP session for a script.")

    @property
    def current_page(self) -> Page | None:
        """None in the hub: the tab has it."""
        return None

    @property
    def documents(self) -> TabDocuments | None:
        """None in the hub: the tab has them."""
        return None

    @property
    def traffic(self) -> Traffic:
        """What the connection carries."""
        return Traffic(
            pending_requests=len(self.pending),
            late=self.pending.late,
            unsolicited=self.pending.unsolicited,
            buffered_bytes=self.outbox.buffered_bytes,
            last_message_at=self.last_message_at,
        )

    @property
    def blocked(self) -> KaptureError | None:
        """`DIALOG_OPEN` while a dialog keeps the page from doing anything."""
        return None

    @property
    def leaving(self) -> bool:
        """Whether the tab has announced that it will not come back."""
        return bool(self.why_left) or self.closing

    def send(self, message: messages.FromHub, *, limited: bool = True) -> None:
        """Send after what was sent before; `QUEUE_FULL` when too much waits, if `limited`."""
        self.outbox.put(encode(message), limited=limited)

    def command_ended(self, ended: EndedCommand, *, at_once: bool) -> None:
        """The tab's panel shows it; at once also while a person is asked, whose answer may end with a command."""
        self.ended_commands.add(ended, at_once=at_once or bool(self._questions))

    def _offer(self, message: messages.FromHub) -> None:
        """Send what may be left out when the tab is slow."""
        self.outbox.offer(encode(message))

    def submit(
        self, command: str, params: Mapping[str, Any], timeout_ms: float | None = None, *, limited: bool = True
    ) -> tuple[str, PendingReply]:
        """Send a command; its id, and where the response will be. `limited`: not if too much waits to be sent."""
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
        """Send a command and wait for its result. When the caller is cancelled, so is the command."""
        request_id, reply = self.submit(command, params, timeout_ms)
        try:
            return await reply.wait()
        finally:
            if self.pending.abandon(request_id):
                self.cancel(request_id)

    def cancel(self, request_id: str) -> None:
        """What a command has not begun yet, it is not to begin."""
        self._offer(messages.Cancel(id=request_id))

    @property
    def can_ask_person(self) -> bool:
        """Whether the tab can put a question to its person."""
        return "approve" in self.capabilities

    async def ask_person(self, question: messages.Approve) -> str:
        """Put a question to the person in the tab's extension."""
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
        """The person has decided. A decision on a question that is settled means nothing."""
        if (reply := self._questions.pop(approval.id, None)) is not None:
            reply.resolve({"decision": approval.decision})

    def show_hold(self, held_by: Mapping[str, str] | None) -> None:
        """Never called: no script gets the tab."""

    def child_opened(self, tab_id: str) -> None:
        """A tab that this one opened has connected."""

    def handle_response(self, response: messages.Response) -> None:
        """A response has come."""
        reply = self.pending.take(response.id)
        if reply is None:
            return
        if response.success:
            reply.resolve(response.result)
        else:
            reply.fail(wire_failure(response.error or WireError()))

    def handle_answers_so_far(self, message: messages.CdpAnswersSoFar) -> None:
        """Some commands of a program have been answered. Only tabs that carry CDP run programs."""

    def handle_unreadable_response(self, request_id: str, error: KaptureError) -> None:
        """A response has come that cannot be read."""
        reply = self.pending.take(request_id)
        if reply is not None:
            reply.fail(error)

    def handle_event(self, event: messages.Event) -> None:
        """An event of the tab that concerns every kind of backend."""
        if event.event == "tab":
            self.url = self.url if event.url is None else event.url
            self.title = self.title if event.title is None else event.title
            self.on_address()
        elif event.event == "detached":
            self.why_left = event.reason if event.reason in FOR_GOOD else ""

    def close(self, error: KaptureError) -> None:
        """The socket has ended."""
        self.closed.set()
        self.outbox.close()
        self.pending.close(error)
        while self._questions:
            self._questions.popitem()[1].fail(error)


def wire_failure(error: WireError) -> KaptureError:
    """What a tab says of a failure. A code that is not ours becomes `EXECUTION_ERROR`."""
    data = dict(error.data or {})
    try:
        code = ErrorCode(error.code)
    except ValueError:
        code = ErrorCode.EXECUTION_ERROR
        data["tabCode"] = error.code[:200]
    message = error.message[:10_000] or "The tab gave no reason."
    return KaptureError(code, message, hint=error.hint[:2_000], data=data)
