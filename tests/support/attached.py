"""`kapture attach` in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs

from tests.support.forked import ForkedProcess, fork_kapture
from tests.support.stack import HubProcess


@attrs.frozen
class Attached:
    process: ForkedProcess
    rows: list[dict[str, Any]]


@contextmanager
def attach(hub: HubProcess, endpoint: str, arguments: Sequence[str] = (), **environment: str) -> Iterator[Attached]:
    """`kapture attach` in a process of its own, and the rows of the tabs that it first connected."""
    with TemporaryDirectory() as kept:
        log = Path(kept) / "stderr"
        log.touch()
        process = fork_kapture(["attach", "--json", *arguments, endpoint], {**hub.environment, **environment}, log)
        try:
            first = _first_line(process, log)
            yield Attached(process, [json.loads(process.stdout.readline()) for _ in json.loads(first)["attached"]])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            process.stdout.close()


def _first_line(process: ForkedProcess, log: Path) -> str:
    while "\n" not in (said := log.read_text()):
        assert process.poll() is None, said
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
    first = said.partition("\n")[0]
    assert first.startswith("{"), said
    return first
