"""Calls for tabs of other machines: sent to the hub that has the tab, and waited for.

A call runs at most once: it is sent once, in a numbered envelope, and never again. While one is waited for, its hub is
asked each few seconds which of them it still has; a hub that has not been heard for a lease is lost, and its calls fail
with `TAB_DISCONNECTED`.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs
import msgspec
import trio

from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
from kapture.errors import ErrorCode, KaptureError, TabNotFound
from kapture.group import messages
from kapture.group.engine import LEASE_S
from kapture.group.files import CallWithFiles, FilesHere
from kapture.group.member import Member
from kapture.group.messages import Agent, Answered, Body, Failed, Large, Refused, Reported, Unknown
from kapture.hub.client import Client
from kapture.hub.elsewhere import not_for_group

_MOST_REPORTED = 500
_MOST_CLIENTS = 1_000
"""Clients of which it is known where they have called."""


@attrs.frozen
class _Known:
    """A client as others know it, and the hubs that it has called."""

    agent: Agent
    runs: set[str] = attrs.field(factory=set)


@attrs.define(eq=False)
class _Pending:
    """A call that is waited for. `sent`: all of it, in chunks too. `undelivered`: there is no such hub, so that it has
    not run."""

    run: str
    tab_id: str
    files: CallWithFiles
    sent_at: float = attrs.field(factory=trio.current_time)
    changed: trio.Event = attrs.field(factory=trio.Event)
    end: Answered | Failed | Large | KaptureError | None = None
    reported: Reported | None = None
    sent: bool = False
    undelivered: bool = False

    def ends(self, end: Answered | Failed | Large | KaptureError) -> None:
        """End it. The first end counts."""
        if self.end is None:
            self.end = end
            self.changed.set()


class Caller:
    """The calls of this hub's clients for the tabs of other machines. `files`: carries their files."""

    def __init__(self, member: Member, files: FilesHere | None = None) -> None:
        self._member = member
        self._files = files
        self._numbers = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._known: dict[str, _Known] = {}
        self._heard: dict[str, float] = {}

    async def call(
        self, client: Client, command: str, arguments: Mapping[str, Any], progress: Progress | None
    ) -> CallResult:
        """Have the hub with the tab run a call; `TAB_NOT_FOUND` if none has it, `TAB_DISCONNECTED` if it is lost."""
        tab_id = str(arguments["tabId"])
        refusal: KaptureError | None = None
        before = None
        for _ in range(2):  # where it has gone, if the hub that had it has it no more
            run = await self._member.route(tab_id)
            if run in (None, before):
                break
            pending = await self._ask(run, tab_id, client, command, arguments, progress)
            try:
                if not pending.undelivered:
                    result = await self._result(pending)
                    self._member.directory.keep_route(tab_id, run)
                    return result
            except TabNotFound as error:
                refusal = error
            self._member.directory.forget_route(tab_id)
            before = run
        raise refusal or not_for_group(tab_id)

    def left(self, client: Client) -> None:
        """A client has left: the other hubs need keep nothing for it."""
        known = self._known.pop(client.client_id, None)
        for run in () if known is None else known.runs:
            with suppress(KaptureError):
                self._member.post(run, messages.Left(client.client_id))

    def end_all(self, error: KaptureError) -> None:
        """End all calls with this error."""
        for pending in self._pending.values():
            pending.ends(error)

    async def _ask(
        self,
        run: str,
        tab_id: str,
        client: Client,
        command: str,
        arguments: Mapping[str, Any],
        progress: Progress | None,
    ) -> _Pending:
        """Send a call and wait for its end."""
        number = next(self._numbers)
        pending = self._pending[number] = _Pending(run, tab_id, CallWithFiles(client, arguments))
        if (known := self._known.get(client.client_id)) is None:
            known = self._known[client.client_id] = _Known(agent_of(client, self._member.machine))
            if len(self._known) > _MOST_CLIENTS:
                del self._known[next(iter(self._known))]
        known.runs.add(run)
        agent, given = known.agent, _encoded(arguments)
        try:
            await self._member.send(run, messages.Call(number, agent, command, given, progress is not None))
            pending.sent = True
            while pending.end is None and not pending.undelivered:
                await pending.changed.wait()
                if (reported := pending.reported) is not None and pending.end is None:
                    pending.changed, pending.reported = trio.Event(), None
                    if progress is not None:
                        await progress(reported.done, reported.total, reported.message[:_MOST_REPORTED])
            return pending
        finally:
            del self._pending[number]
            if not pending.undelivered and (pending.end is None or isinstance(pending.end, KaptureError)):
                with suppress(KaptureError):
                    self._member.post(run, messages.Cancel(number))

    async def _result(self, pending: _Pending) -> CallResult:
        end = pending.end
        try:
            if isinstance(end, Large):
                fetched = await self._member.fetch(end)
                assert isinstance(fetched, Answered | Failed)  # noqa: S101  `fetch` has looked
                end = fetched
            if isinstance(end, Answered | Failed):
                return messages.result_of(end, self._machine(pending.run))
        except Refused as refused:
            self._member.refused("message", pending.run, str(refused))
            raise self._lost(pending) from None
        assert isinstance(end, KaptureError)  # noqa: S101  nothing else is left
        raise end

    def _machine(self, run: str) -> str:
        return self._member.directory.machine(run) or "another machine"

    def _lost(self, pending: _Pending) -> KaptureError:
        machine = self._machine(pending.run)
        return KaptureError(
            ErrorCode.TAB_DISCONNECTED,
            f"The connection to {machine}, which has tab {pending.tab_id}, was lost while this ran; it may have taken "
            "effect.",
            hint="Look at the page before trying again.",
            data={"tabId": pending.tab_id, "machine": machine},
        )

    # What the member tells

    def take(self, sender: str, body: Body) -> None:
        """Take a message on a call."""
        self._heard[sender] = trio.current_time()
        if isinstance(body, Unknown):
            for number in body.calls:
                self._end(sender, number, None)
        elif isinstance(body, Answered | Failed) or (isinstance(body, Large) and not body.is_call):
            self._end(sender, body.call, body)
        elif isinstance(body, messages.FilesAsked) and self._files is not None:
            of_sender = (one.files for one in self._pending.values() if one.run == sender)
            self._files.take(sender, body, [call for call in of_sender if call.client.client_id == body.agent])
        elif isinstance(body, Reported) and (pending := self._of(sender, body.call)) is not None:
            pending.reported = body
            pending.changed.set()

    def undelivered(self, run: str, bodies: Sequence[Body]) -> None:
        """There is no such hub: these messages have not arrived, and what it ran before is lost."""
        for body in bodies:
            is_call = isinstance(body, messages.Call) or (isinstance(body, Large) and body.is_call)
            if is_call and (pending := self._pending.get(body.call)) is not None:  # type: ignore[union-attr]
                pending.undelivered = True
                pending.changed.set()
        self._lose(run)

    def lost(self) -> None:
        """The server has been away for a lease."""
        for run in {pending.run for pending in self._pending.values()}:
            self._lose(run)

    def tick(self) -> None:
        """Ask the hubs which calls they still have; those that have not been heard for a lease are lost."""
        now, awaited = trio.current_time(), dict[str, list[int]]()
        for number, pending in self._pending.items():
            if pending.sent and not pending.undelivered:
                awaited.setdefault(pending.run, []).append(number)
        for run, numbers in awaited.items():
            since = min(self._pending[number].sent_at for number in numbers)
            if now - max(since, self._heard.get(run, since)) > LEASE_S:
                self._lose(run)
                continue
            with suppress(KaptureError):
                self._member.post(run, messages.Awaited(numbers))
        self._heard = {run: at for run, at in self._heard.items() if run in awaited}

    def _lose(self, run: str) -> None:
        self._member.directory.forget_hub(run)
        for pending in self._pending.values():
            if pending.run == run and not pending.undelivered:
                pending.ends(self._lost(pending))

    def _of(self, sender: str, number: int) -> _Pending | None:
        pending = self._pending.get(number)
        return pending if pending is not None and pending.run == sender else None

    def _end(self, sender: str, number: int, end: Answered | Failed | Large | None) -> None:
        if (pending := self._of(sender, number)) is not None:
            pending.ends(self._lost(pending) if end is None else end)


def agent_of(client: Client, machine: str) -> Agent:
    """A client as other hubs know it. Its session is not revealed."""
    return Agent(
        id=client.client_id,
        machine=machine,
        name=client.name[:200],
        title=client.title[:200],
        session_name=client.session_name[:200],
        session=proof_of(client, machine),
        version=client.version[:200],
        lasting=client.owns_tabs,
    )


def proof_of(client: Client, machine: str) -> str:
    """The secret by which a client continues its session at other hubs, in other connections."""
    return hashlib.sha256(f"{machine}\n{client.session}".encode()).hexdigest()


def _encoded(arguments: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(arguments)
    except (TypeError, ValueError, RecursionError) as error:  # half of a character, nested too deeply
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, f"The arguments cannot be sent to another machine: {error}."
        ) from error
