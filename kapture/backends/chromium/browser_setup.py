"""The commands with which a connection to a browser begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kapture.backends.browser_connection import BrowserConnection
from kapture.backends.chromium.find import BrowserKind
from kapture.cdp import CdpError
from kapture.errors import ErrorCode, KaptureError

_FILTER = [{"type": "page"}]


async def name_and_version(connection: BrowserConnection) -> tuple[str, str]:
    """The browser's name and version."""
    version = await connection.send("Browser.getVersion")
    name, _, number = str(version.get("product", "")).partition("/")
    return name[:200], number[:200]


async def have_announced(connection: BrowserConnection, kind: BrowserKind, downloads: Path) -> None:
    """Have the browser announce its pages and downloads. Those that it has are announced before this returns.

    `downloads`: the folder of downloads, if it is Kapture's browser. `NO_BACKEND` if it is no browser but one page;
    `CdpError` if it refuses what is needed.
    """
    if kind.owned:
        behaviour: dict[str, Any] = {"behavior": "allowAndName", "downloadPath": str(downloads)}
    else:
        await _refuse_page(connection)
        behaviour = {"behavior": "default"}
    try:
        await connection.send("Browser.setDownloadBehavior", {**behaviour, "eventsEnabled": True})
    except CdpError:
        if kind.owned:
            raise  # of another's browser only downloads are not seen then
    await connection.send("Target.setDiscoverTargets", {"discover": True, "filter": _FILTER})
    await connection.send(*auto_attach(paused=False))


def auto_attach(*, paused: bool) -> tuple[str, dict[str, Any]]:
    """The command that has the browser attach to its pages. `paused`: new ones wait for
    `Runtime.runIfWaitingForDebugger` before they load anything."""
    how = {"autoAttach": True, "waitForDebuggerOnStart": paused, "flatten": True, "filter": _FILTER}
    return "Target.setAutoAttach", how


async def _refuse_page(connection: BrowserConnection) -> None:
    """The address of a page takes the same commands, but announces nothing."""
    try:
        target = (await connection.send("Target.getTargetInfo")).get("targetInfo")
    except CdpError:
        return  # it will say what it refuses of what is needed
    if isinstance(target, dict) and target.get("type", "browser") != "browser":
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            "This is the address of one page, not of a browser.",
            hint="Give the address of a whole browser: http://host:port, or ws://host:port/devtools/browser/….",
        )
