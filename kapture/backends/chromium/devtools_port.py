"""The debugging socket of a browser that was started here: its pipe, or on platforms without one the port that Chromium
chose itself (`--remote-debugging-port=0`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from kapture.backends.chromium.endpoint import Endpoint
from kapture.backends.chromium.process import BrowserProcess
from kapture.backends.chromium.profile import PORT_FILE
from kapture.backends.outbox import Socket
from kapture.errors import ErrorCode, KaptureError

_STARTS_S = 30
_LOOK_AGAIN_S = 0.05


@asynccontextmanager
async def debugging_socket(process: BrowserProcess) -> AsyncIterator[Socket]:
    """Where this browser takes commands of the DevTools protocol; `LAUNCH_FAILED` if it opens no port."""
    if process.socket is not None:
        yield process.socket
    else:
        async with (await port_endpoint(process.profile)).connected() as socket:
            yield socket


async def port_endpoint(profile: Path) -> Endpoint:
    """The endpoint that the browser has written into this profile; `LAUNCH_FAILED` if it writes none in time."""
    file = profile / PORT_FILE
    with trio.move_on_after(_STARTS_S):
        while True:
            if file.exists() and len(lines := file.read_text().splitlines()) > 1:
                return Endpoint(f"ws://127.0.0.1:{int(lines[0])}{lines[1]}")
            await trio.sleep(_LOOK_AGAIN_S)  # a file has no event
    raise KaptureError(ErrorCode.LAUNCH_FAILED, f"The browser did not open its port within {_STARTS_S} s.")
