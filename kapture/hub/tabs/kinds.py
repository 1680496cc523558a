"""The kinds of backends, as people name them."""

from __future__ import annotations

from kapture.hub.tabs.tab import Tab


def kind_of(tab: Tab) -> str:
    """How its browser was connected. A tab that registers over a socket of its own counts as `extension`."""
    kind = tab.identity.kind
    return kind if kind in ("launch", "attach", "relay") else "extension"
