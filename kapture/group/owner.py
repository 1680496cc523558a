"""Calls of other machines' agents for the tabs of this hub: they run as those of any client, by this hub's policy.

What is kept for an agent (its last snapshot, its tabs) is kept until it leaves, or its hub's lease ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any

import attrs
import msgspec
import trio

from kapture.commands.core.registry import Scope, all_commands, get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.group import messages
from kapture.group.member import Member
from kapture.group.messages import Agent, Body, Call, Large, Refused
from kapture.hub import Client, Hub
from kapture.hub.carried_files import FrameCarrier, carried_uploads
from kapture.hub.elsewhere import not_for_group
from kapture.policy.policy import FROM_SHARE, ShareCaps
from kapture.policy.policy_file import Section

_MOST_CALLS, _MOST_CALLS_IN_ALL = 2_000, 4_000
"""Calls of one hub, and of all, that run or wait here."""
_MOST_HELD_BYTES = 32 * 2**20
"""Of their arguments."""
_MOST_AGENTS, _MOST_AGENTS_IN_ALL = 256, 1_000
"""Agents of one hub, and of all, for which something is kept; then what was used longest ago goes."""
_HERE_ALONE = ("status",)
"""What tells of this machine, beside the scenarios."""


def share_name(machine: str, group: str) -> str:
    """What ends the names of a machine's agents here. No share has such a name."""
    return f"{machine} ({group})"


@attrs.define(eq=False)
class _Remote:
    """An agent of another machine, as a client of this hub."""

    client: Client
    leave: ExitStack
    share: str
    carrier: FrameCarrier
    running: int = 0


