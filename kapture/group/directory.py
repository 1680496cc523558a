"""Which hub has which tab, as the group's server has it; and what this hub offers.

Each hub's facts and each tab's record are signed with the group's key, together with the run and the tab id that they
are for. Where a call goes is looked up when it is made, and remembered for as long as a lease; a hub refuses calls for
tabs that it has not, so that an outdated route does no harm.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Annotated, Any, TypeAlias, TypedDict

import attrs
import msgspec
import trio
from msgspec import Meta, Struct

from kapture.group.engine import LEASE_S, Engine
from kapture.group.key import GroupKey
from kapture.group.messages import CLOCK_S

_SIGNATURE = 32
_MOST_ROUTES = 10_000
_MOST_SEEN, _SEEN_S = 100_000, 3_600.0
_MOST_STRANGERS = 100
_MOST_TABS = 2_000
"""Tabs of one hub that are listed."""
_TAB_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
MOST_URL, MOST_TITLE, MOST_NAME = 2_000, 300, 500
_Url: TypeAlias = Annotated[str, Meta(max_length=MOST_URL)]
_Title: TypeAlias = Annotated[str, Meta(max_length=MOST_TITLE)]
_Name: TypeAlias = Annotated[str, Meta(max_length=MOST_NAME)]


class GrantFacts(TypedDict):
    """A tab's grant, as `kapture.policy.Grant` writes it."""

    sites: Annotated[list[_Name], Meta(max_length=1_000)]
    level: _Name


class HubFacts(Struct, array_like=True):
    """A hub, as it describes itself. `at`: its clock, in Unix seconds; `tabs`: how many it offers."""

    machine: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,39}\Z")]
    version: _Name
    at: float
    tabs: int


class TabRecord(Struct, array_like=True):
    """A tab, as far as its grant allows to show it. `session`: stands for the session of the client that owns it."""

    kind: _Name
    url: _Url
    title: _Title
    grant: GrantFacts | None
    connected_at: _Name
    browser: _Name
    profile: _Name
    opener: _Name | None = None
    owner: _Name | None = None
    session: _Name = ""


_FACTS: msgspec.msgpack.Decoder[HubFacts] = msgspec.msgpack.Decoder(HubFacts)
_RECORD: msgspec.msgpack.Decoder[TabRecord] = msgspec.msgpack.Decoder(TabRecord)
_encode = msgspec.msgpack.Encoder().encode


def _read(key: GroupKey, decoder: msgspec.msgpack.Decoder[Any], of: str, raw: bytes) -> Any:
    """What is signed for this run and tab; None if it is not."""
    signature, content = raw[:_SIGNATURE], raw[_SIGNATURE:]
    if not key.verify(b"record", of.encode() + b"\n" + content, signature):
        return None
    try:
        return decoder.decode(content)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def _signed(key: GroupKey, of: str, value: Struct) -> bytes:
    content = _encode(value)
    return key.sign(b"record", of.encode() + b"\n" + content) + content


@attrs.define
class Offer:
    """What one hub offers, and how much of it the server does not know yet."""

    key: GroupKey
    run: str
    _tabs: dict[str, bytes] = attrs.field(factory=dict)
    _changed: set[str] = attrs.field(factory=set)
    _gone: set[str] = attrs.field(factory=set)
    taken: set[str] = attrs.field(factory=set)
    """Ids that another hub has: these tabs are not offered."""

    def __len__(self) -> int:
        return len(self._tabs.keys() - self.taken)

    @property
    def pending(self) -> bool:
        """Whether the server does not know all of it."""
        return bool(self._changed or self._gone)

    def put(self, tab_id: str, record: TabRecord) -> bool:
        """Offer a tab, or change what is offered of it; returns whether that is anything new."""
        signed = _signed(self.key, f"{self.run} {tab_id}", record)
        if self._tabs.get(tab_id) == signed:
            return False
        self._tabs[tab_id] = signed
        self._changed.add(tab_id)
        self._gone.discard(tab_id)
        return True

    def withdraw(self, tab_id: str) -> bool:
        """Offer a tab no more; returns whether it was offered."""
        self.taken.discard(tab_id)
        self._changed.discard(tab_id)
        if self._tabs.pop(tab_id, None) is None:
            return False
        self._gone.add(tab_id)
        return True

    def all_again(self) -> None:
        """The server knows nothing of it, or nobody knows what it knows."""
        self._changed = set(self._tabs)

    def facts(self, machine: str, version: str, now: float) -> bytes:
        """The hub's facts."""
        return _signed(self.key, self.run, HubFacts(machine, version, now, len(self)))

    def changes(self) -> tuple[Mapping[str, bytes], frozenset[str]]:
        """The changes that the server does not know; `renewed` says when it does. Ids that another hub has are tried
        again: its lease may have ended."""
        changed = {tab_id: self._tabs[tab_id] for tab_id in self._changed | self.taken}
        self._changed = set()
        return changed, frozenset(self._gone)

    def renewed(self, gone: frozenset[str], taken: Collection[str]) -> list[str]:
        """The server knows the changes, and has found that another hub has these ids; returns those that are new."""
        self._gone -= gone
        before, self.taken = self.taken, {tab_id for tab_id in taken if tab_id in self._tabs}
        return sorted(self.taken - before)


