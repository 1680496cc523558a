"""Requests to a tab that wait for their responses.

No I/O: `kapture.backends.tab_connection` sends the requests and passes the responses in. A request is pending until
its response comes, its caller abandons it, or the socket ends; a response that comes later is late, and dropped.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable

import trio

from kapture.backends.outbox import Outbox
from kapture.cdp import PendingReply
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.wire.codec import encode
from kapture.wire.panel_messages import Activity, EndedCommand, RunningCommand

MAX_PENDING = 4096
_ID = re.compile(r"c([1-9][0-9]{0,17})")


class PendingRequests:
    """The pending requests of one socket.

    `late` counts responses to requests that were no longer pending, `unsolicited` those to requests that were never
    made.
    """

    def __init__(self) -> None:
        self._made = 0
        self._pending: OrderedDict[str, PendingReply] = OrderedDict()
        self._closed: KaptureError | None = None
        self.late = 0
        self.unsolicited = 0

    def __len__(self) -> int:
        """The number of pending requests."""
        return len(self._pending)

    def begin(self) -> tuple[str, PendingReply]:
        """Add a request; returns its id and the reply to wait for. Raises the error given to `close`."""
        if self._closed is not None:
            raise self._closed
        self._made += 1
        request_id = f"c{self._made}"
        reply = self._pending[request_id] = PendingReply()
        if len(self._pending) > MAX_PENDING:
            _, oldest = self._pending.popitem(last=False)
            oldest.fail(
                KaptureError(
                    ErrorCode.COMMAND_TIMEOUT, f"The tab answered neither this nor {MAX_PENDING} later requests."
                )
            )
        return request_id, reply

    def abandon(self, request_id: str) -> bool:
        """Stop waiting. Returns whether the request was pending, and so must be cancelled in the tab."""
        return self._pending.pop(request_id, None) is not None

    def take(self, request_id: str) -> PendingReply | None:
        """The reply that a response with this id settles; None if the response is late or unsolicited, which is
        counted."""
        if (reply := self._pending.pop(request_id, None)) is not None:
            return reply
        number = _ID.fullmatch(request_id)
        if number is not None and int(number[1]) <= self._made:
            self.late += 1
        else:
            self.unsolicited += 1
        return None

    def fail_all(self, error: KaptureError) -> None:
        """Fail every pending request with this error."""
        while self._pending:
            self._pending.popitem(last=False)[1].fail(error)

    def close(self, error: KaptureError) -> None:
        """Fail every pending and every later request with this error, because the socket has ended."""
        self._closed = error
        self.fail_all(error)


# Batches the commands that have ended on a tab, and those that run, for its panel: a quick sequence is few messages.
#
# All tabs of a hub share one task and one timer: with a task for each, a command took a tenth more function calls.

GATHER_MS = 100
_SHOWN = 100  # the panel keeps no more


class EndedCommands:
    """The commands that have ended on one tab and have not been sent to its panel yet, and those that run.

    `schedule` is called with it when a new batch begins: `EndedBatches.add` of the tab's hub.
    """

    def __init__(self, outbox: Outbox) -> None:
        self.schedule: Callable[[EndedCommands], None] = lambda _: None
        self._outbox = outbox
        self._waiting: deque[EndedCommand] = deque(maxlen=_SHOWN)
        self._running: dict[str, RunningCommand] = {}  # by the name of the call
        self._sent: list[RunningCommand] = []
        self._scheduled = False

    def add(self, ended: EndedCommand, *, at_once: bool) -> None:
        """Send it soon, or now. If the tab reads too slowly, some are dropped."""
        self._running.pop(ended.call, None)
        self._waiting.append(ended)
        if at_once:
            self.send()
        else:
            self._send_soon()

    def begun(self, call: str, command: RunningCommand) -> None:
        """Note that a command runs; a step stands for the whole call. One that ends at once is never shown."""
        self._running[call] = command
        self._send_soon()

    def _send_soon(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self.schedule(self)

    def send(self) -> None:
        """Send the current batch now."""
        self._scheduled = False
        running = list(self._running.values())[:_SHOWN]
        if self._waiting or running != self._sent:
            self._outbox.offer(encode(Activity(entries=list(self._waiting), running=running)))
            self._waiting.clear()
            self._sent = running


class EndedBatches:
    """Sends the batches of all tabs of one hub, each at most `GATHER_MS` after its first command has ended."""

    def __init__(self) -> None:
        self._due: list[EndedCommands] = []
        self._added = Changed()

    def add(self, ended: EndedCommands) -> None:
        """Send this tab's batch soon."""
        self._due.append(ended)
        self._added.notify()

    async def run(self) -> None:
        """Send batches until cancelled."""
        while True:
            while not self._due:
                await self._added.wait()
            await trio.sleep(GATHER_MS / 1_000)
            due, self._due = self._due, []
            for ended in due:
                ended.send()
