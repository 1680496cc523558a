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
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError

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
        f"KAPTURE_BROWSER names {named!r}, which is no program." if named else "No Chrome or Chromium was found.",
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


@asynccontextmanager
async def running(launch: Launch) -> AsyncIterator[trio.Process]:
    """Start the browser; end it, and all processes it started, when the block ends."""
    launch.profile.mkdir(parents=True, exist_ok=True)
    process = await trio.lowlevel.open_process(
        launch.arguments(find_browser()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with trio.CancelScope(shield=True):
            await _end(process)


async def _end(process: trio.Process) -> None:
    """Ask the browser to leave; after 5 s, end its whole process group."""
    if process.returncode is None:
        process.terminate()
        with trio.move_on_after(5):
            await process.wait()
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    elif process.returncode is None:
        process.kill()
    await process.wait()
