"""Sharing this machine's hub, and connecting to one that is shared, over the system's `ssh`.

One process of `ssh` is one connection: it runs a shell script there, which says in what folder the socket is to be, and
waits for its standard input to end. Sockets are forwarded through its control socket (ssh(1), `-O forward`), so that
nobody is asked for a password twice. Its configuration, agent, jump hosts and known hosts are used as they are.

Limit: OpenSSH for Windows has no control sockets; there it works from WSL.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import NoReturn

import attrs
import msgspec
import trio

from kapture.client.connection import ConnectionClosedError
from kapture.client.requests import HubRequest, open_request
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import key_file
from kapture.pairing.ticket import SHARE_PATH
from kapture.policy.shown import escaped
from kapture.wire import share as wire

_KEEP_ALIVE = ("ServerAliveInterval=15", "ServerAliveCountMax=3", "ConnectTimeout=15")
_OURS = ("ControlPersist=no", "RemoteCommand=none", "ClearAllForwardings=yes")
_BEGIN_S = 180.0
"""For a connection, passwords included, which a server takes for 120 s (sshd_config, LoginGraceTime)."""
_END_S = 5.0
ENDED = "ended"
"""What `kapture share pipe` prints when the person has ended the share."""
_LONGEST_LINE = 16_384
_FOLDER = re.compile(r"/[\w./ +@=,-]*")
_SOCKET = re.compile(r"hub-[0-9]+\.sock")

_HOME = """
umask 077
home=%(home)s
[ -n "$home" ] || home=${KAPTURE_HOME:-}
if [ -z "$home" ]; then
    if [ "$(uname)" = Darwin ]; then home="$HOME/Library/Application Support/kapture"
    else home=${XDG_DATA_HOME:-$HOME/.local/share}/kapture; fi
