"""The messages between the hub and the Console: `/console/live`. docs/CONSOLE.md says when each is sent.

What a message says of a tab is what the Console's client may see of it. Pictures are binary messages: a `Picture` as
JSON, a line feed, and the JPEG.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from kapture.wire.panel_messages import RecordingState

MOST_WATCHED = 64
"""Tabs that one Console can show pictures of at a time."""

TabId: TypeAlias = Annotated[str, Meta(max_length=128)]


class _Message(Struct, tag_field="type", rename="camel", omit_defaults=True):
    """The envelope: `type`, and the fields of the class."""


# From the Console


class Watch(_Message, tag="watch"):
    """The tabs whose pictures are in view now, instead of those before; `enlarged` is one of them, or none."""

    tabs: Annotated[list[TabId], Meta(max_length=MOST_WATCHED)]
    enlarged: TabId | None = None


class Drawn(_Message, tag="drawn"):
    """The tab's latest picture is on the screen: the next may come."""

    tab_id: TabId
    number: int


class Ask(_Message, tag="ask"):
    """A question, answered by `answer` with the same id."""

    id: int
    about: Literal["commands", "status", "audit", "checks"]


class Act(_Message, tag="act"):
    """Something to be done about a connected tab, answered by `answer` with the same id: `disconnect` it, have its
    person `change_grant` (the value is then what they did, as in `tab_request_answer`), or `release` it: take it back
    from the script that has it."""

    id: int
    action: Literal["disconnect", "change_grant", "release"]
    tab_id: TabId


class Highlight(_Message, tag="highlight"):
    """The element that is pointed at in a snapshot, to be marked in its page instead of the one before; none without
    `ref`."""

    tab_id: TabId
    ref: Annotated[str, Meta(max_length=64)] | None = None


FromConsole: TypeAlias = Watch | Drawn | Ask | Act | Highlight


# From the hub


class Call(Struct, rename="camel", omit_defaults=True):
    """A call as it stands; `since` in Unix milliseconds. Fields that are not known, or not yet, are left out."""

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
    arguments: dict[str, Any] | None = None


class Calls(_Message, tag="calls"):
    """Calls that are new or have changed."""

    calls: list[Call]


class Tabs(_Message, tag="tabs"):
    """Rows of tabs that are new or have changed, as `status` has them, and the ids of those that are gone."""

    changed: list[dict[str, Any]]
    gone: list[str] = []


class HubState(_Message, tag="hub"):
    """The hub itself, its clients, and the titles of the questions that people are being asked."""

    version: str
    started_at: str
    clients: list[dict[str, Any]]
    questions: list[str]


class Heard(_Message, tag="heard"):
    """For how many milliseconds each tab has been silent."""

    silent_ms: dict[str, int]


class Console(_Message, tag="console"):
    """These tabs have new lines on their console."""

    tabs: list[str]


class Recordings(_Message, tag="recordings"):
    """What has been recorded on tabs and not saved yet, of those where that has changed; null where it is gone."""

    tabs: dict[str, RecordingState | None]


class Withheld(_Message, tag="withheld"):
    """There is no picture of this tab now, and why."""

    tab_id: str
    reason: str


class Picture(_Message, tag="picture"):
    """What stands before a JPEG; the viewport's size is in CSS pixels."""

    tab_id: str
    number: int
    width: float
    height: float


class Answer(_Message, tag="answer"):
    """The answer to `ask` and `act`; `error` in its place says why there is none."""

    id: int
    value: Any = None
    error: str = ""


FromHub: TypeAlias = Calls | Tabs | HubState | Heard | Console | Recordings | Withheld | Answer
