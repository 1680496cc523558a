"""A headless browser of a hub, whose tabs can be reached over CDP beside the hub as well."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.measure.hub_process import HubProcess, free_port

_END_S = 15


@attrs.frozen
class LaunchedBrowser:
    """Its debugging port, and the id that the hub knows its tab by."""

    port: int
    tab_id: str


@contextmanager
def launched_browser(hub: HubProcess, options: Sequence[str] = ()) -> Iterator[LaunchedBrowser]:
    """`kapture launch` with these options, until the end of the block; `LAUNCH_FAILED` when no tab connects."""
    port = free_port()
    flags = ["about:blank", "--", f"--remote-debugging-port={port}"]
    log = hub.home / "launch.log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [*hub.kapture, "launch", "--headless", "--json", *options, *flags],
            cwd=hub.cwd,
            env=hub.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    with process:
        try:
            line = process.stdout.readline() if process.stdout is not None else ""
            if not line:
                process.wait()
                raise KaptureError(
                    ErrorCode.LAUNCH_FAILED,
                    f"The browser could not be started: {log.read_text(errors='replace').strip()[-500:]}",
                )
            yield LaunchedBrowser(port, json.loads(line)["tabId"])
        finally:
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
