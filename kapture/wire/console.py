"""The messages between the hub and the Console, on `/console/live`. docs/CONSOLE.md says when each is sent.

What a message says about a tab is limited to what the Console's client may see of it. Pictures are binary messages: a
`Picture` as JSON, a line feed, and the JPEG.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from kapture.wire.panel_messages import RecordingState

MOST_WATCHED = 64
"""The number of tabs whose pictures one Console can show at a time."""

WIDEST = 480
"""The width in image pixels that no picture exceeds, except the enlarged one."""

TabId: TypeAlias = Annotated[str, Meta(max_length=128)]


class _Message(Struct, tag_field="type", rename="camel", omit_defaults=True):
    """The envelope: `type`, and the fields of the class."""


# From the Console


class Watch(_Message, tag="watch"):
    """The tabs whose pictures are in view, replacing the previous ones; `enlarged` is one of them, or none. `width` is
    that of the others where they are drawn, in image pixels: a wider picture would only be made smaller."""

    tabs: Annotated[list[TabId], Meta(max_length=MOST_WATCHED)]
    enlarged: TabId | None = None
    width: Annotated[int, Meta(ge=1, le=WIDEST)] = WIDEST


class Drawn(_Message, tag="drawn"):
    """The tab's latest picture has been drawn: the next may be sent."""

    tab_id: TabId
    number: int


class Ask(_Message, tag="ask"):
    """A question, answered by `answer` with the same id."""

    id: int
    about: Literal["commands", "status", "audit", "checks", "standing", "group"]


class Act(_Message, tag="act"):
    """An action on a connected tab, answered by `answer` with the same id: `disconnect` it, ask its person to
    `change_grant` (the answer's value is then the outcome, as in `tab_request_answer`), `narrow_grant` to what is left
    of it, or `release` it from the script that holds it. `revoke`: the standing grant with the id `grant`. `end_share`:
    that with the name `share`.
    `pause`, `stop`: refuse what all clients ask for, and end what they run; `resume`: let those of the tab go on,
    without a tab all of them.
    `hand_back`: the person is `done` with what a client asked them to do in the tab, or cannot do it; with a `note`."""

    id: int
    action: Literal[
        "disconnect",
        "change_grant",
        "narrow_grant",
        "release",
        "revoke",
        "end_share",
        "hand_back",
        "pause",
        "stop",
        "resume",
    ]
    tab_id: TabId = ""
    grant: Annotated[str, Meta(max_length=128)] = ""
    share: Annotated[str, Meta(max_length=40)] = ""
    done: bool = False  # of `hand_back`
    note: Annotated[str, Meta(max_length=500)] = ""
    sites: list[str] = []  # of `narrow_grant`, with the level
    level: Literal["read", "interact", "full"] | None = None


class Highlight(_Message, tag="highlight"):
    """The element that the pointer is over in a snapshot, to be marked in its page; without `ref`: mark none."""

    tab_id: TabId
    ref: Annotated[str, Meta(max_length=64)] | None = None


FromConsole: TypeAlias = Watch | Drawn | Ask | Act | Highlight


# From the hub


class Call(Struct, rename="camel", omit_defaults=True):
    """The state of a call; `since` in Unix milliseconds. Fields that are not known yet are left out."""

    number: int
    command: str
    client: str
    client_id: str
    since: float
    tab_id: str | None = None
    waited_ms: float | None = None
    duration_ms: float | None = None
    outcome: str | None = None
    message: str = ""
    did: str = ""
    arguments: dict[str, Any] | None = None


class Calls(_Message, tag="calls"):
    """Calls that are new or have changed."""

    calls: list[Call]


class Tabs(_Message, tag="tabs"):
    """Rows of tabs that are new or have changed, as in `status`, and the ids of tabs that are gone."""

    changed: list[dict[str, Any]]
    gone: list[str] = []


class HandedOver(Struct, rename="camel"):
    """What a client has asked the person to do in a tab, to be answered here; times in Unix milliseconds."""

    tab_id: str
    client: str
    what: str
    since: float
    expires_at: float


class HubState(_Message, tag="hub"):
    """The hub itself, its clients, the titles of open questions to people, the tabs that they have, whether all clients
    are paused, and the shares that are open (`OpenShares.rows`)."""

    version: str
    started_at: str
    clients: list[dict[str, Any]]
    questions: list[str]
    paused: bool = False
    handed_over: list[HandedOver] = []
    shares: list[dict[str, Any]] = []


class Heard(_Message, tag="heard"):
    """The milliseconds since each tab's last message."""

    silent_ms: dict[str, int]


class Console(_Message, tag="console"):
    """These tabs have new console entries."""

    tabs: list[str]


class Recordings(_Message, tag="recordings"):
    """The unsaved recordings of tabs, those that have changed; null for one that is gone."""

    tabs: dict[str, RecordingState | None]


class Unreadable(_Message, tag="unreadable"):
    """These tabs may no longer be read: what the messages of their calls quoted is to be forgotten."""

    tabs: list[str]


class Withheld(_Message, tag="withheld"):
    """There is no picture of this tab at the moment, and why."""

    tab_id: str
    reason: str


class Picture(_Message, tag="picture"):
    """The header of a JPEG; the viewport's size is in CSS pixels."""

    tab_id: str
    number: int
    width: float
    height: float


class Answer(_Message, tag="answer"):
    """The answer to `ask` and `act`: `value`, or `error`, which says why there is none."""

    id: int
    value: Any = None
    error: str = ""


FromHub: TypeAlias = Calls | Tabs | HubState | Heard | Console | Recordings | Unreadable | Withheld | Answer
