"""What a command's arguments reach for beyond the page it runs on: addresses, code, files.

A table, not a guess from names; a test walks every registered command and fails when a parameter that looks
like an address or like code is missing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.cdp.rules import cdp_rules
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


@attrs.frozen(kw_only=True)
class Reach:
    """What one call reaches for."""

    addresses: tuple[str, ...] = ()  # as a person writes them (kapture.commands.core.destination)
    urls: tuple[str, ...] = ()  # as the browser gets them
    runs_code: bool = False
    sends_cdp: bool = False
    beyond_site: str | None = None  # the CDP method or event that takes a grant of any site
    beyond_tab: bool = False  # it reaches beyond the tab, which no grant covers


def reach_of(command: Command, params: Any) -> Reach:
    """What this call reaches for. `params` is the command's decoded parameter object."""
    urls: tuple[str, ...] = ()
    beyond = None
    if command.name == "cdp":
        beyond, urls = _raw(getattr(params, "method", ""), getattr(params, "params", None))
    elif command.name == "cdp_events" and getattr(params, "action", "") == "subscribe":
        beyond = next((name for name in params.events or () if cdp_rules().event(name).named != "client"), None)
    return Reach(
        addresses=_given(params, ADDRESSES.get(command.name, ())),
        urls=urls,
        runs_code=command.name in EVALUATES,
        sends_cdp=command.name in SENDS_CDP,
        beyond_site=beyond,
        beyond_tab=beyond is not None and cdp_rules().method(beyond).level == "never",
    )


def _raw(method: str, params: Any) -> tuple[str | None, tuple[str, ...]]:
    """What a raw CDP command reaches for: itself, if only a grant of any site covers it; and the URLs that it names."""
    rule = cdp_rules().method(method)
    sites = [name for name, kind in (rule.params or {}).items() if kind == "site"]
    given = [params.get(name) for name in sites] if isinstance(params, Mapping) else []
    urls = [one for value in given for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
    return method if method and rule.named != "client" else None, tuple(urls)


def _given(params: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for name in names if isinstance(value := getattr(params, name, None), str) and value)