fi
PATH=$PATH:$HOME/.local/bin
"""
"""The data folder there. Run by any POSIX shell, as what follows it."""

# Each connection has a socket of its own name, so that one that ends late, after it was
# lost, takes nothing from the next.
_RECEIVE = """
folder=$home/remote/%(name)s
mkdir -p "$folder" && chmod 700 "$home" "$home/remote" "$folder" || exit 1
socket=hub-$$.sock
leave() {
    rm -f "$folder/$socket"
    if grep -q "$socket" "$folder/hub.json" 2>/dev/null; then rm -f "$folder/hub.json"; fi
}
trap leave EXIT
trap 'exit 1' HUP TERM INT
rm -f "$folder"/hub*.sock
kapture=$(command -v kapture) || { kapture=$home/venv/bin/kapture; [ -x "$kapture" ] || kapture=; }
printf '%%s\\n%%s\\n%%s\\n' "$kapture" "$folder" "$socket"
IFS= read -r content || exit 1
printf '%%s' "$content" >"$folder/hub.json.new" && mv "$folder/hub.json.new" "$folder/hub.json" || exit 1
echo ready
cat >/dev/null
"""


_INSTALL = """
venv=$home/venv
mkdir -p "$home" && chmod 700 "$home" || exit 1
[ "$(cat "$venv/wheel.sha256" 2>/dev/null)" != %(sha256)s ] || exit 0
python=
for name in python3 python3.15 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$name; break; fi
done
[ -n "$python" ] || { echo "There is no Python 3.11 or later there." >&2; exit 1; }
trap 'rm -f "$home/"%(wheel)s' EXIT
cat >"$home/"%(wheel)s || exit 1
"$python" -m venv "$venv" || { echo "Python's venv is missing there (on Debian: python3-venv)." >&2; exit 1; }
for how in "" "--force-reinstall --no-deps"; do
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check $how "$home/"%(wheel)s || exit 1
done
echo %(sha256)s >"$venv/wheel.sha256"
"""


class SshError(Exception):
    """The connection could not be made, or was lost. `ssh` has told the person why, on its standard error."""


@asynccontextmanager
async def open_share(home: Path, share: wire.Share) -> AsyncIterator[wire.Shared]:
    """Have the hub share itself, starting it if none runs, to the end of the block.

    Raises `CANCELLED` when the person ends the share, and `NO_BACKEND` when the hub ends.
    """
    async with (
        open_request(home, SHARE_PATH, share, wire.FROM_HUB, start=True) as asked,
        trio.open_nursery() as nursery,
    ):
        shared = await asked.answer()
        nursery.start_soon(_until_ended, asked)
        yield shared
        nursery.cancel_scope.cancel()


async def _until_ended(asked: HubRequest[wire.Shared]) -> NoReturn:
    try:
        while True:
            await asked.next()
    except ConnectionClosedError as error:
        problem = "The hub has ended, or has a new key."
        raise KaptureError(ErrorCode.NO_BACKEND, problem, hint="Share it again.") from error


@attrs.frozen(kw_only=True)
class Destination:
    """Where `ssh` connects to, as in its own command line, and further options of it."""

    name: str
    options: Sequence[str] = ()
    program: str = "ssh"

    def command(self, *more: str) -> list[str]:
        """The command line. `ssh` takes the first of each option."""
        options = [word for option in (*self.options, *_KEEP_ALIVE) for word in ("-o", option)]
        return [self.program, *options, *more]


@attrs.frozen
class Ssh:
    """One connection. `lines` are what its script prints."""

    process: trio.Process
    _destination: Destination
    _control: Path
    _lines: LineReader

    async def line(self) -> str:
        """The next line that the script prints; `SshError` if it ends."""
        return await self._lines.next()

    async def until_lost(self) -> NoReturn:
        """Wait until the connection ends: `SshError`; or the share, by the hub that is there: `CANCELLED`."""
        while await self.line() != ENDED:
            pass
        raise KaptureError(ErrorCode.CANCELLED, "The share was ended at the browser, or opened again by another.")

    async def say(self, line: bytes) -> None:
        """Give the script a line."""
        assert self.process.stdin is not None  # noqa: S101  a pipe
        try:
            await self.process.stdin.send_all(line + b"\n")
        except trio.BrokenResourceError as error:
            raise SshError from error

    async def run(self, command: str, given: bytes) -> bool:
        """Run another command over the connection, with this on its standard input; whether it succeeded. The person
        sees what it prints."""
        words = ["-S", str(self._control), "-T", "-o", "RemoteCommand=none", "--", self._destination.name, command]
        return (await trio.run_process(self._destination.command(*words), stdin=given, check=False)).returncode == 0

    async def forward(self, direction: str, socket: str) -> None:
        """Forward a socket, as ssh(1) has it: `-L` or `-R`, and an address."""
        words = ["-S", str(self._control), "-O", "forward", "-o", "ExitOnForwardFailure=yes", direction, socket]
        done = await trio.run_process(self._destination.command(*words, "--", self._destination.name), check=False)
        if done.returncode != 0:
            raise SshError


@attrs.frozen(kw_only=True)
class There:
    """The paths of `kapture` on the other machine: of the one that is installed ("": none), and where `install` puts
    it."""

    kapture: str = ""
    own: str = ""


class LineReader:
    """Lines of a stream, of a bounded length."""

    def __init__(self, stream: trio.abc.ReceiveStream) -> None:
        self._stream = stream
        self._read = b""

    async def next(self) -> str:
        """The next line; `SshError` at the stream's end, or if it is too long."""
        while b"\n" not in self._read:
            more = await self._stream.receive_some(4096)
            if not more or len(self._read) > _LONGEST_LINE:
                raise SshError
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")


@asynccontextmanager
async def ssh_connection(destination: Destination, command: str) -> AsyncIterator[Ssh]:
    """Connect and run the command there to the end of the block, which ends its input. `SshError` if that fails."""
    with tempfile.TemporaryDirectory(prefix="kapture-") as folder:  # a short path: sockets' are bounded
        control = Path(folder, "control")
        # What the person's configuration runs and forwards on connections of theirs is not for this one.
        ours = [word for option in _OURS for word in ("-o", option)]
        line = destination.command("-M", "-S", str(control), "-T", *ours)
        try:
            process = await trio.lowlevel.open_process(
                [*line, "--", destination.name, command], stdin=PIPE, stdout=PIPE
            )
        except OSError as error:
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                f"{destination.program} could not be started: {error.strerror or error}.",
                hint="Install OpenSSH's client.",
            ) from error
        assert process.stdout is not None and process.stdin is not None  # noqa: S101, PT018  pipes
        try:
            yield Ssh(process, destination, control, LineReader(process.stdout))
        finally:
            with trio.CancelScope(shield=True):
                await process.stdin.aclose()
                with trio.move_on_after(_END_S):
                    await process.wait()
                if process.returncode is None:
                    process.kill()
                    await process.wait()


