"""A snapshot at the end of an action, taken with the action's last call instead of by a call of its own.

The agent takes it if the action has left nothing to wait for. It counts only if the hub, which sees what the browser
reports (requests, navigations, dialogs), had nothing to wait for either, and has sent the tab nothing since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

from kapture.page.documents.execution_context import ExecutionContext


@attrs.define(eq=False)
class Look:
    """A snapshot of the frame with this CDP id. `args`: those of the agent's function `snapshot`."""

    frame_id: str
    args: Mapping[str, Any]
    taken: msgspec.Raw | None = None
    """The function's value."""
    _context: ExecutionContext | None = None
    _sent: int = 0

    def take(self, value: msgspec.Raw, context: ExecutionContext) -> None:
        """Keep the snapshot that came with an answer from this document."""
        self.taken = value
        self._context = context
        self._sent = context.session.connection.sent

    def drop(self) -> None:
        """The action was not over yet."""
        self.taken = None

    def shows(self, context: ExecutionContext | None, args: Mapping[str, Any]) -> bool:
        """Whether there is a snapshot of this document with these arguments, and nothing was sent to the tab since."""
        if self.taken is None or context is None or context is not self._context or args != self.args:
            return False
        return context.session.connection.sent == self._sent
