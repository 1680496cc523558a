"""Permissions at the hub's port: the one table by which the hub decides, from the proof of the other end.

Nothing admits anybody but `kapture.server.authentication`, for requests, and `kapture.hub.sockets`, for the
messages of a tab's socket; both ask `Door.admits`. docs/SECURITY.md shows the table, as
`tests/checks/test_access_table.py` writes it.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

import attrs

from kapture.pairing import ticket


class Caller(Enum):
    """Where a request comes from, judging by its head: no page can forge `Origin`, any program can."""

    PROGRAM = "program"  # a local program, or an address typed by a person
    EXTENSION = "extension"  # Kapture's extension, by its pinned Origin
    OWN_PAGE = "own page"  # a page that this hub served
    NAMED_ORIGIN = "origin let in"  # a page or extension that a person named with --allow-origin
    OTHER_EXTENSION = "another extension"
    LINK = "link"  # a person followed a link on a page of another site


class Who(Enum):
    """The kind of caller, by its proof. The values of those that register tabs are the tabs' kinds."""

    ANYBODY = "anybody"
    OPEN = "open"
    EXTENSION = "extension"
    KEY = "key"
    PERSON = "person"
    CLIENT = "token"
    SESSION = "session"
    REMOTE = "remote"
    CDP = "cdp"
    RELAY = "relay"


COLUMNS = {
    Who.ANYBODY: "anybody, pages too",
    Who.OPEN: "`--no-pairing`",
    Who.EXTENSION: "extension with proof",
    Who.KEY: "program with proof",
    Who.PERSON: "program with ticket",
    Who.CLIENT: "client token",
    Who.SESSION: "Console session",
    Who.REMOTE: "token of a share, at its own port",
    Who.CDP: "CDP ticket",
    Who.RELAY: "relay token",
}

TICKETS = {Who.PERSON: ticket.PERSON, Who.SESSION: ticket.CONSOLE, Who.CDP: ticket.CDP}
"""The tickets by which somebody becomes one of these. That of a Console is traded for a session token."""

Shown: TypeAlias = Literal["header", "first message", "path", "query", "handshake"]
"""Where a proof is, if it is not in the header `Authorization`."""

_PAGES = frozenset(Caller) - {Caller.NAMED_ORIGIN, Caller.OTHER_EXTENSION}
_PROGRAMS = frozenset({Caller.PROGRAM})
_CLIENTS = frozenset({Caller.PROGRAM, Caller.OWN_PAGE, Caller.NAMED_ORIGIN})
_TABS = frozenset({Caller.PROGRAM, Caller.EXTENSION, Caller.NAMED_ORIGIN})
_EXTENSIONS = frozenset({Caller.OTHER_EXTENSION, Caller.EXTENSION})
_PERSON = frozenset({Who.PERSON})


@attrs.frozen
class _Row:
    path: str
    what: str
    callers: frozenset[Caller]
    who: frozenset[Who]
    shown: Shown = "header"
    below: bool = False  # also every path below it


class Door(Enum):
    """Something that is done over the port: a route, or a message on the socket of a tab or a browser."""

    TAB = _Row(
        "/",
        "`register`: be a tab",
        _TABS,
        frozenset({Who.EXTENSION, Who.KEY, Who.CLIENT, Who.OPEN}),
        "handshake",
    )
    BROWSER = _Row(
        "/",
        "`register_browser`: ask the person, answer for them",
        _TABS,
        frozenset({Who.EXTENSION, Who.KEY}),
        "handshake",
    )
    PANEL = _Row(
        "/", "`invoke` and the others of a tab's panel", _TABS, frozenset({Who.EXTENSION, Who.KEY}), "handshake"
    )
    MCP = _Row(
        "/mcp",
        "commands within the grants, as an MCP client",
        _CLIENTS,
        frozenset({Who.CLIENT, Who.SESSION, Who.REMOTE, Who.OPEN}),
        "first message",
    )
    LIVE = _Row(
        "/console/live",
        "see all tabs, clients and the audit log; disconnect, narrow, release",
        frozenset({Caller.OWN_PAGE}),
        frozenset({Who.SESSION}),
        "first message",
    )
    BROWSERS = _Row(ticket.BROWSERS_PATH, "launch and attach, with a grant", _PROGRAMS, _PERSON, "first message")
    RELEASE = _Row(ticket.RELEASE_PATH, "take a tab back from a script", _PROGRAMS, _PERSON, "first message")
    GRANTS = _Row(ticket.GRANTS_PATH, "list and revoke standing grants", _PROGRAMS, _PERSON, "first message")
    SHARE = _Row(ticket.SHARE_PATH, "share the hub with another machine", _PROGRAMS, _PERSON, "first message")
    ROTATE_KEY = _Row(ticket.ROTATE_KEY_PATH, "change the key", _PROGRAMS, _PERSON, "first message")
    CDP = _Row("/cdp", "CDP scripts within the grants", _PROGRAMS, frozenset({Who.CLIENT, Who.CDP}), "path", below=True)
    TARGETS = _Row("/json", "what CDP clients look up", _PROGRAMS, frozenset({Who.CLIENT}), below=True)
    RELAY = _Row(
        "/ws/browser-relay",
        "`--relay`: be a browser's relay",
        _EXTENSIONS | _PROGRAMS,
        frozenset({Who.RELAY}),
        "query",
    )
    RELAY_CONFIG = _Row("/api/browser-relay/config", "`--relay`: its token", _EXTENSIONS, frozenset({Who.ANYBODY}))
    HOME = _Row("/", "go to the Console's page", _PAGES, frozenset({Who.ANYBODY}))
    HEALTH = _Row("/health", "whether a hub runs", _PAGES, frozenset({Who.ANYBODY}))
    CONSOLE = _Row("/console", "the Console's page, without data", _PAGES, frozenset({Who.ANYBODY}), below=True)

    @property
    def path(self) -> str:
        """Its path."""
        return self.value.path

    @property
    def shown(self) -> Shown:
        """Where a proof is, if it is not in the header."""
        return self.value.shown

    def is_at(self, path: str) -> bool:
        """Whether a request for this path is for it."""
        return path == self.path or (self.value.below and path.startswith(f"{self.path}/"))

    def reached_from(self, caller: Caller) -> bool:
        """Whether requests from there are looked at."""
        return caller in self.value.callers

    def admits(self, who: Who) -> bool:
        """Whether they may do it."""
        return who in self.value.who

    @property
    def ticket(self) -> tuple[Who, str] | None:
        """Whom a ticket makes here, and its label; None where there are none."""
        return next(((who, label) for who, label in TICKETS.items() if self.admits(who)), None)


TICKET_PATHS = frozenset(door.path for door in Door if door.admits(Who.PERSON))
"""The paths on which a program acts for the person, by a ticket that it makes with the key."""