def _checked(folder: str, socket: str) -> str:
    """The path of a socket that the other machine names. `ssh` would take a part of another spelling for a request of
    another kind: as an address, as a proxy into this machine's network, as a variable of this process."""
    if _FOLDER.fullmatch(folder) is None or _SOCKET.fullmatch(socket) is None:
        raise KaptureError(
            ErrorCode.UNSUPPORTED,
            f"A socket cannot be forwarded to this path there: {escaped(folder)[:200]}/{escaped(socket)[:200]}.",
            hint="Choose a data folder there with letters, digits, spaces and . _ - + @ = , alone: --home PATH.",
        )
    return f"{folder}/{socket}"


@contextmanager
def _in_time() -> Iterator[None]:
    """Raise `SshError` if the block takes longer than a connection may: its network may be gone."""
    try:
        with trio.fail_after(_BEGIN_S):
            yield
    except trio.TooSlowError as error:
        raise SshError from error


@asynccontextmanager
async def given_to(
    destination: Destination, shared: wire.Shared, name: str, home: str
) -> AsyncIterator[tuple[Ssh, There]]:
    """Forward a socket there to the share, and leave its key file beside it."""
    script = (_HOME + _RECEIVE) % {"name": shlex.quote(name), "home": shlex.quote(home)}
    async with ssh_connection(destination, f"exec sh -c {shlex.quote(script)}") as ssh:
        with _in_time():
            kapture, folder, socket = await ssh.line(), await ssh.line(), await ssh.line()
            await ssh.forward("-R", f"{_checked(folder, socket)}:127.0.0.1:{shared.port}")
            await ssh.say(msgspec.json.encode(key_file.of_share(shared, socket=socket)))
            if await ssh.line() != "ready":
                raise SshError
        yield ssh, There(kapture=kapture, own=f"{folder.removesuffix(f'/remote/{name}')}/venv/bin/kapture")


async def install(ssh: Ssh, wheel: Path, home: str) -> None:
    """Copy a wheel there and install it with its dependencies, which come from that machine's package index, into a
    virtual environment in the data folder. `UNSUPPORTED` if that fails."""
    content = await trio.Path(wheel).read_bytes()
    given = {"home": shlex.quote(home), "wheel": wheel.name, "sha256": hashlib.sha256(content).hexdigest()}
    script = (_HOME + _INSTALL) % given
    if not await ssh.run(f"exec sh -c {shlex.quote(script)}", content):
        raise KaptureError(
            ErrorCode.UNSUPPORTED,
            "Kapture could not be installed there.",
            hint="See what is said above, install it there yourself, and share without --install.",
        )


@asynccontextmanager
async def taken_from(destination: Destination, command: str, folder: Path) -> AsyncIterator[tuple[Ssh, There]]:
    """Have the hub there share itself by this command (`kapture share pipe`); forward a socket in the folder to it."""
    async with ssh_connection(destination, command) as ssh:
        with _in_time():
            line = await ssh.line()
        try:
            shared = msgspec.json.decode(line.encode(), type=wire.Shared)
        except msgspec.MsgspecError as error:
            raise SshError from error
        socket = f"hub-{ssh.process.pid}.sock"
        try:
            await ssh.forward("-L", f"{folder / socket}:127.0.0.1:{shared.port}")
            key_file.write(folder, key_file.of_share(shared, socket=socket))
            yield ssh, There()
        finally:
            (folder / key_file.FILE_NAME).unlink(missing_ok=True)
            (folder / socket).unlink(missing_ok=True)
