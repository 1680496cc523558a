"""The ways in which a browser is connected, and what they support."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(kw_only=True)
class BrowserKind:
    """A way in which a browser is connected. `owned`: Kapture started it and ends it.

    `unsupported`: commands that cannot be done, each with the reason. `limited`: the limits of other commands.
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
