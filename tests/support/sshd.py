"""An SSH server of a test's own: on loopback, with its own keys, for the user that runs the tests."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from tests.support.stack import free_port

_CONFIG = """
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
"""


@attrs.frozen
class SshServer:
    """How to reach it: the destination, and options of `ssh`."""

    destination: str
    options: list[str]
    process: subprocess.Popen[bytes]

    def end_sessions(self) -> None:
        """End every connection: the server itself goes on."""
        self._signal("KILL")

    def stall_sessions(self) -> None:
        """Let nothing come from any connection, nor its end, as a network that is gone."""
        self._signal("STOP")

    def _signal(self, name: str) -> None:
        subprocess.run(["pkill", f"-{name}", "-P", str(self.process.pid)], check=False)


@contextmanager
def ssh_server(folder: Path) -> Iterator[SshServer]:
    """Start one, and end it with the block."""
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    assert program is not None, "install openssh-server: `./dev setup` does"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    port = free_port()
    (folder / "config").write_text(_CONFIG.format(port=port, folder=folder))
    host = (folder / "host.pub").read_text().rsplit(" ", 1)[0]
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host}\n")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # its directory for privilege separation
    process = subprocess.Popen([program, "-D", "-f", str(folder / "config"), "-E", str(folder / "log")])
    options = [f"Port={port}", f"IdentityFile={folder}/user", f"UserKnownHostsFile={folder}/known", "BatchMode=yes"]
    server = SshServer(f"{getpass.getuser()}@127.0.0.1", [word for each in options for word in ("-o", each)], process)
    try:
        yield server
    finally:
        server.end_sessions()  # those that are stalled would stay
        process.terminate()
        process.wait()
