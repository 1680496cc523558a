"""Join a group: what this hub offers to it, and what its clients see of the others."""

from __future__ import annotations

import datetime
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import trio

from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
from kapture.errors import ErrorCode, KaptureError
from kapture.group.caller import Caller, proof_of
from kapture.group.directory import MOST_NAME, MOST_TITLE, MOST_URL, GrantFacts, HubFacts, TabRecord
from kapture.group.engine import RENEW_S, Connect
from kapture.group.files import FilesHere
from kapture.group.key import GroupKey, read_key
from kapture.group.member import Listener, Member
from kapture.group.messages import CLOCK_S, Body
from kapture.group.owner import Owner, caps, share_name
from kapture.hub import Client, Hub
from kapture.hub.client import session_of
from kapture.hub.status import tab_info
from kapture.hub.tabs.tab import Tab
from kapture.policy.policy import FROM_SHARE
from kapture.settings import Settings

logger = logging.getLogger(__name__)

_ASKED_S = 60.0
"""Seconds after the last look at the machines for which they are kept up to date."""
_OF_A_TAB = ("tab_connected", "tab_changed", "tab_disconnected", "tab_gone", "grant_changed")


class HubGroup:
    """`kapture.hub.elsewhere.Elsewhere` for one hub."""

    def __init__(self, hub: Hub, member: Member, server: str, nursery: trio.Nursery) -> None:
        self._hub = hub
        self._server = server
        self._member = member
        policy = hub.state.consent.policy
        self._caller = Caller(member, FilesHere(member, lambda client: policy.files(client.name), nursery))
        self._owner = Owner(member, hub, nursery)
        self._everybody = share_name("*", member.key.name)
        self._reader = Client(name=f"everybody{FROM_SHARE}{self._everybody}", from_group=True)
        """What is offered is what such a client may see."""
        policy.shares[self._everybody] = caps()
        self._machines: Sequence[HubFacts] = ()
        self._asked_at = -_ASKED_S
        member.on = Listener(
            body=self._take,
            undelivered=self._undelivered,
            lost=self._lost,
            tick=self._caller.tick,
            refused=self._hub.state.records.group_refused,
        )

    @property
    def name(self) -> str:
        """The group's name."""
        return self._member.key.name

    @property
    def machine(self) -> str:
        """This machine's name in it."""
        return self._member.machine

    # What clients of this hub see and do

    def has_seen(self, tab_id: str) -> bool:
        """Whether another machine has a tab with this id, or had one a while ago."""
        return self._member.directory.has_seen(tab_id)

    async def rows(self, client: Client) -> Sequence[Mapping[str, Any]]:
        """One row for each tab of the other machines."""
        session = _stands_for(session_of(proof_of(client, self.machine), client.name))
        return [
            {
                "tabId": tab_id,
                "machine": machine,
                "elsewhere": True,
                "own": record.session == session,
                **{_NAMES.get(name, name): value for name, value in record_facts(record).items()},
            }
            for machine, tab_id, record in await self._member.tabs()
            if self._hub.state.router.known(tab_id) is None  # which is what a call for it means here
        ]

    async def call(
        self, client: Client, command: str, arguments: Mapping[str, Any], progress: Progress | None
    ) -> CallResult:
        """Have the machine that has the tab run a call."""
        return await self._caller.call(client, command, arguments, progress)

    def end_all(self, error: KaptureError) -> None:
        """End all calls for other machines' tabs with this error."""
        self._caller.end_all(error)

    def left(self, client: Client) -> None:
        """A client of this hub has left."""
        self._caller.left(client)

    async def look(self) -> None:
        """Bring the list of machines up to date, and keep it so for a while."""
        self._asked_at = trio.current_time()
        self._machines = await self._member.machines()

    def status(self) -> Mapping[str, Any]:
        """What `status` shows of the group."""
        member = self._member
        since = datetime.datetime.fromtimestamp(member.since, datetime.UTC).isoformat(timespec="seconds")
        return {
            "name": self.name,
            "machine": self.machine,
            "server": self._server,
            "away": member.away,
            "since": since.replace("+00:00", "Z"),
            "clockDiffersS": round(member.clock_differs_s, 1) if abs(member.clock_differs_s) > CLOCK_S / 2 else None,
            "offered": len(member.offer),
            "taken": sorted(member.offer.taken),
            "machines": [
                {"machine": one.machine, "version": one.version, "tabs": one.tabs}
                for one in sorted(self._machines, key=lambda one: one.machine)
                if member.away is None
            ],
            "refused": dict(member.refusals),
        }

    # The tasks

    async def serve(self) -> None:
        """Be in the group until cancelled. A mistake of ours ends this, and nothing else."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._member.serve)
                nursery.start_soon(self._follow_tabs)
                nursery.start_soon(self._look_after)
        except* Exception:
            logger.exception("The group is left because of a bug in Kapture.")
            self._member.away = "it was left because of a bug in Kapture"
            self._lost()

    async def close(self) -> None:
        """Leave the group."""
        self._owner.lose_all()
        self._hub.state.consent.policy.shares.pop(self._everybody, None)
        await self._member.leave()

    async def _follow_tabs(self) -> None:
        async with self._hub.subscribe() as events:
            self._offer([tab.tab_id for tab in self._hub.state.router])
            async for event in events:
                if event.kind == "missed":
                    self._offer([tab.tab_id for tab in self._hub.state.router])
                elif event.tab_id is not None and event.kind in _OF_A_TAB:
                    self._offer([event.tab_id])

    def _offer(self, tab_ids: Sequence[str]) -> None:
        for tab_id in tab_ids:
            tab = self._hub.state.router.connected.get(tab_id)
            if tab is None or not tab.for_group:
                self._member.withdraw(tab_id)
            else:
                self._member.put(tab_id, self._record(tab))

    def _record(self, tab: Tab) -> TabRecord:
        state = self._hub.state
        with state.consent.calling(self._reader):
            address = state.consent.shown_address(tab)
        info, owner = tab_info(state, tab), state.owners.of(tab.tab_id)
        opener = state.router.known(info.opener or "")
        return TabRecord(
            kind=info.kind,
            url=address.url[:MOST_URL],
            title=address.title[:MOST_TITLE],
            grant=cast("GrantFacts | None", info.grant),
            connected_at=info.connected_at_text,
            browser=info.browser[:MOST_NAME],
            profile=state.profile_of(tab)[:MOST_NAME],
            opener=info.opener if opener is not None and opener.for_group else None,
            owner=None if owner is None else owner.name[:MOST_NAME],
            session="" if owner is None else _stands_for(owner.session),
        )

    async def _look_after(self) -> None:
        while True:
            await trio.sleep(RENEW_S)
            await self._owner.check()
            if trio.current_time() - self._asked_at < _ASKED_S:
                self._machines = await self._member.machines()

    # What the member tells

    def _take(self, sender: str, body: Body) -> None:
        self._caller.take(sender, body)
        self._owner.take(sender, body)

    def _undelivered(self, run: str, bodies: Sequence[Body]) -> None:
        self._caller.undelivered(run, bodies)
        self._owner.lose(run)

    def _lost(self) -> None:
        self._caller.lost()
        self._owner.lose_all()


_NAMES = {"connected_at": "connectedAt"}


def record_facts(record: TabRecord) -> dict[str, Any]:
    """The facts of a record that rows show."""
    return {name: getattr(record, name) for name in record.__struct_fields__ if name != "session"}


def _stands_for(session: str) -> str:
    """What others see of a session, which is a secret."""
    return hashlib.sha256(session.encode()).hexdigest()[:16]


def configured(settings: Settings) -> tuple[GroupKey, Connect] | None:
    """The key and the server of the settings' group, with nothing connected; None if they name none."""
    if settings.join is None or settings.group_key_file is None:
        return None
    try:
        from kapture.group.redis_engine import RedisServer
    except ImportError as error:
        raise KaptureError(
            ErrorCode.UNSUPPORTED,
            "Joining a group needs coredis, which is not installed.",
            hint='Install it: uv tool install "kapture-mcp[group]", or by pipx or pip.',
        ) from error
    key = read_key(settings.group_key_file)
    return key, RedisServer(settings.join, key.name, settings.group_password_file, settings.group_ca_file).connect


@asynccontextmanager
async def joined(hub: Hub, settings: Settings) -> AsyncIterator[None]:
    """Have the hub in the group of its settings, if they name one, for the length of the block."""
    if (found := configured(settings)) is None or settings.join is None:
        yield
        return
    key, connect = found
    async with in_group(hub, connect, key, settings.machine, settings.join.shown):
        yield


@asynccontextmanager
async def in_group(
    hub: Hub,
    connect: Connect,
    key: GroupKey,
    machine: str,
    server: str,
    *,
    clock: Callable[[], float] = time.time,
) -> AsyncIterator[Member]:
    """Have the hub in a group with this key for the length of the block. `server`: for people."""
    member = Member(connect, key, machine, clock=clock)
    async with trio.open_nursery() as nursery:
        group = HubGroup(hub, member, server, nursery)
        hub.state.group.elsewhere = group
        nursery.start_soon(group.serve)
        try:
            yield member
        finally:
            hub.state.group.elsewhere = None
            await group.close()
            nursery.cancel_scope.cancel()
