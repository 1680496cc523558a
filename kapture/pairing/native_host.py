"""The native messaging host: started by a browser, it sends the extension the port and key of `hub.json`.

Run as a script, without Kapture's other modules or dependencies, because the browser waits for it: it starts in
some 20 ms. Framing is Chrome's (https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging):
a 32-bit length in the machine's byte order, then UTF-8 JSON.

    {"type": "pair"}  → {"port", "key", "version", "launch": {"grant": {…}} | null}
                      | {"error": {"code", "message", "hint"}, "launch"}: a launched browser needs it without a hub too
    {"type": "start"} → the same; if no hub is running, one is started first

Codes: `WRONG_CALLER` (not our extension), `BAD_REQUEST`, `NO_HUB`, `KEY_FILE` (not private, or not readable),
`START_FAILED` (the hub could not be started). The client token of the file is for programs and stays here.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import sys

TYPE_CHECKING = False  # `typing` itself costs a quarter of the start
if TYPE_CHECKING:
    from typing import Any, BinaryIO

HOST_NAME = "dev.kapture.hub"
ORIGIN = "chrome-extension://jjllhgagajepglkofmhapipikepcofkp/"
MAX_REQUEST_BYTES = 64 * 1024
MAX_KEY_FILE_BYTES = 16 * 1024
START_S = 30
START_HINT = "Run `kapture doctor` to see why."
NO_HUB_HINT = "Start the hub: an MCP client that uses Kapture does so by itself, or run `kapture serve`."


class HostError(Exception):
    """A failure that the extension shows to the person."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.answer: dict[str, Any] = {"error": {"code": code, "message": message, "hint": hint}}


def read_message(stream: BinaryIO) -> object:
    """The next message; None at the end of the stream."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    (length,) = struct.unpack("=I", head)
    if length > MAX_REQUEST_BYTES:
        raise HostError("BAD_REQUEST", f"The request has {length} bytes; the limit is {MAX_REQUEST_BYTES}.")
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HostError("BAD_REQUEST", "The request is not JSON.") from error


def write_message(stream: BinaryIO, message: object) -> None:
    """Send one message."""
    body = json.dumps(message).encode()
    stream.write(struct.pack("=I", len(body)) + body)
    stream.flush()


def answer(request: object, arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """Return the reply to this request from this caller. `arguments` are the command line's, without the program."""
    others = filter(None, environment.get("KAPTURE_EXTENSION_ID", "").split(","))
    if not {ORIGIN, *(f"chrome-extension://{other}/" for other in others)} & {*arguments[:1]}:
        raise HostError("WRONG_CALLER", "Only the Kapture extension may ask for the hub's key.")
    kind = request.get("type") if isinstance(request, dict) else None
    if kind not in ("pair", "start"):
        raise HostError("BAD_REQUEST", 'The requests are {"type": "pair"} and {"type": "start"}.')
    home = environment.get("KAPTURE_HOME")
    if not home:
        raise HostError("KEY_FILE", "KAPTURE_HOME is not set.", "Run `kapture install-host` again.")
    path = os.path.join(home, "hub.json")  # noqa: PTH118  pathlib costs more than the rest
    grant = environment.get("KAPTURE_LAUNCH_GRANT")
    launch = {"grant": json.loads(grant)} if grant else None
    try:
        if kind == "start":
            start_hub(environment)
        content = read_key_file(path)
    except HostError as error:
        error.answer["launch"] = launch
        raise
    return {"port": content["port"], "key": content["key"], "version": content["version"], "launch": launch}


