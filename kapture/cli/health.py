"""Checks whether a Kapture hub answers on a port, and whether it is the hub of a data folder."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.pairing import key_file

_KEY_FILE_S = 2
_PROBE_S = 5  # a hub opens its port before it has imported everything it needs to answer


@attrs.frozen
class Health:
    """The public report of a hub. Not verified: a caller that must trust the hub asks for its proof."""

    version: str
    pid: int


async def hub_on(port: int) -> Health | None:
    """The Kapture hub that answers on this port; None if there is none."""
    received = b""
    with trio.move_on_after(_PROBE_S):
        try:
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
                await stream.send_all(request.encode())
                while len(received) < 65_536 and (data := await stream.receive_some(65_536)):
                    received += data
        except (OSError, trio.BrokenResourceError):
            return None
    head, _, body = received.partition(b"\r\n\r\n")
    try:
        health = json.loads(body)
    except ValueError:
        return None
    if not isinstance(health, dict) or not head.startswith(b"HTTP/1.1 200"):
        return None
    version, pid = health.get("kapture"), health.get("pid")
    return Health(version, pid) if isinstance(version, str) and isinstance(pid, int) else None


async def is_of_folder(hub: Health, port: int, home: Path) -> bool:
    """Whether the key file in `home` names this hub. One that has just opened its port has yet to write it."""
    with trio.move_on_after(_KEY_FILE_S):
        while True:
            with suppress(KaptureError):
                known = key_file.read(home)
                if (known.pid, known.port) == (hub.pid, port):
                    return True
            await trio.sleep(_KEY_FILE_S / 50)  # there is no event for a file of another process
    return False


async def is_not_refuted(home: Path) -> bool:
    """Whether the program on the port of the key file in `home` holds the key, or is too busy to prove it."""
    from kapture.client.connection import HubAbsentError
    from kapture.client.start import connected

    try:
        async with connected(home):
            return True
    except (HubAbsentError, Unauthorized):
        return False
    except KaptureError:
        return True


async def check_port(home: Path, port: int) -> None:
    """Raise an error if the hub of this data folder runs on another port than the wanted one; 0 is any port."""
    if port == 0 or not key_file.exists(home):
        return
    try:
        known = key_file.read(home)
    except KaptureError:
        return  # whoever connects reports the problem
    if known.port == port:
        return
    running = await hub_on(known.port)
    if running is not None and running.pid == known.pid and await is_not_refuted(home):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The hub of this data folder runs on port {known.port} already, not on {port}.",
            hint=f"Leave the port out, or stop that hub (process {known.pid}) first.",
            data={"port": known.port},
        )
