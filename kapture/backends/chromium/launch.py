"""The command line with which a browser is started."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from kapture.backends.chromium.find import find_browser

# A browser started here must not ask, update, sync, or talk to anyone but the pages it is sent to.
_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-default-apps",
    "--disable-search-engine-choice-screen",
    "--password-store=basic",
    "--use-mock-keychain",
)

# Features by flag; a browser ignores those that it does not know. Pages may declare tools for agents
# (kapture/page/page_tools.py).
_FEATURES = {
    "--enable-features=": ("WebMCP",),
    "--disable-features=": (
        "Translate",
        "MediaRouter",
        "OptimizationHints",
        "AutofillServerCommunication",  # asks Google about each form
        "PreconnectToSearch",
        "AimEnabled",
        "NetworkTimeServiceQuerying",
        "DisableLoadExtensionCommandLineSwitch",
    ),
}

# Nobody sees the window of a headless browser: its tabs need not slide in and out, nor have thumbnails to point at.
# Animations of pages are left as they are.
_UNSEEN = ("--animation-duration-scale=0", "--disable-features=TabHoverCardImages")


def has_display() -> bool:
    """Whether windows can be shown on this machine."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


@attrs.frozen(kw_only=True)
class Launch:
    """A browser to start. `browser`: see `find_browser`. `throw_away`: remove the profile folder at the end.

    `environment` is added to that of this process.
    """

    profile: Path
    throw_away: bool = False
    browser: str | None = None
    extension: Path | None = None
    headless: bool = False
    window: tuple[int, int] = (1280, 800)
    extra: Sequence[str] = ()
    urls: Sequence[str] = ("about:blank",)
    environment: Mapping[str, str] = attrs.field(factory=dict)

    def arguments(self) -> list[str]:
        """The command line."""
        flags = [find_browser(self.browser), f"--user-data-dir={self.profile}", *_QUIET]
        flags.append("--window-size={},{}".format(*self.window))
        asked = list(self.extra)
        if self.headless:
            flags.append("--headless=new")
            asked = [*_UNSEEN, *asked]
        if sys.platform.startswith("linux") and os.geteuid() == 0:
            flags.append("--no-sandbox")  # Chromium refuses to run as root with its sandbox
        if self.extension is not None:
            flags.append(f"--load-extension={self.extension}")
        # Given several lists of features, the browser uses only the last.
        for start, features in _FEATURES.items():
            more = [flag.removeprefix(start) for flag in asked if flag.startswith(start)]
            flags.append(start + ",".join([*features, *filter(None, more)]))
        return [*flags, *(flag for flag in asked if not flag.startswith(tuple(_FEATURES))), *self.urls]
