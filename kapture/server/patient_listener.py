"""A listener that stays usable when the system has no room for another connection."""

from __future__ import annotations

import errno
import logging
import os

import trio

logger = logging.getLogger(__name__)

_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_AGAIN_AFTER_S = 0.1
_LOG_EACH_S = 10.0


class PatientListener(trio.abc.Listener[trio.SocketStream]):
    """Tries again, and says so now and then in one line, where Trio would log a traceback each time."""

    def __init__(self, listener: trio.abc.Listener[trio.SocketStream]) -> None:
        self._listener = listener
        self._log_from = trio.current_time()

    async def accept(self) -> trio.SocketStream:
        """Accept a connection, as soon as there is room for one."""
        while True:
            try:
                return await self._listener.accept()
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
                self._log(error.errno)
            await trio.sleep(_AGAIN_AFTER_S)  # there is no event for room

    def _log(self, number: int) -> None:
        if (now := trio.current_time()) >= self._log_from:
            self._log_from = now + _LOG_EACH_S
            logger.error("No room for another connection: %s. Raise `ulimit -n`, or close some.", os.strerror(number))

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()