class Owner:
    """The calls of other machines' agents on one hub. `nursery` runs them."""

    def __init__(self, member: Member, hub: Hub, nursery: trio.Nursery) -> None:
        self._member = member
        self._hub = hub
        self._nursery = nursery
        self._running: dict[str, dict[int, trio.CancelScope]] = {}
        self._calls = self._held = 0
        self._remotes: dict[str, dict[str, _Remote]] = {}
        self._shares: dict[str, ExitStack] = {}

    # What the member tells

    def take(self, sender: str, body: Body) -> None:
        """Take a message of another hub."""
        match body:
            case Call() | Large(is_call=True):
                self._begin(sender, body)
            case messages.Cancel():
                if (scope := self._running.get(sender, {}).get(body.call)) is not None:
                    scope.cancel()
            case messages.Left():
                self._leave(sender, body.agent)
            case messages.Awaited():
                self._compare(sender, body.calls)
            case messages.FilesAnswered():
                if (remote := self._remotes.get(sender, {}).get(body.agent)) is not None:
                    with suppress(msgspec.MsgspecError, RecursionError):
                        remote.carrier.receive(body.frame)

    async def check(self) -> None:
        """Let those go whose hub's lease has ended."""
        here = self._running.keys() | self._remotes.keys()
        if here and (live := await self._member.live()) is not None:
            for sender in here - live:
                self.lose(sender)

    def lose(self, sender: str) -> None:
        """A hub is lost: end what runs for it, and let its agents go."""
        for scope in self._running.pop(sender, {}).values():
            scope.cancel()
        for agent in list(self._remotes.get(sender, ())):
            self._leave(sender, agent)

    def lose_all(self) -> None:
        """The server has been away for a lease: every other hub is lost."""
        for sender in self._running.keys() | self._remotes.keys():
            self.lose(sender)

    def _compare(self, sender: str, awaited: Sequence[int]) -> None:
        """End the calls that nobody waits for, and say which of those that are waited for do not run."""
        running = self._running.get(sender, {})
        wanted = set(awaited)
        for number, scope in running.items():
            if number not in wanted:
                scope.cancel()
        with suppress(KaptureError):
            self._member.post(sender, messages.Unknown([number for number in awaited if number not in running]))

    # Calls

    def _begin(self, sender: str, body: Call | Large) -> None:
        running, size = self._running.get(sender, {}), body.size if isinstance(body, Large) else len(body.arguments)
        if body.call in running:
            return
        full = len(running) >= _MOST_CALLS or self._calls >= _MOST_CALLS_IN_ALL
        if full or self._held + size > _MOST_HELD_BYTES:
            error = KaptureError(
                ErrorCode.QUEUE_FULL, "Too many calls of the group's machines, or too large ones, run or wait here."
            )
            with suppress(KaptureError):
                self._member.post(sender, messages.failed(body.call, error))
            return
        self._calls += 1
        self._held += size
        self._running.setdefault(sender, {})[body.call] = scope = trio.CancelScope()
        self._nursery.start_soon(self._run, sender, body, scope, size)

    async def _run(self, sender: str, body: Call | Large, scope: trio.CancelScope, size: int) -> None:
        try:
            with scope:
                try:
                    call = await self._member.fetch(body) if isinstance(body, Large) else body
                except Refused as refused:
                    self._member.refused("message", sender, str(refused))
                    return
                assert isinstance(call, Call)  # noqa: S101  `fetch` has looked
                await self._member.send(sender, await self._end_of(sender, call))
        except KaptureError as error:  # the answer cannot be sent, or is too large, or too much waits
            with suppress(KaptureError):
                self._member.post(sender, messages.failed(body.call, error))
        finally:
            self._calls -= 1
            self._held -= size
            running = self._running.get(sender)
            if running is not None and running.get(body.call) is scope:
                del running[body.call]
                if not running:
                    del self._running[sender]

    async def _end_of(self, sender: str, call: Call) -> messages.End:
        """Run a call; the message with its answer or error."""

        async def report(done: float, total: float | None = None, message: str = "") -> None:
            with suppress(KaptureError):
                self._member.post(sender, messages.Reported(call.call, done, total, message))

        try:
            arguments = msgspec.json.decode(call.arguments, type=dict[str, Any])
            self._check(call.command, arguments)
            remote = self._remote(sender, call.agent)
            remote.running += 1
            try:
                result = await self._hub.call(
                    remote.client, call.command, arguments, progress=report if call.progress else None
                )
            finally:
                remote.running -= 1
            return messages.answered(call.call, result)
        except KaptureError as error:
            return messages.failed(call.call, error)
        except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError) as error:
            unsendable = KaptureError(
                ErrorCode.EXECUTION_ERROR,
                f"{call.command} cannot cross from one machine to another: {error}.",
                hint="It may have taken effect: look at the page.",
            )
            return messages.failed(call.call, unsendable)

    def _check(self, name: str, arguments: dict[str, Any]) -> None:
        """`TAB_NOT_FOUND` unless this is a command for a tab of this hub that is for the group."""
        command, tab_id = get_command(name), arguments.get("tabId")
        if command.scope is not Scope.TAB:
            raise KaptureError(ErrorCode.POLICY_DENIED, f"{command.name} does not cross from one machine to another.")
        tab = self._hub.state.router.known(tab_id) if isinstance(tab_id, str) else None
        if tab is None or not tab.for_group:
            raise not_for_group(str(tab_id))

    # Agents

    def _remote(self, sender: str, agent: Agent) -> _Remote:
        remotes = self._remotes.get(sender, {})
        if (remote := remotes.pop(agent.id, None)) is None:
            if len(remotes) >= _MOST_AGENTS:
                self._make_room({sender: remotes})
            elif sum(map(len, self._remotes.values())) >= _MOST_AGENTS_IN_ALL:
                self._make_room(self._remotes)
            remote = self._join(sender, agent)
        self._remotes.setdefault(sender, remotes)[agent.id] = remote  # the one that was used last is the last
        return remote

    def _make_room(self, among: Mapping[str, Mapping[str, _Remote]]) -> None:
        """Let the agent go that was used longest ago; `QUEUE_FULL` if all of them have calls."""
        for sender, remotes in among.items():
            for known, remote in remotes.items():
                if not remote.running:
                    self._leave(sender, known)
                    return
        raise KaptureError(ErrorCode.QUEUE_FULL, "Calls of too many agents of the group run or wait here.")

    def _join(self, sender: str, agent: Agent) -> _Remote:
        share = share_name(agent.machine, self._member.key.name)
        if share not in self._shares:
            self._shares[share] = self._opened(share)
        leave = ExitStack()

        async def send(frame: bytes) -> None:
            self._member.post(sender, messages.FilesAsked(agent.id, frame))

        carrier = FrameCarrier(send)
        client = leave.enter_context(
            self._hub.client(
                name=agent.name,
                version=agent.version,
                kind="websocket" if agent.lasting else "cli",
                title=agent.title,
                session_name=agent.session_name,
                proof=agent.session,
                share=share,
                from_group=True,
                carrier=carrier,
            )
        )
        return _Remote(client, leave, share, carrier)

    def _opened(self, share: str) -> ExitStack:
        """Have caps and a folder for a machine's agents until the stack is closed."""
        state, stack = self._hub.state, ExitStack()
        state.consent.policy.shares[share] = caps()
        stack.callback(state.consent.policy.shares.pop, share)
        rules = state.consent.policy.files(f"{FROM_SHARE}{share}")
        # A member may call itself any machine: the limits are for all of them together.
        state.carried[share] = stack.enter_context(
            carried_uploads(rules, lambda: (state.carried[other] for other in self._shares if other in state.carried))
        )
        stack.callback(state.carried.pop, share)
        return stack

    def _leave(self, sender: str, agent: str) -> None:
        remotes = self._remotes.get(sender, {})
        if (remote := remotes.pop(agent, None)) is None:
            return
        remote.leave.close()
        if not remotes:
            self._remotes.pop(sender, None)
        everybody = (one for others in self._remotes.values() for one in others.values())
        if all(one.share != remote.share for one in everybody):
            self._shares.pop(remote.share).close()


def caps() -> ShareCaps:
    """What the agents of other machines may do at most: what the tab's grant allows, in that tab alone, and without
    this machine's files."""
    denied = tuple(
        command.name for command in all_commands() if command.toolset == "scenarios" or command.name in _HERE_ALONE
    )
    section = Section(level="full", deny=("file:///*",), cdp=False, commands_denied=denied)
    return ShareCaps(section=section, advice="It does not cross from one machine to another.")
