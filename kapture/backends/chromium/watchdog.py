"""A process between the hub and a browser: it ends the browser when the hub dies, in whatever way, and cleans up.

Run as a program, with the standard library alone. Its argument is JSON: `command` (the browser's), `pipe` (the
browser's ends of its debugging pipe, or null), `keep` (a descriptor to keep open), `profile` (the browser's folder),
`remove` (whether to remove it at the end). It writes the browser's process id to its standard output, and runs until
the browser has ended or its own standard input is closed, which the system does when its parent dies.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import time

LEAVES_S = 5.0
_ATTEMPTS = 20


def main() -> int:
    """Run one browser; returns its exit code."""
    if sys.platform == "win32":
        raise SystemExit("Windows has no process groups to end.")
    options = json.loads(sys.argv[1])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # only the end of standard input ends this process
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    browser = _start(options["command"], options["pipe"])
    os.write(1, b"%d\n" % browser)
    code = None
    while code is None:
        readable, _, _ = select.select([0, ended], [], [])
        if ended in readable:
            os.read(ended, 4096)
            code = _ended(browser)
        if code is None and 0 in readable and not os.read(0, 4096):
            code = _end(browser)
    _signal_group(browser, signal.SIGKILL)
    remove_singleton(options["profile"])
    if options["remove"]:
        _remove(options["profile"])
    return code


def remove_singleton(profile: str) -> None:
    """Remove the socket by which a second browser would find the one that has this profile, and its folder.

    Chromium makes them in the system's folder for temporary files, where a browser that is killed leaves them.
    """
    try:
        socket = os.readlink(os.path.join(profile, "SingletonSocket"))  # noqa: PTH115, PTH118  as in `_remove`
    except OSError:
        return
    folder, name = os.path.split(socket)
    if name != "SingletonSocket" or not os.path.isabs(folder):  # noqa: PTH117
        return
    for leaves in ("SingletonCookie", name):
        try:
            os.unlink(os.path.join(folder, leaves))  # noqa: PTH108, PTH118
        except OSError:
            continue
    try:
        os.rmdir(folder)  # noqa: PTH106  only if nothing else is in it
    except OSError:
        return


def _start(command: list[str], pipe: list[int] | None) -> int:
    """Start the browser in a session of its own, with its debugging pipe at the descriptors 3 and 4."""
    browser = os.fork()
    if browser:
        for end in pipe or ():
            os.close(end)
        return browser
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        if pipe:
            os.dup2(pipe[0], 3)
            os.dup2(pipe[1], 4)
        os.closerange(5 if pipe else 3, 256)
        os.execv(command[0], command)  # noqa: S606
    finally:
        os._exit(127)


def _ended(browser: int) -> int | None:
    """The browser's exit code, once it has ended; None before."""
    done, status = os.waitpid(browser, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def _end(browser: int) -> int:
    """Ask the browser to exit, so that it saves its data and ends its own processes; then make sure. Its exit code."""
    os.kill(browser, signal.SIGTERM)
    deadline = time.monotonic() + LEAVES_S
    while time.monotonic() < deadline:
        if (code := _ended(browser)) is not None:
            return code
        time.sleep(0.02)
    _signal_group(browser, signal.SIGKILL)
    _, status = os.waitpid(browser, 0)
    return os.waitstatus_to_exitcode(status)


def _signal_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return


def _remove(folder: str) -> None:
    """Remove the folder. Tries again: exiting processes may still write there."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):  # noqa: PTH110  pathlib takes as long to import as all of this
            return
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
