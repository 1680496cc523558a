"""The ids of tabs behind relays, and the browsers that they belong to."""

from __future__ import annotations

from kapture.backends.relay.relay_browser import KnownRelays, RelayTabInfo, RelayTabs


def tabs(number: int) -> list[RelayTabInfo]:
    return [RelayTabInfo(number, f"https://site{number}.test/", "")]


def connected(known: KnownRelays, number: int) -> RelayTabs:
    browser = known.find(tabs(number))
    browser.recognise(tabs(number))
    return browser


def test_a_browser_is_recognised_by_its_tabs_while_it_is_away_only() -> None:
    known = KnownRelays()
    one = connected(known, 1)
    one.in_use = True
    assert known.find(tabs(1)) is not one
    one.in_use = False
    assert known.find(tabs(1)) is one
