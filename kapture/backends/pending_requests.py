"""Requests to a tab that wait for their responses.

No I/O: `kapture.backends.tab_connection` sends the requests and hands in the responses. A request is pending until
its response comes, its caller gives it up, or the socket ends; a response that comes after that is late, and dropped.
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

    `late` counts responses that came when their request was pending no more, `unsolicited` those to requests that
    were never made.
    """

    def __init__(self) -> None:
        self._made = 0
        self._pending: OrderedDict[str, PendingReply] = OrderedDict()
        self._closed: KaptureError | None = None
        self.late = 0
        self.unsolicited = 0

    def __len__(self) -> int:
        """How many are pending."""
        return len(self._pending)

    def begin(self) -> tuple[str, PendingReply]:
        """A new request: its id, and where its response will be. Raises what `close` was given."""
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
        """The caller no longer waits. Whether the request was still pending, and must be cancelled in the tab."""
        return self._pending.pop(request_id, None) is not None

    def take(self, request_id: str) -> PendingReply | None:
        """The response with this id has come: where it belongs, or None if it is late or unsolicited (counted)."""
        if (reply := self._pending.pop(request_id, None)) is not None:
            return reply
        number = _ID.fullmatch(request_id)
        if number is not None and int(number[1]) <= self._made:
            self.late += 1
        else:
            self.unsolicited += 1
        return None

    def fail_all(self, error: KaptureError) -> None:
        """Every pending request fails with this error."""
        while self._pending:
            self._pending.popitem(last=False)[1].fail(error)

    def close(self, error: KaptureError) -> None:
        """The socket has ended: every pending request fails with this error, and so does every later one."""
        self._closed = error
        self.fail_all(error)
