"""The messages on the socket that the extension of a browser keeps beside those of its tabs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from kapture.wire.envelope import Message, MessageId, Part, Secret, TabId


class Browser(Part):
    """The browser a tab is in. `instance` is that browser's secret id: only it may take the tab's id over."""

    name: Annotated[str, Meta(max_length=200)] = ""
    version: Annotated[str, Meta(max_length=200)] = ""
    extension: Annotated[str, Meta(max_length=200)] = ""
    instance: Secret = ""
    profile: Annotated[str, Meta(max_length=100)] = ""  # the person's name for this browser profile


class Bond(Part):
    """The standing grant by which a tab is connected. `client`: the only client that it is for, by the name that this
    gives itself; `until`: its end, in ms since the epoch; none: until it is revoked."""

    id: MessageId
    client: Annotated[str, Meta(max_length=200)] | None = None
    until: float | None = None


class StandingGrant(Bond):
    """A grant that outlasts its tabs, as the extension keeps it. `group`: that whose agents it is for too."""

    sites: Annotated[list[Annotated[str, Meta(max_length=300)]], Meta(max_length=200)] = []
    level: Literal["read", "interact", "full"] = "read"
    group: Annotated[str, Meta(max_length=200)] | None = None


# --- extension to hub -------------------------------------------------------------------------------------------------


class RegisterBrowser(Message, tag="register_browser"):
    """The extension of a browser connects beside the sockets of its tabs, of which there may be none."""

    browser: Browser
    protocol: int = 0
    oldest_protocol: int | None = None  # None: it speaks `protocol` only
    capabilities: Annotated[list[str], Meta(max_length=50)] = []
    launched: bool = False  # by `kapture launch`: the browser and its extension end with that


class TabRequestAnswer(Message, tag="tab_request_answer"):
    """The outcome of the hub's `tab_request` with this id. `tabId` is there with `tab`: it is registered already."""

    id: MessageId
    decision: Literal["tab", "deny", "unanswered"]
    tab_id: TabId | None = None
    standing: MessageId | None = None  # the standing grant by which it was given, without a question
    opened: bool = False  # it is a new tab, opened for the client


class StandingGrants(Message, tag="standing_grants"):
    """The standing grants of this browser, for lists: when it has connected, and when they have changed."""

    grants: Annotated[list[StandingGrant], Meta(max_length=200)]


class ShareEnd(Message, tag="share_end"):
    """Its person ends the share with this name."""

    name: Annotated[str, Meta(max_length=40)]


# --- hub to extension -------------------------------------------------------------------------------------------------


class BrowserRegistered(Message, tag="browser_registered"):
    """The extension is connected. It is gone when it misses two pings, `heartbeatMs` apart."""

    heartbeat_ms: float
    protocol: int = 0  # the version that is spoken from here on


class Clients(Message, tag="clients", omit_defaults=False):
    """The names of the clients that are connected, whether policy allows standing grants, the name of the hub's group,
    if it is in one, and the shares that are open: `OpenShares.rows`."""

    names: list[str]
    standing: bool
    group: str | UnsetType = UNSET
    shares: list[dict[str, Any]] | UnsetType = UNSET


class StandingRevoke(Message, tag="standing_revoke"):
    """Revoke this standing grant, as its person could."""

    id: MessageId


class TabRequest(Message, tag="tab_request"):
    """Ask the person of a browser to connect a tab for a client, or to change what a connected one is granted.
    Answered with `tab_request_answer`."""

    id: MessageId
    reason: str  # the client's words
    expires_ms: float
    client: str = ""  # as people see it
    name: str = ""  # that it gives itself, by which a standing grant knows it
    url: str | None = None  # what the client would like the tab to show
    sites: list[str] = []  # what it asks to be allowed; the person chooses
    level: Literal["read", "interact", "full"] | None = None
    tab_id: TabId | None = None  # the connected tab whose grant the person is asked to change; no other is asked for


class TabRequestEnd(Message, tag="tab_request_end"):
    """Nobody waits for the tab request with this id any more."""

    id: MessageId


class TabNarrow(Message, tag="tab_narrow"):
    """Take away a part of what this tab is granted, as its person could; a grant that is not narrower is ignored."""

    tab_id: TabId
    sites: list[str]
    level: Literal["read", "interact", "full"]


class TabCloseUnused(Message, tag="tab_close_unused"):
    """Close this tab, which a client has opened and left behind, unless a person has used it."""

    tab_id: TabId


class TabDisconnect(Message, tag="tab_disconnect"):
    """Disconnect this tab, as its person does with the button."""

    tab_id: TabId