def read_key_file(path: str) -> dict[str, Any]:
    """Return the contents of the key file if the hub runs and no other user could have read or made the file."""
    # What is checked is the open file, which nothing can replace. A pipe is opened without waiting for its writer.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
        try:
            if os.name == "posix" and not is_private(os.fstat(handle), path):
                raise HostError(
                    "KEY_FILE",
                    f"{path} and its folder are not private to you (modes 0600 and 0700).",
                    "Restart the hub: it makes a new one.",
                )
            content = json.loads(os.fdopen(handle, "rb", closefd=False).read(MAX_KEY_FILE_BYTES))
        finally:
            os.close(handle)
    except FileNotFoundError as error:
        raise HostError("NO_HUB", "No hub is running.", NO_HUB_HINT) from error
    except (OSError, ValueError, RecursionError) as error:
        raise HostError("KEY_FILE", f"{path} could not be read.", "Restart the hub: it makes a new one.") from error
    if not isinstance(content, dict) or not {"port", "key", "version", "pid"} <= content.keys():
        raise HostError("KEY_FILE", f"{path} is not a key file.", "Restart the hub: it makes a new one.")
    if not is_running(content["pid"]):
        raise HostError("NO_HUB", "The hub has ended.", NO_HUB_HINT)
    return content


def is_private(found: os.stat_result, path: str) -> bool:
    """Whether an open file, of which this is the state, and its folder are only ours, and nobody could swap them."""
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120
    for place, kind in ((found, stat.S_ISREG), (os.stat(folder), stat.S_ISDIR)):  # noqa: PTH116
        if not kind(place.st_mode) or place.st_uid != os.geteuid() or place.st_mode & 0o077:
            return False
    while (above := os.path.dirname(folder)) != folder:  # noqa: PTH120
        folder, found = above, os.stat(above)  # noqa: PTH116
        if found.st_uid not in (os.geteuid(), 0):
            return False
        shared = found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not is_own_group(found.st_gid))
        if shared and not found.st_mode & stat.S_ISVTX:
            return False
    return True


def is_own_group(gid: int) -> bool:
    """As in `kapture.private_files`."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return user.pw_uid != 0 and gid == user.pw_gid and group.gr_name == user.pw_name and not group.gr_mem


def start_hub(environment: dict[str, str]) -> None:
    """Return when a hub listens; the one that runs, or one that this starts and that outlives the browser."""
    import subprocess  # it takes as long to import as everything else, and most requests need none of it

    command = [sys.executable, "-m", "kapture", "serve", "--background", "--automatic"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=environment["KAPTURE_HOME"] if os.path.isdir(environment["KAPTURE_HOME"]) else None,  # noqa: PTH112
            env=environment,
            timeout=START_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError("START_FAILED", f"The hub could not be started: {error}.", START_HINT) from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise HostError("START_FAILED", *why_not_started(lines[-1] if lines else f"exit code {done.returncode}"))


def why_not_started(line: str) -> tuple[str, str]:
    """A message and a hint for a person, from what the command has written last, such as `Error: NO_BACKEND: …`."""
    code, colon, words = line.removeprefix("Error: ").partition(": ")
    why = words if colon and code.isupper() else line.removeprefix("Error: ")
    message = why if why.startswith("The hub ") else f"The hub could not be started: {why}"
    return message, "" if "kapture doctor" in why else START_HINT


def is_running(pid: object) -> bool:
    """Whether a process with this id runs, as far as can be told without touching it.

    A child of ours that has ended does not, although it keeps its id until it is waited for.
    """
    if os.name != "posix":
        return True  # signal 0 would end the process there; a hub that is gone shows when connecting
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return False
    except (ChildProcessError, OverflowError):
        pass  # no child of ours
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return False  # somebody else's: not our hub
    return True


def main() -> None:
    """Answer until the browser closes the pipe."""
    arguments, environment = sys.argv[1:], dict(os.environ)
    while True:
        try:
            request = read_message(sys.stdin.buffer)
        except HostError as error:
            write_message(sys.stdout.buffer, error.answer)
            return  # where the next message begins is not known any more
        if request is None:
            return
        try:
            reply = answer(request, arguments, environment)
        except HostError as error:
            reply = error.answer
        write_message(sys.stdout.buffer, reply)


if __name__ == "__main__":
    main()
