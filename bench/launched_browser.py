"""A headless browser of a hub, whose tabs can also be reached directly over CDP."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import attrs

from bench.hub_process import HubProcess, ended_with_block, free_port
from kapture.errors import ErrorCode, KaptureError

_END_S = 15


@attrs.frozen
class LaunchedBrowser:
    """Its debugging port, and the tabId of its tab."""

    port: int
    tab_id: str


@contextmanager
def launched_browser(hub: HubProcess, options: Sequence[str] = ()) -> Iterator[LaunchedBrowser]:
    """Run `kapture launch` with these options during the block; `LAUNCH_FAILED` if no tab connects."""
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
    with process, ended_with_block(process, _END_S):
        line = process.stdout.readline() if process.stdout is not None else ""
        if not line:
            process.wait()
            raise KaptureError(
                ErrorCode.LAUNCH_FAILED,
                f"The browser could not be started: {log.read_text(errors='replace').strip()[-500:]}",
            )
        yield LaunchedBrowser(port, json.loads(line)["tabId"])
