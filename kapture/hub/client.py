"""A client of the hub, its session and how people see it, what it was shown of each tab; and all clients that are
connected.

A session outlives a connection: a client that shows the same secret again, its proof of session, continues it. Names
prove nothing.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import secrets
import zlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

import attrs

from kapture.commands.core.context import ClientView
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.carried_files import FileCarrier
from kapture.hub.events import Events
from kapture.policy.shown import escaped

ClientKind: TypeAlias = Literal["stdio", "websocket", "http", "panel", "console", "cli", "cdp"]
Elicit: TypeAlias = Callable[[str, str], Awaitable[str | None]]
"""Asks the client's person by title and detail; answers `once`, `tab`, `deny`, or None when nobody could be asked."""

_MAX_VIEWS = 256
_numbers = itertools.count(1)

COLOURS = ("blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange")
"""The colours of clients: those of Chrome's tab groups, without grey."""
_MOST_SHOWN = 60
_PROOF = re.compile(r"[A-Za-z0-9_-]{32,128}")


def colour_of(display_name: str) -> str:
    """The colour in which a client with this display name is shown, always the same: one of `COLOURS`."""
    return COLOURS[zlib.crc32(display_name.encode()) % len(COLOURS)]


def display_name_of(name: str, session_name: str, ends: str = "") -> str:
    """How people see a client: `Claude Code · shop-fix`. In one line, without invisible characters. `ends`: of the
    name, which stays when it is cut."""
    named = " ".join(escaped(name.removesuffix(ends)).split())[:_MOST_SHOWN]
    parts = (f"{named} {ends}".strip(), " ".join(escaped(session_name).split())[:_MOST_SHOWN])
    return " · ".join(part for part in parts if part)


def session_of(proof: str | None, name: str = "") -> str:
    """The id of the session of the client with this name and proof, which it does not reveal; a new one without a
    proof.

    `INVALID_PARAMS` for a proof that could be guessed.
    """
    if proof is None:
        return secrets.token_hex(16)
    if _PROOF.fullmatch(proof) is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "The header Kapture-Session must hold 32 to 128 random letters, digits, dashes or underscores.",
            hint="Make it anew for each session, and tell nobody.",
        )
    return hashlib.sha256(f"{proof}\n{name}".encode()).hexdigest()[:32]


@attrs.define(eq=False, kw_only=True)
class Client:
    """One connected client. `name` is the name it gave itself, by which policy knows it, `title` the same for people,
    `session_name` tells its sessions apart; people see `display_name`, in `colour`. `share`: through which it
    comes. `carrier`: of its files, which are on another machine."""

    name: str
    version: str = ""
    kind: ClientKind = "websocket"
    title: str = ""
    session_name: str = ""
    share: str = ""
    browser: str = ""  # the name of the one browser profile whose tabs it sees; "": all
    from_group: bool = False  # it is another machine's, in the hub's group
    session: str = attrs.field(factory=lambda: session_of(None), repr=False)
    elicit: Elicit | None = None
    carrier: FileCarrier | None = None
    client_id: str = attrs.field(factory=lambda: f"client-{next(_numbers)}", init=False)
    calls: int = attrs.field(default=0, init=False)
    _views: OrderedDict[str, ClientView] = attrs.field(factory=OrderedDict, init=False)

    @property
    def known_as(self) -> str:
        """The name by which a standing grant knows the client. That of one which comes through a share ends with the
        share's."""
        return escaped(self.name)

    @property
    def line(self) -> str:
        """With whom it waits for its turn on a tab, and for the person's answers: those of one share, which may be as
        many as they like, count as one, and all of the hub's group, who may call themselves any machine."""
        return "group" if self.from_group else f"@{self.share}" if self.share else self.client_id

    @property
    def is_person(self) -> bool:
        """Whether the person acts, in a tab's panel or in the Console."""
        return self.kind in ("panel", "console")

    @property
    def owns_tabs(self) -> bool:
        """Whether the tabs that it opens are its own: neither a person nor a program of one call keeps any."""
        return not self.is_person and self.kind != "cli"

    @property
    def display_name(self) -> str:
        """How people see the client. Whatever it calls itself, the share through which it comes is seen."""
        return display_name_of(self.title or self.name, self.session_name, f"@{self.share}" if self.share else "")

    @property
    def colour(self) -> str:
        """The colour in which people see it."""
        return colour_of(self.display_name)

    def inner(self) -> Client:
        """A client for the commands that a call of this one runs: with a view of tabs of its own, else the same."""
        return Client(
            name=self.name,
            version=self.version,
            kind=self.kind,
            title=self.title,
            session_name=self.session_name,
            share=self.share,
            browser=self.browser,
            from_group=self.from_group,
            session=self.session,
            elicit=self.elicit,
            carrier=self.carrier,
        )

    def view(self, tab_id: str) -> ClientView:
        """Return the views of a tab that this client has seen."""
        view = self._views.get(tab_id)
        if view is None:
            view = self._views[tab_id] = ClientView(client_id=self.client_id)
            if len(self._views) > _MAX_VIEWS:
                self._views.popitem(last=False)
        self._views.move_to_end(tab_id)
        return view

    def forget(self, tab_id: str) -> None:
        """Drop what the client was shown of a tab that is gone."""
        self._views.pop(tab_id, None)

    def described(self) -> dict[str, str]:
        """Name, session's name and kind, for logs."""
        named = {"session": self.session_name} if self.session_name else {}
        return {"id": self.client_id, "name": self.name, "kind": self.kind, **named}


class Clients:
    """All clients that are connected now. Joining and leaving are published as events.

    `on_joined` and `on_left` are called with the client.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self.on_joined: Callable[[Client], None] = lambda _: None
        self.on_left: Callable[[Client], None] = lambda _: None
        self._connected: dict[str, Client] = {}
        self._panels: dict[str, Client] = {}

    def __iter__(self) -> Iterator[Client]:
        """The connected clients, without the panels."""
        return iter(tuple(self._connected.values()))

    def __len__(self) -> int:
        return len(self._connected)

    @contextmanager
    def join(self, client: Client) -> Iterator[Client]:
        """Add a client for the duration of the block. What it was shown of tabs is dropped with it."""
        self._connected[client.client_id] = client
        self.on_joined(client)
        self._events.publish("client_joined")
        try:
            yield client
        finally:
            del self._connected[client.client_id]
            self.on_left(client)
            self._events.publish("client_left")

    def panel(self, tab_id: str) -> Client:
        """The client for which a tab's own panel runs commands."""
        return self._panels.setdefault(tab_id, Client(name="panel", kind="panel"))

    def forget_tab(self, tab_id: str) -> None:
        """Drop what a gone tab's panel and the clients were shown of it."""
        self._panels.pop(tab_id, None)
        for client in self._connected.values():
            client.forget(tab_id)
