"""Machines of a test's own, made of Linux namespaces: each has its host name, network, processes, and a user `ann` with
an empty home folder. What else is on the disk they share. Root can make them, and nobody else.

The cable between two of them can be as long as one across a continent: it delays the packets themselves, so that all
that TCP and OpenSSH do is real.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import shlex
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs

ROOT = Path(__file__).parents[2]
HOME = Path("/home/ann")
_PROGRAMS = f"{Path(sys.executable).parent}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BEGIN = """
set -e
hostname {name}
mount -t tmpfs -o mode=755 tmpfs /home
mkdir /home/ann
mount --bind {folder}/home /home/ann
mount --bind {folder}/passwd /etc/passwd
mount --bind {folder}/hosts /etc/hosts
ip link set lo up
echo begun
exec cat
"""
_STARTS_S = 60
_NEW_NET = 0x40000000  # CLONE_NEWNET, sched.h
_TUNSETIFF = 0x400454CA  # linux/if_tun.h
_TUN_WITHOUT_HEADER = 0x1001  # IFF_TUN | IFF_NO_PI
_MTU = 1_500


@attrs.frozen
class Machine:
    """A running machine."""

    name: str
    process: subprocess.Popen[str]
    pid: int
    home: Path
    """The home folder, as seen from outside."""
    programs: str
    """The `PATH`."""

    def words(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> list[str]:
        """The command line by which this command runs there."""
        given = {"HOME": str(HOME), "USER": "ann", "PATH": self.programs, **(environment or {})}
        entered = ["nsenter", f"--target={self.pid}", "--mount", "--uts", "--net", "--pid", f"--wdns={HOME}"]
        return [*entered, "env", "-i", *(f"{name}={value}" for name, value in given.items()), *command]

    def run(self, command: str) -> str:
        """Run a shell's command there; its output. `CalledProcessError` if it fails."""
        words = self.words(["sh", "-c", command])
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL).stdout

    @contextmanager
    def running(self, command: str, until: str | None = "") -> Iterator[subprocess.Popen[str]]:
        """A shell's command that runs during the block, once it has printed a line with this in it; None: at once."""
        process = subprocess.Popen(
            self.words(["sh", "-c", command]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        too_long = threading.Timer(_STARTS_S, os.killpg, (process.pid, signal.SIGKILL))
        too_long.start()
        try:
            while until is not None and until not in (line := process.stdout.readline()):
                if not line:
                    raise AssertionError(f"{self.name}: `{command}` ended with {process.wait()}")
            too_long.cancel()
            yield process
        finally:
            too_long.cancel()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # `nsenter`, and what it runs
            process.stdout.read()
            process.wait()


@contextmanager
def machine(
    folder: Path, name: str, hosts: Mapping[str, str], *, network_of: Machine | None = None
) -> Iterator[Machine]:
    """Start one, with these hosts' addresses; end it and all its processes with the block. `network_of`: it has the
    network of that one."""
    folder.mkdir()
    (folder / "home").mkdir(mode=0o700)
    (folder / "passwd").write_text(f"ann:x:0:0::{HOME}:/bin/sh\n{Path('/etc/passwd').read_text()}")
    (folder / "hosts").write_text("".join(f"{at} {host}\n" for host, at in {"localhost": "127.0.0.1", **hosts}.items()))
    unshared = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
    entered = ["nsenter", f"--target={network_of.pid}", "--net"] if network_of else []
    process = subprocess.Popen(
        [*entered, *unshared, *([] if network_of else ["--net"]), "sh", "-c", _BEGIN.format(name=name, folder=folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "begun\n":
            raise AssertionError(f"{name} did not start")
        first = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        yield Machine(name, process, first, folder / "home", f"{folder}/bin:{_PROGRAMS}")
    finally:
        process.kill()
        process.communicate()


@attrs.define(eq=False)
class Cable:
    """Between two machines. `bytes` and `packets` are what it has carried, from the first one and to it."""

    delay_s: float = 0.0
    bytes: list[int] = attrs.field(factory=lambda: [0, 0])
    packets: list[int] = attrs.field(factory=lambda: [0, 0])

    def carry(self, ends: Sequence[int], stop: int) -> None:
        """Carry packets until there is something to read from `stop`."""
        waiting: deque[tuple[float, int, bytes]] = deque()
        poll = select.poll()
        for each in (*ends, stop):
            poll.register(each, select.POLLIN)
        while True:
            wait_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
            for ready, _ in poll.poll(None if wait_s is None else wait_s * 1_000):
                if ready == stop:
                    return
                packet = os.read(ready, 2 * _MTU)
                side = ends.index(ready)
                self.bytes[side] += len(packet)
                self.packets[side] += 1
                waiting.append((time.monotonic() + self.delay_s, ends[1 - side], packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, end, packet = waiting.popleft()
                with suppress(OSError):  # the machine has ended
                    os.write(end, packet)


@contextmanager
def cable(first: Machine, second: Machine, addresses: tuple[str, str]) -> Iterator[Cable]:
    """Connect two machines, which get these addresses, during the block."""
    ends = [_end(one, own, other) for one, own, other in ((first, *addresses), (second, *addresses[::-1]))]
    stopped, stop = os.pipe()
    made = Cable()
    thread = threading.Thread(target=made.carry, args=(ends, stopped))
    thread.start()
    try:
        yield made
    finally:
        os.close(stop)
        thread.join()
        for each in (*ends, stopped):
            os.close(each)


def _end(machine: Machine, own: str, other: str) -> int:
    """One end: a network interface, whose packets are read from and written to the descriptor."""
    opened: list[int] = []

    def enter() -> None:  # a thread may have a network of its own
        with Path(f"/proc/{machine.pid}/ns/net").open() as network:
            if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), _NEW_NET):
                raise OSError(ctypes.get_errno(), "setns")
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        request: Any = struct.pack("16sH22x", b"", _TUN_WITHOUT_HEADER)
        interface = struct.unpack("16sH22x", fcntl.ioctl(end, _TUNSETIFF, request))[0].rstrip(b"\0").decode()
        opened.append(end)
        machine.run(f"ip addr add {own} peer {other} dev {shlex.quote(interface)} && ip link set {interface} up")

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert opened, "there is no /dev/net/tun"
    return opened[0]


_SSHD = """
ListenAddress {address}
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
SetEnv PATH={programs}
"""


@contextmanager
def ssh_server(folder: Path, server: Machine, address: str, client: Machine) -> Iterator[None]:
    """An SSH server at this address, which the client's user knows, and is known to."""
    folder.mkdir(mode=0o700)
    keys = client.home / ".ssh"
    keys.mkdir(mode=0o700)
    for path in (folder / "host", keys / "id_ed25519"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    (folder / "authorized").write_text((keys / "id_ed25519.pub").read_text())
    (keys / "known_hosts").write_text(f"{server.name} {(folder / 'host.pub').read_text()}")
    (folder / "config").write_text(_SSHD.format(address=address, folder=folder, programs=_PROGRAMS))
    Path("/run/sshd").mkdir(exist_ok=True)  # its directory for privilege separation
    with server.running(f"exec $(command -v sshd) -D -e -f {folder}/config 2>&1", until="listening"):
        yield
