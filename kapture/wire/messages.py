"""The messages between the hub and a tab: JSON text frames, one object each, tagged by `type`.

Every message is a `msgspec.Struct` (and not an attrs class, as parameters and answers are) because only structs
have tagged unions: one pass over the bytes finds the type, checks every field and builds the object. Names are
snake_case here and camelCase on the wire. Unknown keys are ignored, so that either end may be newer.

`FromTab` and `FromHub` are the two directions; `proof` is in both, with different content. What each message
means, and in which order they come, is in docs/PROTOCOL.md.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from kapture.wire.envelope import Message, MessageId, Part, Secret, TabId, WireError
from kapture.wire.extension_messages import (
    Bond,
    Browser,
    BrowserRegistered,
    Clients,
    RegisterBrowser,
    ShareEnd,
    StandingGrants,
    StandingRevoke,
    TabCloseUnused,
    TabDisconnect,
    TabNarrow,
    TabRequest,
    TabRequestAnswer,
    TabRequestEnd,
)
from kapture.wire.panel_messages import Activity, FromPanel, Progress, Recording, Result

PROTOCOL_VERSION = 1
"""The newest version spoken here. Tabs of the first specification name none, which reads as 0."""
OLDEST_PROTOCOL = 0
"""The oldest. docs/PROTOCOL.md, "Versions", says when each changes."""


def agreed_version(newest: int, oldest: int | None) -> int | None:
    """Return the newest version that the hub and a tab with this range both speak; None if there is none."""
    agreed = min(newest, PROTOCOL_VERSION)
    return agreed if agreed >= max(OLDEST_PROTOCOL, newest if oldest is None else oldest) else None


# --- both directions ---------------------------------------------------------------------------------------------


class Ping(Message, tag="ping"):
    """Are you there? Answered with `pong` and the same `ts`."""

    ts: float = 0


class Pong(Message, tag="pong"):
    """The answer to `ping`."""

    ts: float = 0


class WireGrant(Part):
    """The grant of a tab: sites (docs/SECURITY.md has the matching rules) and a level."""

    sites: Annotated[list[Annotated[str, Meta(max_length=300)]], Meta(max_length=200)]
    level: Literal["read", "interact", "full"]


# --- tab to hub --------------------------------------------------------------------------------------------------


class TabProof(Message, tag="proof"):
    """The tab's half of the mutual proof, in answer to `challenge`."""

    nonce: Secret
    mac: Secret


class Authenticate(Message, tag="authenticate"):
    """The client token, for tab clients that cannot send an `Authorization` header."""

    token: Secret


class Register(Message, tag="register"):
    """A tab offers itself. Only `tabId` is needed; without the capability `cdp` it executes commands itself."""

    tab_id: TabId
    protocol: int = 0
    oldest_protocol: int | None = None  # None: it speaks `protocol` only
    capabilities: Annotated[list[str], Meta(max_length=50)] = []
    browser: Browser | None = None
    url: str = ""
    title: str = ""
    grant: WireGrant | None = None
    standing: Bond | None = None  # the standing grant that it is a part of
    group: bool = False  # whether it is also for the agents of the hub's group
    opener: TabId | None = None


class Response(Message, tag="response"):
    """The outcome of the command with this id."""

    id: MessageId
    success: bool
    result: Any = None
    error: WireError | None = None


class CdpAnswer(Part):
    """The outcome of one command of a `cdp_all`. `skipped`: the program ended before it."""

    result: dict[str, Any] = {}
    error: WireError | None = None
    skipped: bool = False


class CdpAnswers(Part):
    """The result of a `cdp_all`: one answer a command, in their order; null for those that `cdp_answers` brought."""

    answers: list[CdpAnswer | None]


class CdpAnswersSoFar(Message, tag="cdp_answers"):
    """Answers to commands of a `cdp_all` that is still running; null for all others. Sent before an event that comes
    after them."""

    id: MessageId
    answers: list[CdpAnswer | None]


class Event(Message, tag="event"):
    """Something happened in the tab. Which fields are there depends on `event`; `decode_from_tab` checks it."""

    event: Literal["cdp", "tab", "grant", "detached", "attached", "release", "stop", "pause", "resume", "shows"]
    # cdp
    method: str = ""
    params: dict[str, Any] = {}
    session_id: str | None = None
    dropped: Annotated[int, Meta(ge=0)] = 0  # console entries, WebSocket messages and workers left out before
    # tab
    url: str | None = None
    title: str | None = None
    # grant
    grant: WireGrant | UnsetType | None = UNSET
    standing: Bond | None = None
    group: bool = False
    # detached
    reason: str = ""
    message: str = ""
    # stop, pause, resume
    client: str = ""  # of `stop`: as `activity` names it; "" for all
    everywhere: bool = False  # not on this tab alone
    # shows
    shows: bool = True  # whether the page may show its person who acts on it


class Approval(Message, tag="approval"):
    """The person's decision on the hub's `approve` with this id. `unanswered`: there will be none."""

    id: MessageId
    decision: Literal["once", "tab", "deny", "unanswered"]