@attrs.define
class Directory:
    """What the other hubs offer. `clock`: Unix seconds. `on_stranger` is called once for each hub whose facts are not
    signed with the group's key, with its run."""

    key: GroupKey
    run: str
    clock: Callable[[], float]
    on_stranger: Callable[[str], None] = lambda _: None
    _routes: OrderedDict[str, tuple[str, float]] = attrs.field(factory=OrderedDict)
    _machines: dict[str, tuple[str, float]] = attrs.field(factory=dict)
    _strangers: OrderedDict[str, None] = attrs.field(factory=OrderedDict)
    _seen: OrderedDict[str, float] = attrs.field(factory=OrderedDict)

    def has_seen(self, tab_id: str) -> bool:
        """Whether a hub has had a tab with this id within `_SEEN_S`."""
        return trio.current_time() < self._seen.get(tab_id, -math.inf)

    def _note(self, tab_id: str) -> None:
        self._seen[tab_id] = trio.current_time() + _SEEN_S
        self._seen.move_to_end(tab_id)
        if len(self._seen) > _MOST_SEEN:
            self._seen.popitem(last=False)

    async def route(self, engine: Engine, tab_id: str) -> str | None:
        """The run of the hub that has a tab; None if none has."""
        if (known := self._routes.get(tab_id)) is not None and trio.current_time() < known[1]:
            return known[0]
        self._routes.pop(tab_id, None)
        run = await engine.owner(tab_id)
        if run is None or run == self.run or await self._known(engine, run) is None:
            return None
        self.keep_route(tab_id, run)
        return run

    def keep_route(self, tab_id: str, run: str) -> None:
        """This hub has the tab: it was looked up, or has answered."""
        self._note(tab_id)
        self._routes[tab_id] = (run, trio.current_time() + LEASE_S)
        if len(self._routes) > _MOST_ROUTES:
            self._routes.popitem(last=False)

    def forget_route(self, tab_id: str) -> None:
        """The hub that had a tab has it no more."""
        self._routes.pop(tab_id, None)

    def forget_hub(self, run: str) -> None:
        """A hub cannot be reached."""
        self._machines.pop(run, None)
        for tab_id in [tab_id for tab_id, (of, _) in self._routes.items() if of == run]:
            del self._routes[tab_id]

    def forget_all(self) -> None:
        """The server has been away for a lease."""
        self._routes.clear()
        self._machines.clear()

    def machine(self, run: str) -> str:
        """The name of a hub's machine, as it was when a tab of it was looked up; "" if it is not known."""
        return self._machines.get(run, ("", 0.0))[0]

    async def machines(self, engine: Engine) -> list[HubFacts]:
        """The other machines."""
        hubs = await engine.hubs(tabs=False)
        found = (self._facts(run, hub.get("")) for run, hub in hubs.items() if run != self.run)
        return [facts for facts in found if facts is not None]

    async def tabs(self, engine: Engine) -> list[tuple[str, str, TabRecord]]:
        """All tabs of the other machines: machine, tab id, record."""
        rows = []
        for run, hub in (await engine.hubs(tabs=True)).items():
            if run == self.run or (facts := self._facts(run, hub.get(""))) is None:
                continue
            await trio.lowlevel.checkpoint()
            for tab_id, raw in islice(hub.items(), _MOST_TABS):
                known = _TAB_ID.fullmatch(tab_id) is not None
                record = _read(self.key, _RECORD, f"{run} {tab_id}", raw) if known else None
                if record is not None:
                    self._note(tab_id)
                    rows.append((facts.machine, tab_id, record))
        return sorted(rows, key=lambda row: row[:2])

    async def _known(self, engine: Engine, run: str) -> str | None:
        machine, until = self._machines.get(run, ("", 0.0))
        if trio.current_time() < until:
            return machine
        facts = self._facts(run, await engine.facts(run))
        if facts is None:
            return None
        for known, (_, until) in list(self._machines.items()):
            if until < trio.current_time():
                del self._machines[known]
        self._machines[run] = (facts.machine, trio.current_time() + LEASE_S)
        return facts.machine

    def _facts(self, run: str, raw: bytes | None) -> HubFacts | None:
        """The facts of a hub; None if there are none, it is no member, or its clock differs too much."""
        if raw is None:
            return None
        facts: HubFacts | None = _read(self.key, _FACTS, run, raw)
        if facts is None:
            if run not in self._strangers:
                self._strangers[run] = None
                if len(self._strangers) > _MOST_STRANGERS:
                    self._strangers.popitem(last=False)
                self.on_stranger(run)
            return None
        return facts if abs(self.clock() - facts.at) <= CLOCK_S + LEASE_S else None
