"""Effects of a command's arguments beyond the page that it runs on: addresses, code, files.

A table, not a guess from names; a test checks every registered command and fails if a parameter that looks like an
address or like code is missing here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from kapture.cdp.rules import cdp_rules
from kapture.commands.core.destination import destination
from kapture.commands.core.registry import Command
from kapture.errors import KaptureError
from kapture.page.input.keyboard import parse_chord, pastes
from kapture.split_url import split_url

# Parameters that hold an address to which the browser is sent, or whose data is used.
ADDRESSES: Mapping[str, tuple[str, ...]] = {
    "navigate": ("url",),
    "tab_new": ("url",),
    "download_file": ("url",),
}

# Commands that open an address. What a data: URL holds is the client's own, and so is the code in it.
OPENS = frozenset({"navigate", "tab_new"})

# Commands that run code of the client.
EVALUATES = frozenset({"evaluate", "wait_for_function"})
SENDS_CDP = frozenset({"cdp", "cdp_events"})
# Commands that can have a page run code of the client: some raw methods do, and a mocked response may be a script.
CARRIES_CODE: Mapping[str, Callable[[Any], bool]] = {
    "cdp": lambda params: True,
    "route": lambda params: getattr(params, "action", "") == "mock",
}
DOWNLOADS = frozenset({"download_file"})
UPLOADS = frozenset({"upload"})

# Commands that show nothing of the page they run on and change nothing in it: allowed while the tab is outside its
# grant, so that it can be navigated back, closed, or freed from a dialog.
LEAVES_PAGE_ALONE = frozenset(
    {"navigate", "go_back", "go_forward", "stop", "tab_new", "tab_close", "tab_activate", "handle_dialog"}
    | {"batch"}  # policy judges each of its steps
)


@attrs.frozen(kw_only=True)
class Effects:
    """The effects of one call beyond the page."""

    addresses: tuple[str, ...] = ()  # as a person writes them (kapture.commands.core.destination)
    urls: tuple[str, ...] = ()  # as the browser gets them
    runs_code: bool = False
    carries_code: bool = False  # it can have the page run code
    sends_cdp: bool = False
    changes_scenario: bool = False  # it writes a stored one
    reads_clipboard: bool = False  # the person's, which may hold anything
    beyond_site: str | None = None  # the CDP method or event that takes a grant of any site
    beyond_tab: bool = False  # it affects more than the tab, which no grant covers


def effects_of(command: Command, params: Any) -> Effects:
    """Return the effects of this call. `params` is the command's decoded parameter object."""
    urls: tuple[str, ...] = ()
    beyond = None
    if command.name == "cdp":
        beyond, urls = _raw(getattr(params, "method", ""), getattr(params, "params", None))
    elif command.name == "cdp_events" and getattr(params, "action", "") == "subscribe":
        beyond = next((name for name in params.events or () if cdp_rules().event(name).named != "client"), None)
    return Effects(
        addresses=_given(params, ADDRESSES.get(command.name, ())),
        urls=urls,
        runs_code=command.name in EVALUATES or (command.name in OPENS and _opens_data(params)),
        carries_code=command.name in CARRIES_CODE and CARRIES_CODE[command.name](params),
        sends_cdp=command.name in SENDS_CDP,
        changes_scenario=command.name == "run_scenario" and getattr(params, "heal", False) is True,
        reads_clipboard=command.name == "press" and _pastes(params),
        beyond_site=beyond,
        beyond_tab=beyond is not None and cdp_rules().method(beyond).level == "never",
    )


def _opens_data(params: Any) -> bool:
    try:
        url = destination(getattr(params, "url", ""), base="", may_open=lambda _: True).url
    except KaptureError:
        return False  # an address that is relative, or none
    return split_url(url).scheme == "data"


def _pastes(params: Any) -> bool:
    chord = getattr(params, "key", None)
    if not isinstance(chord, str):
        return False
    modifiers, key = parse_chord(chord)
    return pastes(key, {*modifiers, *getattr(params, "modifiers", ())})


def _raw(method: str, params: Any) -> tuple[str | None, tuple[str, ...]]:
    """A raw CDP method, if it needs a grant of any site (else None), and the URLs that its parameters name."""
    rule = cdp_rules().method(method)
    sites = [name for name, kind in (rule.params or {}).items() if kind == "site"]
    given = [params.get(name) for name in sites] if isinstance(params, Mapping) else []
    urls = [one for value in given for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
    return method if method and rule.named != "client" else None, tuple(urls)


def _given(params: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for name in names if isinstance(value := getattr(params, name, None), str) and value)
