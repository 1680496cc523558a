"""The open connections of the port, bounded.

A connection is unproven until its other end has shown the key or the client token. Unproven connections have a small
budget of their own, in which a new one replaces the oldest, and end when they are idle: so no number of them can keep
out a client that can prove itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import trio

from kapture.errors import ErrorCode, KaptureError
from kapture.settings import Limits, at_limit

_LAST_WORDS_S = 1
_OTHER_FILES = 256
"""Reserved for logs, keys, browsers that the hub has started, libraries."""


class TooManyConnectionsError(KaptureError):
    """The other end may use the hub, but the hub has reached its limit of connections."""


class Connection:
    """One connection. Cancelling its scope ends it."""

    def __init__(self, connections: Connections, limits: Limits) -> None:
        self.scope = trio.CancelScope()
        self._proof = trio.Event()
        self._connections = connections
        self._idle_s = limits.unproven_idle_ms / 1_000
        self._most_unproven_bytes = limits.head_bytes + 2 * limits.unproven_message_bytes
        self._serving = 0

    @property
    def proven(self) -> bool:
        """Whether its other end has shown the key or the client token."""
        return self._proof.is_set()

    @property
    def idle(self) -> bool:
        """Whether neither a request nor a WebSocket is being served."""
        return self._serving == 0

    def prove(self) -> None:
        """Mark it as proven. `TooManyConnectionsError`: the caller has a second to send the refusal."""
        if not self.proven:
            self._connections.admit(self)
            self._proof.set()
            self.scope.deadline = math.inf

    async def may_receive(self, received_bytes: int) -> None:
        """Return when more may be received than so much: at once, unless it is unproven and has sent more than a proof
        needs. A message is checked when it is complete; what an unproven one may fill memory with is bounded here."""
        if received_bytes >= self._most_unproven_bytes:
            await self._proof.wait()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Mark the connection as busy with a request or a WebSocket in this block."""
        self._serving += 1
        self.scope.deadline = math.inf
        try:
            yield
        finally:
            self._serving -= 1
            if self.idle and not self.proven:
                self.scope.deadline = trio.current_time() + self._idle_s


_current: ContextVar[Connection] = ContextVar("kapture_connection")


def current_connection() -> Connection:
    """The connection that the running task serves."""
    return _current.get()


class Connections:
    """Every open connection of one port."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._unproven: dict[Connection, None] = {}  # in the order of their beginning
        self._proven: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._unproven) + len(self._proven)

    @contextmanager
    def open(self) -> Iterator[Connection]:
        """A new connection for the duration of the block. If there are too many, it replaces the oldest unproven
        one."""
        if len(self._unproven) >= self._limits.unproven_connections:
            self._close(next(iter(self._unproven)))
        connection = Connection(self, self._limits)
        self._unproven[connection] = None
        token = _current.set(connection)
        try:
            with connection.scope:
                yield connection
        finally:
            _current.reset(token)
            self._unproven.pop(connection, None)
            self._proven.pop(connection, None)

    def admit(self, connection: Connection) -> None:
        """Count a connection as proven. The longest idle one is closed to make room, else `TooManyConnectionsError`."""
        if connection not in self._unproven:
            return  # it was replaced, and is being closed
        if len(self._proven) >= self._limits.connections:
            idle = next((known for known in self._proven if known.idle), None)
            if idle is None:
                connection.scope.deadline = trio.current_time() + _LAST_WORDS_S
                message, hint = at_limit("connections", "max_connections", self._limits.connections)
                raise TooManyConnectionsError(ErrorCode.QUEUE_FULL, message, hint=hint)
            self._close(idle)
        del self._unproven[connection]
        self._proven[connection] = None

    def close_all(self) -> None:
        """End every connection."""
        for connection in (*self._unproven, *self._proven):
            self._close(connection)

    def _close(self, connection: Connection) -> None:
        self._unproven.pop(connection, None)
        self._proven.pop(connection, None)
        connection.scope.cancel()


def allow_open_files(limits: Limits) -> int | None:
    """Raise this process's limit of open files to what the connections need; return how many connections fit, if fewer
    do."""
    if sys.platform == "win32":
        return None  # no such limit on this platform
    import resource

    wanted = limits.connections + limits.unproven_connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return None
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return None if allowed >= wanted else max(0, allowed - limits.unproven_connections - _OTHER_FILES)
