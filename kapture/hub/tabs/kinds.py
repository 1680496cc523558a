"""The kinds of backends, as people name them."""

from __future__ import annotations

from kapture.hub.tabs.tab import Tab


def kind_of(tab: Tab) -> str:
    """How its browser was connected. A tab that registers over a socket of its own counts as `extension`."""
    kind = tab.identity.kind
    return kind if kind in ("launch", "attach", "relay") else "extension"


def how_widened(tab: Tab) -> str:
    """How the person widens the tab's grant; "" if in the extension."""
    return _WIDENED_BY.get(tab.identity.kind, "")


_AGAIN = "Ask the person to run `kapture {}` again with a wider grant (--sites, --level)."
_WIDENED_BY = {
    "launch": _AGAIN.format("launch"),
    "attach": _AGAIN.format("attach"),
    "relay": "A part of its grant was taken away in the Console, for as long as the hub runs: ask the person.",
}
