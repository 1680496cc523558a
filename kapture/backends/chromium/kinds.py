"""How a browser came to be connected, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(kw_only=True)
class BrowserKind:
    """How a browser came to be connected. `owned`: it is ours, and ends with us.

    `unsupported`: the commands that it cannot do, each with the reason. `limited`: what others are limited to.
    """

    name: str
    owned: bool
    unsupported: Mapping[str, str] = attrs.field(factory=dict)
    limited: Mapping[str, str] = attrs.field(factory=dict)


LAUNCHED = BrowserKind(name="launch", owned=True)
_OWN_TABS = {"tab_close": "only tabs that Kapture opened"}
ATTACHED = BrowserKind(name="attach", owned=False, limited=_OWN_TABS)
ATTACHED_ELSEWHERE = BrowserKind(
    name="attach",
    owned=False,
    limited={**_OWN_TABS, "download_file": "by `url` only: other files stay on the browser's machine"},
    unsupported={
        "upload": "The browser runs on another machine and cannot read this machine's files. Put the file where the "
        "page can fetch it, or attach to a browser on this machine."
    },
)
