"""Whose tab it is.

A tab that a client has opened, or a page of such a tab, is that client's: others get `TAB_BUSY`, for reading too. Tabs
that a person has connected are nobody's. What counts is the client's session (`kapture.hub.client`), never its name.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import msgspec
import trio

from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.call import now_text
from kapture.hub.client import Client, colour_of
from kapture.private_files import private_folder, write_private_file
from kapture.settings import at_limit

logger = logging.getLogger(__name__)

FILE_NAME = "owners.json"
GONE_S = 600.0
"""Seconds after which a session that is gone has no tabs any more."""
_MAX_BYTES = 1024 * 1024


@attrs.define(kw_only=True)
class Owner:
    """The client that has a tab. `shared`: others may use it too; `guests`: sessions that its person has let in."""

    session: str
    name: str
    shared: bool = False
    guests: set[str] = attrs.field(factory=set)
    since: str = attrs.field(factory=now_text)

    @property
    def colour(self) -> str:
        """The colour in which people see the client."""
        return colour_of(self.name)

    def shown(self) -> dict[str, str]:
        """What people see of it."""
        return {"name": self.name, "colour": self.colour}


class Owners:
    """The owners of one hub's tabs, kept in a file for the next hub. `run` ends sessions and writes the file.

    `limit`: of tabs that a client may have. `on_change` is called with the id of a tab that has another owner;
    `on_left` with that of one that its owner has left behind, before it is anybody's.
    """

    def __init__(self, home: Path, limit: int, *, gone_s: float = GONE_S) -> None:
        self._file = home / FILE_NAME
        self._limit = limit
        self._gone_s = gone_s
        self._tabs: dict[str, Owner] = _read(self._file)
        self._away = set(self._tabs)
        """Of the hub before, and not connected again yet."""
        self._present: Counter[str] = Counter()
        now = trio.current_time()
        self._left_at = {owner.session: now for owner in self._tabs.values()}
        self._opening: Counter[str] = Counter()
        self._changed = Changed()
        self._written = self._content()
        self.profile_of: Callable[[str], str] = lambda _: ""
        """The name of a tab's browser profile."""
        self.on_change: Callable[[str], None] = lambda _: None
        self.on_left: Callable[[str], None] = lambda _: None

    def of(self, tab_id: str) -> Owner | None:
        """The owner of a tab; None if it is nobody's."""
        return self._tabs.get(tab_id)

    def sees(self, client: Client, tab_id: str) -> bool:
        """Whether there is such a tab for a client that is bound to a browser profile."""
        return not client.browser or same_name(self.profile_of(tab_id), client.browser)

    def may_use(self, client: Client, tab_id: str) -> bool:
        """Whether this client may use, and read, the tab as far as it belongs to anybody."""
        owner = self._tabs.get(tab_id)
        return self.sees(client, tab_id) and (
            owner is None
            or owner.shared
            or client.is_person
            or client.session == owner.session
            or client.session in owner.guests
        )

    def owns(self, client: Client, tab_id: str) -> bool:
        """Whether the tab is this client's."""
        owner = self._tabs.get(tab_id)
        return owner is not None and owner.session == client.session

    def check(self, client: Client, tab_id: str) -> None:
        """`TAB_BUSY` if the tab is another client's, `TAB_NOT_FOUND` if it is in a browser that is not the client's."""
        if not self.sees(client, tab_id):
            raise KaptureError(
                ErrorCode.TAB_NOT_FOUND,
                f"There is no tab {tab_id[:128]!r} in the browser {client.browser}.",
                hint=Wording("{list_tabs} shows the connected tabs."),
                data={"tabId": tab_id[:128]},
            )
        if not self.may_use(client, tab_id):
            raise self._busy(tab_id)

    def _busy(self, tab_id: str) -> KaptureError:
        name = self._tabs[tab_id].name
        return KaptureError(
            ErrorCode.TAB_BUSY,
            f"Tab {tab_id} belongs to another client, {name}.",
            hint=Wording(
                "Use a tab of your own: {tab_new}.",
                "Or ask the person to let you in: {request_tab} with its tabId.",
                "Its owner shares it with {tab_release}.",
            ),
            data={"tabId": tab_id, "owner": name},
        )

    # Who gets a tab

    def own(self, client: Client, tab_id: str, *, shared: bool = False) -> None:
        """The tab, which this client has opened, is its own, unless it is somebody's already; `shared`: others' too.
        Programs of one call, and people, own nothing."""
        if not client.owns_tabs:
            return
        owner = self._tabs.get(tab_id)
        if owner is None:
            owner = self._tabs[tab_id] = Owner(session=client.session, name=client.display_name)
            if not self._present[client.session]:
                self._left_at[client.session] = trio.current_time()
        if owner.session == client.session:
            owner.shared |= shared
            self._notify(tab_id)

    def returned(self, tab_id: str) -> bool:
        """A tab has connected. Returns whether it has an owner already."""
        self._away.discard(tab_id)
        return tab_id in self._tabs

    def inherit(self, opener_id: str, tab_id: str) -> bool:
        """The tab is its opener's owner's too. Returns whether there is one."""
        opener = self._tabs.get(opener_id)
        if opener is not None and tab_id not in self._tabs:
            self._tabs[tab_id] = attrs.evolve(opener, guests=set(opener.guests))
            self._notify(tab_id)
        return opener is not None

    def release(self, client: Client, tab_id: str) -> None:
        """The client's tab is nobody's from now on; `TAB_BUSY` if it is another's."""
        self.check(client, tab_id)
        owner = self._tabs.get(tab_id)
        if owner is not None and not self.owns(client, tab_id) and not client.is_person:
            raise self._busy(tab_id)
        self.free(tab_id)

    def free(self, tab_id: str) -> None:
        """The tab is nobody's, because its person wants it so, or it is gone."""
        if self._tabs.pop(tab_id, None) is not None:
            self._notify(tab_id)

    def let_in(self, client: Client, tab_id: str) -> None:
        """The person lets a client use another's tab."""
        if (owner := self._tabs.get(tab_id)) is not None:
            owner.guests.add(client.session)
            self._notify(tab_id)

    # How many

    @contextmanager
    def opening(self, client: Client) -> Iterator[None]:
        """Open a tab for this client in the block; `QUEUE_FULL` if it has as many as it may have."""
        self._check_room(client.session, client.owns_tabs)
        self._opening[client.session] += 1
        try:
            yield
        finally:
            self._opening[client.session] -= 1

    def check_room_beside(self, opener_id: str) -> None:
        """`QUEUE_FULL` if the owner of this tab, whose page opens another one, has as many as it may have."""
        if (owner := self._tabs.get(opener_id)) is not None and not self._opening[owner.session]:
            self._check_room(owner.session, True)

    def _check_room(self, session: str, counts: bool) -> None:
        has = self._opening[session] + sum(tab_id not in self._away for tab_id in self._tabs_of(session))
        if counts and has >= self._limit:
            _, hint = at_limit("tabs", "max_tabs_per_client", self._limit)
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                f"This client has {has} tabs, as many as max_tabs_per_client allows.",
                hint=Wording("Give some up with {tab_release}.", hint),
            )

    # Sessions

    def joined(self, client: Client) -> None:
        """A client of this session has connected: it has its tabs again."""
        self._present[client.session] += 1
        self._left_at.pop(client.session, None)

    def left(self, client: Client) -> None:
        """A client of this session has disconnected. A script leaves for good; others may come back."""
        self._present[client.session] -= 1
        if self._present[client.session] > 0:
            return
        del self._present[client.session]
        if client.kind == "cdp":
            for tab_id in self._tabs_of(client.session):
                self.free(tab_id)
        elif self._tabs_of(client.session):
            self._left_at[client.session] = trio.current_time()
            self._changed.notify()

    def _tabs_of(self, session: str) -> list[str]:
        return [tab_id for tab_id, owner in self._tabs.items() if owner.session == session]

    async def run(self) -> None:
        """End sessions that have been gone for too long, and write the file on every change."""
        while True:
            upcoming = self._changed.upcoming
            for session, at in list(self._left_at.items()):
                if trio.current_time() >= at + self._gone_s:
                    self._end(session)
            self._write()
            soonest = min(self._left_at.values(), default=float("inf"))
            with trio.move_on_at(soonest + self._gone_s):
                await upcoming.wait()

    def _end(self, session: str) -> None:
        del self._left_at[session]
        for tab_id in self._tabs_of(session):
            if not self._tabs[tab_id].shared:
                self.on_left(tab_id)
            self.free(tab_id)

    def _notify(self, tab_id: str) -> None:
        self._changed.notify()
        self.on_change(tab_id)

    # The file

    def _content(self) -> bytes:
        return msgspec.json.encode(self._tabs)

    def _write(self) -> None:
        if (content := self._content()) == self._written:
            return
        self._written = content
        try:
            write_private_file(private_folder(self._file.parent) / self._file.name, content, durable=False)
        except KaptureError as error:
            logger.warning("Whose tabs these are is not kept for the next start: %s", error.explanation)


def same_name(name: str, other: str) -> bool:
    """Whether these are the same name of a browser profile."""
    return name.strip().casefold() == other.strip().casefold()


def _read(path: Path) -> dict[str, Owner]:
    """The file's content; empty if it is missing, damaged or too large."""
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_BYTES), type=dict[str, Owner])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
