"""Leaves out console entries for a script that reads slowly.

A page may log faster than a script reads. Other events cannot be left out: a script that misses one is wrong about the
page, so one that does not keep up with those is disconnected. A console with gaps is still a console.
"""

from __future__ import annotations

import time

from kapture.backends.event_limit import CONSOLE_EVENTS
from kapture.endpoints.cdp.messages import Replies

_BEGINS_BELOW = 7 / 8
_ENDS_ABOVE = 31 / 32
"""The room for more messages below which a gap begins, and above which it ends."""
_TEXT = "Console entries are left out from here on, because this script reads its messages too slowly."


class ConsoleGaps:
    """Those in the console of one tab, with its frames and workers, as the script's session `session_id` shows it.

    Each begins with an entry that says so, on a session that has enabled `Log`.
    """

    def __init__(self, session_id: str, replies: Replies) -> None:
        self._session_id = session_id
        self._replies = replies
        self._open = False
        self._with_log: set[str] = set()

    def sent(self, method: str, session_id: str) -> None:
        """Note a command of the script."""
        if method == "Log.enable":
            self._with_log.add(session_id)
        elif method == "Log.disable":
            self._with_log.discard(session_id)

    def leaves_out(self, method: str, session_id: str) -> bool:
        """Whether an event is not to be sent."""
        if method not in CONSOLE_EVENTS:
            return False
        room = self._replies.room
        if self._open:
            self._open = room <= _ENDS_ABOVE
        elif room < _BEGINS_BELOW:
            self._open = True
            for shown in (session_id, self._session_id):
                if shown in self._with_log:
                    entry = {"source": "other", "level": "warning", "text": _TEXT, "timestamp": time.time() * 1_000}
                    self._replies.event("Log.entryAdded", {"entry": entry}, shown)
                    break
        return self._open