class Area(Part):
    """A rectangle of the viewport, in CSS pixels."""

    x: float
    y: float
    width: Annotated[float, Meta(gt=0)]
    height: Annotated[float, Meta(gt=0)]


class Point(Message, tag="point"):
    """The person points at the element with this `backendNodeId`, or at an `area`, at whose middle it is."""

    node: int
    note: Annotated[str, Meta(max_length=1_000)] = ""
    area: Area | None = None


class Unpin(Message, tag="unpin"):
    """The person takes a pin away."""

    pin: int


FromTab: TypeAlias = (
    TabProof
    | Authenticate
    | Register
    | Response
    | CdpAnswersSoFar
    | Event
    | Ping
    | Pong
    | FromPanel
    | Approval
    | Point
    | Unpin
    | RegisterBrowser
    | TabRequestAnswer
    | StandingGrants
    | ShareEnd
)


# --- hub to tab --------------------------------------------------------------------------------------------------


class Challenge(Message, tag="challenge"):
    """Opens the mutual proof."""

    nonce: Secret


class HubProof(Message, tag="proof"):
    """The hub's half of the mutual proof; the tab registers only after checking it."""

    mac: Secret


class Registered(Message, tag="registered"):
    """The tab is connected. It is gone when it misses two pings, `heartbeatMs` apart."""

    tab_id: str
    session_id: str
    heartbeat_ms: float
    protocol: int = 0  # the version that is spoken from here on


class Refused(Message, tag="refused"):
    """The tab may not connect; the socket is closed next. `retry` says whether to try again by itself."""

    code: str
    message: str
    hint: str = ""
    retry: bool = True


class Command(Message, tag="command", omit_defaults=False):
    """Run this. A tab with `cdp` gets `cdp`, `tab_new`, `tab_close`, `tab_activate`, `download`; others all."""

    id: MessageId
    command: str
    params: dict[str, Any]
    timeout_ms: float | UnsetType = UNSET
    call: str | UnsetType = UNSET  # the call that this is sent for, if the person allowed something for it alone


class HandOver(Part):
    """The parameters of the command `hand_over`: what a client asks the person to do in the tab."""

    what: str  # the client's words
    client: str
    expires_ms: float


class HandedBack(Part):
    """The result of `hand_over`. `withdrawn`: nobody waited for the person any more; `handedMs`: for how long they had
    the tab."""

    decision: Literal["done", "cannot", "withdrawn"]
    note: Annotated[str, Meta(max_length=1_000)] = ""  # the person's words
    handed_ms: float = 0


class Cancel(Message, tag="cancel"):
    """Nobody waits for the command with this id any more."""

    id: MessageId


class ShownPart(Part):
    """A part of what a step would do, for the person to read: `name` says what `text` is."""

    name: str
    text: str


class Approve(Message, tag="approve"):
    """Ask the person whether a denied step may be done. Answered with `approval`."""

    id: MessageId
    title: str
    detail: str
    expires_ms: float
    client: str = ""
    command: str = ""
    url: str = ""
    level: Literal["read", "interact", "full"] | None = None  # what the step needs, if that is above the grant
    site: str | None = None  # the site it needs, if that is outside the grant
    read_suffices: bool = False  # the step would run at the level `read` too, which is below the grant
    count: int = 1
    call: str = ""  # what "once" would allow, as `activity` and `command` name it
    shown: list[ShownPart] = []


class ApproveEnd(Message, tag="approve_end"):
    """The question with this id is settled, here or elsewhere: it is asked no more."""

    id: MessageId


class Error(Message, tag="error"):
    """A message of the tab could not be used. `reason` is a `kapture.wire.codec.Reason`."""

    code: str
    reason: str
    message: str


class HeldBy(Part):
    """A script, by the name that it gives itself; `since` is ISO 8601."""

    client: str
    since: str


class Held(Message, tag="held"):
    """Which script has the tab now; None: none any more."""

    by: HeldBy | None = None


class PinRow(Part):
    """A pin: `what` it points at, and the person's note."""

    pin: int
    what: str
    note: str = ""


class Pins(Message, tag="pins"):
    """What the person points at in the tab."""

    pins: list[PinRow]


class Paused(Message, tag="paused"):
    """Which clients the person has stopped on this tab; `everywhere`: all of them, on every tab."""

    clients: list[str] = []
    everywhere: bool = False


class OwnedBy(Part):
    """A client as people see it; `session` is the same for all tabs of one session of it."""

    name: str
    colour: str
    session: str


class Owned(Message, tag="owned"):
    """Which client has the tab now; None: it is nobody's."""

    by: OwnedBy | None = None


FromHub: TypeAlias = (
    Challenge
    | HubProof
    | Registered
    | Refused
    | Command
    | Cancel
    | Ping
    | Pong
    | Result
    | Progress
    | Recording
    | Activity
    | Approve
    | ApproveEnd
    | Held
    | Pins
    | Paused
    | Owned
    | BrowserRegistered
    | TabRequest
    | TabRequestEnd
    | TabDisconnect
    | TabNarrow
    | Clients
    | StandingRevoke
    | TabCloseUnused
    | Error
)
