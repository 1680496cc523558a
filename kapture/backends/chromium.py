"""Find Chrome or Chromium, and run one on a profile of its own.

The browser is ours: it is started on a folder that nobody else uses, and ended with the block that started
it. A person's own browser is never started, attached to or closed here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError

if sys.platform != "win32":
    import fcntl

_NAMES = ("google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "microsoft-edge", "brave-browser")
_MAC_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_WINDOWS_PATHS = (
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
    r"%LocalAppData%\Chromium\Application\chrome.exe",
)

# What a throw-away browser must not do: ask, update, sync, or talk to anyone but the pages it is sent to.
_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-default-apps",
    "--disable-search-engine-choice-screen",
    "--disable-features=Translate,MediaRouter,OptimizationHints,DisableLoadExtensionCommandLineSwitch",
    "--password-store=basic",
    "--use-mock-keychain",
)


def find_browser() -> str:
    """The path of a Chrome or Chromium: `KAPTURE_BROWSER`, else the usual places; else `LAUNCH_FAILED`."""
    named = os.environ.get("KAPTURE_BROWSER")
    candidates = [named] if named else [*_NAMES, *_MAC_APPS, *map(os.path.expandvars, _WINDOWS_PATHS)]
    for candidate in candidates:
        if found := shutil.which(candidate):
            return found
    raise KaptureError(
        ErrorCode.LAUNCH_FAILED,
        f"KAPTURE_BROWSER names {named!r}, which is not a program." if named else "No Chrome or Chromium was found.",
        hint="Install one (Debian, Ubuntu: apt-get install chromium) or set KAPTURE_BROWSER to its path.",
    )


def has_display() -> bool:
    """Whether a window can be shown here."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


@attrs.frozen(kw_only=True)
class Launch:
    """What to start, and how."""

    profile: Path
    extension: Path | None = None
    headless: bool = False
    window: tuple[int, int] = (1280, 800)
    extra: Sequence[str] = ()
    urls: Sequence[str] = ("about:blank",)

    def arguments(self, browser: str) -> list[str]:
        """The command line."""
        flags = [browser, f"--user-data-dir={self.profile}", *_QUIET]
        flags.append("--window-size={},{}".format(*self.window))
        if self.headless:
            flags.append("--headless=new")
        if sys.platform.startswith("linux") and os.geteuid() == 0:
            flags.append("--no-sandbox")  # Chromium refuses to run as root with its sandbox
        if self.extension is not None:
            flags.append(f"--load-extension={self.extension}")
        return [*flags, *self.extra, *self.urls]


# Chromium expects its debugging pipe at the descriptors 3 and 4, and leaves when the other end of it closes: so it
# goes when we go, however that happens (DevToolsPipeHandler::Shutdown in Chromium's source).
_ON_A_PIPE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)


@asynccontextmanager
async def running(launch: Launch) -> AsyncIterator[trio.Process]:
    """Start the browser; end it, and all processes it started, when the block ends or this process dies."""
    launch.profile.mkdir(parents=True, exist_ok=True)
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    command = launch.arguments(find_browser())
    if sys.platform == "win32":
        process = await trio.lowlevel.open_process(command, **quiet)
        try:
            yield process
        finally:
            await _end(process)
        return
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    try:
        # Above 4, so that neither is overwritten before it has been moved to its place.
        ends = [os.dup(end) if end > 4 else fcntl.fcntl(end, fcntl.F_DUPFD, 5) for end in (theirs_in, theirs_out)]
        try:
            program = [
                sys.executable,
                "-I",
                "-S",
                "-c",
                _ON_A_PIPE,
                *map(str, ends),
                *command,
                "--remote-debugging-pipe",
            ]
            process = await trio.lowlevel.open_process(program, pass_fds=ends, start_new_session=True, **quiet)
        finally:
            for end in (theirs_in, theirs_out, *ends):
                os.close(end)
        try:
            yield process
        finally:
            await _end(process)
    finally:
        os.close(ours_in)
        os.close(ours_out)


async def _end(process: trio.Process) -> None:
    """Ask the browser to leave; after 5 s, end its whole process group."""
    with trio.CancelScope(shield=True):
        if process.returncode is None:
            process.terminate()
            with trio.move_on_after(5):
                await process.wait()
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
        await process.wait()
