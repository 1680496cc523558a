"""Requests of the person's programs to the hub, each on a path of its own: for one answer, or for as long as the
program runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Generic, TypeVar

import attrs
import msgspec
import trio

from kapture.client.connection import ConnectionClosedError, HubConnection
from kapture.client.start import connected
from kapture.errors import ErrorCode, KaptureError
from kapture.wire.failed import Failed

_ANSWER_S = 30.0
_Answer = TypeVar("_Answer")


@attrs.frozen
class HubRequest(Generic[_Answer]):
    """A request that the hub is serving. Made by `open_request`."""

    _connection: HubConnection
    _decoder: msgspec.json.Decoder[_Answer]

    async def next(self) -> _Answer:
        """The hub's next message. Raises the error that it reports, and `ConnectionClosedError` when it is gone."""
        try:
            message = self._decoder.decode(await self._connection.receive())
        except (msgspec.MsgspecError, RecursionError) as error:
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The hub's message cannot be read: {error}.") from error
        if isinstance(message, Failed):
            raise KaptureError(ErrorCode(message.code), message.message, hint=message.hint)
        return message

    async def answer(self) -> _Answer:
        """The hub's first message. `NO_BACKEND` if it sends none in time."""
        try:
            with trio.fail_after(_ANSWER_S):
                return await self.next()
        except (ConnectionClosedError, trio.TooSlowError) as error:
            raise KaptureError(ErrorCode.NO_BACKEND, "The hub did not answer.", hint="Run `kapture doctor`.") from error


@asynccontextmanager
async def open_request(
    home: Path,
    path: str,
    request: msgspec.Struct,
    decoder: msgspec.json.Decoder[_Answer],
    *,
    start: bool = False,
) -> AsyncIterator[HubRequest[_Answer]]:
    """Send the request to the hub; `start`: starting one if none runs. The request ends with the block.

    `decoder`: of all that the hub sends, `Failed` included.
    """
    async with connected(home, start=start, path=path) as connection:
        await connection.send(msgspec.json.encode(request))
        yield HubRequest(connection, decoder)


async def ask(home: Path, path: str, request: msgspec.Struct, decoder: msgspec.json.Decoder[_Answer]) -> _Answer:
    """The hub's one answer to a request. `HubAbsentError` if no hub runs."""
    async with open_request(home, path, request, decoder) as asked:
        return await asked.answer()
