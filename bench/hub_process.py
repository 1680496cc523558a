"""A hub in a process of its own, with its own data folder and port, and its resource use."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import key_file

_STARTED_S = 0.02
_END_S = 10
KAPTURE = (sys.executable, "-m", "kapture")
"""The `kapture` command of this installation."""


@attrs.frozen
class HubProcess:
    """A running hub. Its resource use is known on Linux only.

    `kapture` is the command that it was started with, in the folder `cwd` (None: the current one).
    """

    home: Path
    port: int
    process: subprocess.Popen[bytes]
    kapture: Sequence[str] = KAPTURE
    cwd: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its clients."""
        return environment_of(self.home, self.port)

    @property
    def token(self) -> str:
        """The client token."""
        return key_file.read(self.home).clientToken

    @property
    def key(self) -> str:
        """The key that tabs of persons prove."""
        return key_file.read(self.home).key

    def cpu_s(self) -> float | None:
        """Processor time that it has used, in seconds."""
        return cpu_s(self.process.pid)

    def resident_bytes(self) -> int | None:
        """Its resident memory in bytes."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except OSError:
            return None
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


def cpu_s(pid: int) -> float | None:
    """Processor time that a process has used, in seconds; known on Linux only."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def environment_of(home: Path, port: int) -> dict[str, str]:
    """The environment for processes of one hub: without the person's own settings, and with Python's compiled files,
    which installed programs have too."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name == "KAPTURE_BROWSER" or (not name.startswith("KAPTURE_") and name != "PYTHONDONTWRITEBYTECODE")
    }
    return {**kept, "KAPTURE_HOME": str(home), "KAPTURE_PORT": str(port)}


@contextmanager
def running_hub(*arguments: str, kapture: Sequence[str] = KAPTURE, cwd: Path | None = None) -> Iterator[HubProcess]:
    """Run `kapture serve` with these arguments during the block; `NO_BACKEND` if it does not start."""
    with (
        tempfile.TemporaryDirectory(prefix="kapture-bench-") as folder,
        started_hub(Path(folder), free_port(), arguments, kapture=kapture, cwd=cwd) as hub,
    ):
        yield hub


@contextmanager
def started_hub(
    home: Path,
    port: int,
    arguments: Sequence[str] = (),
    *,
    kapture: Sequence[str] = KAPTURE,
    cwd: Path | None = None,
) -> Iterator[HubProcess]:
    """As `running_hub`, with this data folder and port."""
    (home / key_file.FILE_NAME).unlink(missing_ok=True)
    log = home / "hub.log"
    with log.open("ab") as stderr:
        process = subprocess.Popen(
            [*kapture, "serve", "--idle-exit", "0", *arguments],
            cwd=cwd,
            env=environment_of(home, port),
            stdin=subprocess.DEVNULL,
            stdout=stderr,
            stderr=stderr,
        )
    with ended_with_block(process, _END_S):
        while not (home / key_file.FILE_NAME).exists():  # there is no event for a new file
            try:
                process.wait(_STARTED_S)
            except subprocess.TimeoutExpired:
                continue
            raise KaptureError(ErrorCode.NO_BACKEND, f"The hub did not start: {log.read_text().strip()[-500:]}")
        yield HubProcess(home, port, process, kapture, cwd)


@contextmanager
def ended_with_block(process: subprocess.Popen[bytes] | subprocess.Popen[str], leaves_s: float) -> Iterator[None]:
    """End a process with the block: by a signal, and by force after `leaves_s`."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(leaves_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port that nobody is listening on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
