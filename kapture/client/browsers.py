"""The client side of `/browsers`: the hub launches a browser, or attaches to one, for as long as this program runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import msgspec

from kapture.client.connection import HubConnection
from kapture.client.start import connected
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.ticket import BROWSERS_PATH
from kapture.wire import browsers as wire

_DECODER: msgspec.json.Decoder[wire.FromHub] = msgspec.json.Decoder(wire.FromHub)


@attrs.frozen
class BrowserRequest:
    """A request that the hub is serving. Made by `open_request`."""

    _connection: HubConnection

    async def next(self) -> wire.Connected | wire.Lost | wire.Kept:
        """The hub's next message. Raises the error that it reports, and `ConnectionClosedError` when it is gone."""
        try:
            message = _DECODER.decode(await self._connection.receive())
        except (msgspec.MsgspecError, RecursionError) as error:
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The hub's message cannot be read: {error}.") from error
        if isinstance(message, wire.Failed):
            raise KaptureError(ErrorCode(message.code), message.message, hint=message.hint)
        return message


@asynccontextmanager
async def open_request(home: Path, request: wire.FromProgram) -> AsyncIterator[BrowserRequest]:
    """Send the request to the hub, starting one if none runs. The request ends with the block."""
    async with connected(home, start=True, path=BROWSERS_PATH) as connection:
        await connection.send(msgspec.json.encode(request))
        yield BrowserRequest(connection)
