"""The kinds of backends, as people name them."""

from __future__ import annotations

from kapture.errors import ErrorCode, KaptureError
from kapture.hub.tabs.tab import Identity, Tab

UNVOUCHED = frozenset({"token", "open"})
"""The kinds of tabs whose program has shown no more than a client has: the client token, or nothing on an open port.
That program decides what such a tab shows, so it is not chosen for calls that do not name it; on an open port, where
everybody may be everything, `open` ones are if there are no others."""

_VOUCHED = frozenset({"extension", "launch", "attach"})
"""The kinds whose documents have the origins that a browser has given them, and not a client."""


def kind_of(tab: Tab) -> str:
    """How its browser was connected: `extension` (the tab's socket has proved that it holds the key), `launch`,
    `attach`, `relay`, or one of `UNVOUCHED`."""
    return kind_of_identity(tab.identity)


def kind_of_identity(identity: Identity) -> str:
    """The same of a tab that is registering."""
    return "extension" if identity.kind == "key" else identity.kind


def check_vouched(tab: Tab) -> None:
    """`POLICY_DENIED` if stored secrets may not be sent to this tab: nobody but a client says what it shows."""
    kind, backend = kind_of(tab), tab.backend
    if kind in _VOUCHED and backend is None:
        raise tab.gone_error()
    if kind not in _VOUCHED or backend is None or backend.executes_itself:
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"Stored secrets are not given to tab {tab.tab_id}, of the kind {kind}: no browser that Kapture trusts "
            "says what it shows.",
            hint="Run the scenario on a tab of the Kapture extension, or of `kapture launch` or `kapture attach`; or "
            "give the secrets to this run with override_secrets.",
            data={"tabId": tab.tab_id, "kind": kind},
        )


def how_widened(tab: Tab) -> str:
    """How the person widens the tab's grant; "" if in the extension."""
    return _WIDENED_BY.get(tab.identity.kind, "")


_AGAIN = "Ask the person to run `kapture {}` again with a wider grant (--sites, --level)."
_WIDENED_BY = {
    "launch": _AGAIN.format("launch"),
    "attach": _AGAIN.format("attach"),
    "relay": "A part of its grant was taken away in the Console, for as long as the hub runs: ask the person.",
}
