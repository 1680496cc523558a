"""A Redis server of a test's own (Debian's package `redis-server`): in a folder of its own, ended by its process id."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from tests.support.stack import free_port

REACH = Path(__file__).parents[2] / "docs" / "REACH.md"
_STARTS_S = 30


@attrs.define
class RedisProcess:
    """One server. `url`: how it is reached; it comes back under the same one, without what it held."""

    folder: Path
    arguments: list[str]
    url: str
    address: str | tuple[str, int]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and return when it accepts connections."""
        program = shutil.which("redis-server")
        assert program is not None, "install redis-server: `./dev test` does"
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [program, "--dir", str(self.folder), "--save", "", "--appendonly", "no", *self.arguments],
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + _STARTS_S
        while True:
            family = socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET
            with socket.socket(family) as attempt:
                if attempt.connect_ex(self.address) == 0:
                    return
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < until, "redis-server does not start"
            time.sleep(0.02)

    def stop(self) -> None:
        """Have it answer nobody."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Have it answer again."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once."""
        self._signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def _signal(self, number: int) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)


@contextmanager
def redis_server(folder: Path, *arguments: str, port: int | None = None, url: str = "") -> Iterator[RedisProcess]:
    """Start a server on a Unix socket in this folder, whose path is short; with `port` on that one too, or on it alone
    if `arguments` give it TLS. `url`: if it is not the socket's."""
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "redis.sock")
    words = ["--unixsocket", path, "--unixsocketperm", "700", "--port", "0", *arguments]
    address: str | tuple[str, int] = path if port is None else ("127.0.0.1", port)
    server = RedisProcess(folder, words, url or f"unix:{path}", address)
    server.start()
    try:
        yield server
    finally:
        assert server.process is not None
        if server.process.poll() is None:
            server.go_on()
            server.kill()


def users(password: str) -> str:
    """The file of the server's users: the one of the page alone, with this password."""
    user = re.search(r"^user kapture on >PASSWORD .*$", REACH.read_text(), re.MULTILINE)
    assert user is not None
    return f"user default off\n{user[0].replace('PASSWORD', password)}\n"


@contextmanager
def redis_over_tls(folder: Path, certificate: Path, key: Path) -> Iterator[RedisProcess]:
    """The same on a TLS port of the loopback address, for the user `kapture` with the password `s3cr3t-of-redis`, who
    may do what docs/REACH.md says that a hub needs."""
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    acl = folder / "users.acl"
    acl.write_text(users("s3cr3t-of-redis"))
    tls = ["--tls-port", str(port), "--tls-cert-file", str(certificate), "--tls-key-file", str(key)]
    more = ["--tls-auth-clients", "no", "--aclfile", str(acl)]
    with redis_server(folder, *tls, *more, port=port, url=f"rediss://kapture@localhost:{port}/0") as server:
        yield server
