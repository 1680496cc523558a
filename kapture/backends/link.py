"""One registered tab's socket, as the commands see it: questions out, answers and events in.

What differs between tabs that carry CDP (`extension`) and tabs that execute commands themselves (`remote`) is in
those modules; this is what they share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import trio
from msgspec import UNSET

from kapture.backends.outbox import Outbox
from kapture.backends.pending_requests import PendingRequests
from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import messages
from kapture.wire.codec import encode

if TYPE_CHECKING:
    from kapture.page.read_gate import ReadGate


class Link:
    """The hub's end of a registered tab's socket."""

    executes_itself: ClassVar[bool] = False

    def __init__(self, register: messages.Register, outbox: Outbox) -> None:
        self.tab_id = register.tab_id
        self.register = register
        self.browser = register.browser or messages.Browser()
        self.outbox = outbox
        self.pending = PendingRequests()
        self.url = register.url
        self.title = register.title
        self.heard_at = trio.current_time()
        self.ended = trio.Event()
        self.closing = False  # a command closes the tab: the end of the socket is no failure
        self.on_blocked: Callable[[KaptureError], None] = lambda _: None
        self.on_place: Callable[[], None] = lambda: None
        self.on_console: Callable[[], None] = lambda: None
        self.on_detached: Callable[[KaptureError], None] = lambda _: None
        self._leaving = False
        self._asked = 0
        self._questions: dict[str, PendingReply] = {}

    @property
    def blocked(self) -> KaptureError | None:
        """`DIALOG_OPEN` while a dialog keeps the page from doing anything."""
        return None

    @property
    def left(self) -> bool:
        """Whether the tab has said that it goes for good."""
        return self._leaving or self.closing

    def send(self, message: messages.FromHub) -> None:
        """Send after what was sent before; `QUEUE_FULL` when too much waits."""
        self.outbox.put(encode(message))

    def tell(self, message: messages.FromHub) -> None:
        """Send what may be left out when the tab is slow."""
        self.outbox.offer(encode(message))

    def ask(
        self,
        command: str,
        params: Mapping[str, Any],
        timeout_ms: float | None = None,
        reply: PendingReply | None = None,
    ) -> tuple[str, PendingReply]:
        """Send a command; its id, and where the answer will be."""
        key, reply = self.pending.begin(reply)
        try:
            self.send(
                messages.Command(
                    id=key,
                    command=command,
                    params=dict(params),
                    timeout_ms=UNSET if timeout_ms is None else timeout_ms,
                )
            )
        except KaptureError:
            self.pending.abandon(key)
            raise
        return key, reply

    async def request(self, command: str, params: Mapping[str, Any], timeout_ms: float | None = None) -> Any:
        """Send a command and wait for its result. When the caller is cancelled the tab is told to cancel."""
        key, reply = self.ask(command, params, timeout_ms)
        try:
            return await reply.wait()
        finally:
            if self.pending.abandon(key):
                self.tell(messages.Cancel(id=key))

    @property
    def can_ask(self) -> bool:
        """Whether the tab can put a question to its person."""
        return "approve" in self.register.capabilities

    def question(self) -> tuple[str, PendingReply]:
        """A new question to the person: its id, and where the decision will be."""
        self._asked += 1
        key, reply = f"q{self._asked}", PendingReply()
        self._questions[key] = reply
        return key, reply

    def forget_question(self, key: str) -> None:
        """Nobody waits for this decision any more."""
        self._questions.pop(key, None)

    def take_approval(self, approval: messages.Approval) -> None:
        """The person has decided. A decision on a question that is settled means nothing."""
        if (reply := self._questions.pop(approval.id, None)) is not None:
            reply.resolve({"decision": approval.decision})

    def child_opened(self, tab_id: str) -> None:
        """A tab that this one opened has connected."""

    def take_response(self, response: messages.Response) -> None:
        """An answer has come."""
        reply = self.pending.take(response.id)
        if reply is None:
            return
        if response.success:
            reply.resolve(response.result)
        else:
            reply.fail(self.failure(response.error or messages.WireError(), reply))

    def take_broken_response(self, key: str, error: KaptureError) -> None:
        """An answer has come that cannot be read."""
        reply = self.pending.take(key)
        if reply is not None:
            reply.fail(error)

    def failure(self, told: messages.WireError, reply: PendingReply) -> KaptureError:
        """The error of a failed command."""
        return wire_failure(told)

    def take_event(self, event: messages.Event) -> None:
        """An event of the tab that concerns this kind of link."""
        if event.event == "tab":
            self.url = self.url if event.url is None else event.url
            self.title = self.title if event.title is None else event.title
            self.on_place()
        elif event.event == "detached":
            self._leaving = event.reason in ("disconnected", "canceled_by_user", "target_closed")

    async def serve(self, gate: ReadGate) -> None:
        """Do what this kind of link has to do in the background, until cancelled.

        `gate` decides what the hub may read of the tab's documents; a tab that executes commands itself has none here.
        """
        await trio.sleep_forever()

    def close(self, error: KaptureError) -> None:
        """The socket has ended."""
        self.ended.set()
        self.outbox.close()
        self.pending.close(error)
        while self._questions:
            self._questions.popitem()[1].fail(error)


def wire_failure(told: messages.WireError) -> KaptureError:
    """What a tab says of a failure. A code that is not ours becomes `EXECUTION_ERROR`."""
    data = dict(told.data or {})
    try:
        code = ErrorCode(told.code)
    except ValueError:
        code = ErrorCode.EXECUTION_ERROR
        data["tabCode"] = told.code[:200]
    message = told.message[:10_000] or "The tab gave no reason."
    return KaptureError(code, message, hint=told.hint[:2_000], data=data)
