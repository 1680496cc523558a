"""The messages between the hub and a program that has it launch a browser or attach to one: `/browsers`.

The program sends one request. The hub answers `connected` each time the browser's tabs are connected, `lost` when it
will try again, and `failed` at the end. Before and between these it sends `kept`, which the program gives to the next
hub, should this one end. When the program closes the socket, a launched browser is ended and an attached
one is left running.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct
from msgspec.json import Decoder

from kapture.errors import KaptureError
from kapture.wire.failed import Failed
from kapture.wire.messages import WireGrant


class _Message(Struct, tag_field="type", rename="camel", omit_defaults=True):
    """The envelope: `type`, and the fields of the class."""


class Launch(_Message, tag="launch", kw_only=True):
    """Start a browser. `browser`: a path; `profile` None: a temporary one; `environment`: variables for its display."""

    grant: WireGrant
    browser: str
    headless: bool
    profile: str | None = None
    urls: list[str] = []
    extra: list[str] = []
    environment: dict[str, str] = {}
    group: bool = False  # its tabs are also for the agents of the hub's group


class KeptTab(Struct, rename="camel", omit_defaults=True):
    """The facts of a tab for a later hub: its id, whether Kapture opened it, whether it is to be left alone, and what
    is left of its grant if a part was taken away."""

    target: str
    tab_id: Annotated[str, Meta(pattern="^[a-z2-7]{8}$")]
    opened: bool = False
    let_go: bool = False
    grant: WireGrant | None = None


class Kept(_Message, tag="kept"):
    """The facts of an attached browser for a later hub, complete each time. `owner` is the secret of its tabs' ids."""

    owner: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    tabs: list[KeptTab]


class Attach(_Message, tag="attach", kw_only=True):
    """Attach to a browser that was started by somebody else. `certificates` (PEM) are trusted beside the system's.

    `kept`: what the last hub sent.
    """

    grant: WireGrant
    endpoint: str
    headers: dict[str, str] = {}
    certificates: str = ""
    kept: Kept | None = None
    group: bool = False  # as of `Launch`


FromProgram: TypeAlias = Launch | Attach


class Connected(_Message, tag="connected"):
    """The browser is connected, with these tabs: rows as `list_tabs` has them. `problems`: which of the URLs that were
    asked for could not be opened, and why."""

    tabs: list[dict[str, Any]]
    problems: list[str] = []


class Lost(_Message, tag="lost"):
    """The connection was lost; the hub will try again."""

    message: str
    retry_ms: float


FromHub: TypeAlias = Connected | Lost | Kept
FROM_HUB: Decoder[FromHub] = Decoder(FromHub | Failed)


def not_opened(url: str, error: KaptureError) -> str:
    """Return the page for a person who opens this URL."""
    return f"{url[:500]} is not opened: {error.explanation}"
