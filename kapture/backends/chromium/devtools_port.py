"""The debugging port that Chromium chose itself (`--remote-debugging-port=0`), for platforms without a pipe."""

from __future__ import annotations

from pathlib import Path

import trio

from kapture.backends.chromium.endpoint import Endpoint
from kapture.backends.chromium.profile import PORT_FILE
from kapture.errors import ErrorCode, KaptureError

_STARTS_S = 30
_LOOK_AGAIN_S = 0.05


async def port_endpoint(profile: Path) -> Endpoint:
    """The endpoint that the browser has written into this profile; `LAUNCH_FAILED` if it writes none in time."""
    file = profile / PORT_FILE
    with trio.move_on_after(_STARTS_S):
        while True:
            if file.exists() and len(lines := file.read_text().splitlines()) > 1:
                return Endpoint(f"ws://127.0.0.1:{int(lines[0])}{lines[1]}")
            await trio.sleep(_LOOK_AGAIN_S)  # a file has no event
    raise KaptureError(ErrorCode.LAUNCH_FAILED, f"The browser did not open its port within {_STARTS_S} s.")
