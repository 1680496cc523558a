"""Requests to a tab that wait for their responses.

No I/O: `kapture.backends.tab_connection` sends the requests and passes the responses in. A request is pending until
its response comes, its caller abandons it, or the socket ends; a response that comes later is late, and dropped.
"""

from __future__ import annotations

import re
from collections import OrderedDict

from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError

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
