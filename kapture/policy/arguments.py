"""What a command's arguments reach for beyond the page it runs on: addresses, code, files.

A table, not a guess from names; a test walks every registered command and fails when a parameter that looks
like an address or like code is missing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.commands.core.registry import Command

# Parameters that hold an address which the browser is sent to, or whose data is touched.
ADDRESSES: Mapping[str, tuple[str, ...]] = {
    "navigate": ("url",),
    "tab_new": ("url",),
    "download_file": ("url",),
}

# Commands that run what the client wrote.
EVALUATES = frozenset({"evaluate", "wait_for_function"})
SENDS_CDP = frozenset({"cdp", "cdp_events"})
DOWNLOADS = frozenset({"download_file"})
UPLOADS = frozenset({"upload"})

# Commands that show nothing of the page they run on and change nothing in it: allowed while the tab is outside its
# grant, so that it can be brought back, closed, or rid of a dialog.
LEAVES_PAGE_ALONE = frozenset(
    {"navigate", "go_back", "go_forward", "stop", "tab_new", "tab_close", "tab_activate", "handle_dialog"}
    | {"batch"}  # policy sees each of its steps
)

# CDP that reaches other sites than the tab's own, whatever the page is: it takes a grant for any site.
CDP_BEYOND_SITE = frozenset(
    {
        "Network.clearBrowserCache",
        "Network.clearBrowserCookies",
        "Network.deleteCookies",
        "Network.getAllCookies",
        "Network.getCookies",
        "Network.loadNetworkResource",
        "Network.setCookie",
        "Network.setCookies",
        "Page.setDownloadBehavior",
        "Target.attachToTarget",
        "Target.createTarget",
        "Target.getTargets",
        "Target.setDiscoverTargets",
    }
)
CDP_BEYOND_SITE_DOMAINS = frozenset({"Browser", "Storage", "Extensions", "SystemInfo", "IndexedDB", "CacheStorage"})
CDP_ADDRESSES: Mapping[str, tuple[str, ...]] = {
    "Page.navigate": ("url",),
}


@attrs.frozen(kw_only=True)
class Reach:
    """What one call reaches for."""

    addresses: tuple[str, ...] = ()  # as a person writes them (kapture.commands.core.destination)
    urls: tuple[str, ...] = ()  # as the browser gets them
    runs_code: bool = False
    sends_cdp: bool = False
    beyond_site: str | None = None  # the CDP method that does not stay on the tab's site


def reach_of(command: Command, params: Any) -> Reach:
    """What this call reaches for. `params` is the command's decoded parameter object."""
    urls: tuple[str, ...] = ()
    beyond = None
    if command.name == "cdp":
        method = getattr(params, "method", "")
        if method in CDP_BEYOND_SITE or method.partition(".")[0] in CDP_BEYOND_SITE_DOMAINS:
            beyond = method
        raw = getattr(params, "params", None)
        if isinstance(raw, Mapping):
            urls = tuple(value for key in CDP_ADDRESSES.get(method, ()) if isinstance(value := raw.get(key), str))
    return Reach(
        addresses=_given(params, ADDRESSES.get(command.name, ())),
        urls=urls,
        runs_code=command.name in EVALUATES,
        sends_cdp=command.name in SENDS_CDP,
        beyond_site=beyond,
    )


def _given(params: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for name in names if isinstance(value := getattr(params, name, None), str) and value)
