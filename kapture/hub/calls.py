"""How a call runs: decode its arguments, ask policy, wait for its turn on the tab, run, record."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from kapture.backends.backend import Backend, BackendCall
from kapture.commands.core.context import Progress, StepPage
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.registry import Lane, Scope, get_command
from kapture.commands.core.result import CallResult
from kapture.commands.core.run import run_on_hub
from kapture.errors import ErrorCode, KaptureError, internal_error
from kapture.hub.activity import Activity, now_text
from kapture.hub.call import Call, CallEntry
from kapture.hub.client import Client
from kapture.hub.grants.consent import Admitted
from kapture.hub.hub_context import HubContexts
from kapture.hub.silent_page import silence_of
from kapture.hub.state import HubState
from kapture.hub.status import StatusReport
from kapture.hub.tab_choice import Choice
from kapture.hub.tabs.running import Running, next_number
from kapture.hub.tabs.tab import Tab
from kapture.page.documents.read_gate import FrameNotGranted

logger = logging.getLogger(__name__)

_COMMON = ("tabId", "timeout", "snapshot")
_MAX_NAME = 100  # characters of a command name that a client sent
_MAX_MESSAGE = 1_000


async def _no_progress(done: float, total: float | None = None, message: str = "") -> None:
    return


class Calls:
    """Runs the calls of one hub."""

    def __init__(self, state: HubState, choice: Choice) -> None:
        self._state = state
        self._choice = choice
        self._report = StatusReport(state)
        self._hub_context = HubContexts(state, self._report, self.run)

    async def run(
        self,
        client: Client,
        name: str,
        arguments: Mapping[str, Any],
        progress: Progress | None,
        *,
        shown: Mapping[str, Any] | None = None,
    ) -> CallResult:
        """Run one call; its answer, or `KaptureError`.

        `shown`: what people and records see instead of arguments that hold a secret. If given, neither the answer nor
        the error message is recorded.
        """
        entry = CallEntry(command=name[:_MAX_NAME])
        started_at, began = now_text(), time.perf_counter()
        # The default, because a cancelled call may leave only through `finally`: its cancellation may come in a group.
        outcome, message = ErrorCode.CANCELLED.value, "Cancelled by the client."
        client.calls += 1
        try:
            command = get_command(name)
            entry.command = command.name
            named = await self._choice.name_tab(command, arguments)
            call = Call(
                command=command,
                arguments=decode_arguments(command, named),
                given=named,
                shown=shown,
                client=client,
                progress=progress or _no_progress,
                entry=entry,
            )
            entry.running = call.running
            with self._state.consent.calling(client):
                if command.scope is Scope.HUB:
                    result = await self._on_hub(call)
                else:
                    assert call.arguments.tab_id is not None  # noqa: S101  decode_arguments() looked
                    entry.tab = self._state.router.find(call.arguments.tab_id)
                    result = entry.answer = await self._on_tab(call, entry.tab)
            outcome, message = "ok", ""
            return result
        except KaptureError as error:
            outcome, message, entry.answer = error.code.value, error.message, error
            raise
        except Exception as error:
            # A mistake in one command must not end the connection that asked for it, nor anybody else's.
            logger.exception("%s failed because of a bug in Kapture", entry.command)
            failure = entry.answer = internal_error(entry.command, error)
            outcome, message = failure.code.value, failure.message
            raise failure from error
        finally:
            duration_ms = round((time.perf_counter() - began) * 1_000, 2)
            activity = Activity(
                number=entry.running.number if entry.running is not None else next_number(),
                tab_id=entry.tab.tab_id if entry.tab is not None else None,
                command=entry.command,
                client=client.name,
                client_id=client.client_id,
                started_at=started_at,
                duration_ms=duration_ms,
                outcome=outcome,
                message="" if shown is not None else message[:_MAX_MESSAGE],
                waited_ms=round((entry.turn_came - began) * 1_000, 2) if entry.turn_came is not None else None,
            )
            self._state.records.call_ended(
                activity,
                client=client,
                tab=entry.tab,
                arguments=arguments if shown is None else shown,
                rule=entry.rule,
                once=entry.once,
                answer=None if shown is not None else entry.answer,
            )

    def refuse(self, client: Client, name: str, arguments: Mapping[str, Any], error: KaptureError) -> None:
        """Record a call that was refused before it became a command: an unknown tool, invalid arguments."""
        activity = Activity(
            number=next_number(),
            tab_id=None,
            command=name[:_MAX_NAME],
            client=client.name,
            client_id=client.client_id,
            started_at=now_text(),
            duration_ms=0,
            outcome=error.code.value,
            message=error.message[:_MAX_MESSAGE],
        )
        client.calls += 1
        self._state.records.call_ended(activity, client=client, tab=None, arguments=arguments, rule=None)

    async def _on_hub(self, call: Call) -> CallResult:
        decision = self._state.consent.decide_for_hub(call.client, call.command, call.arguments.params)
        if not decision.allowed:
            raise decision.error()
        self._made(call, None)
        self._turn_came(call)
        context = self._hub_context.of(call.client, call.arguments.timeout_ms, call.progress)
        return await call.running.run(lambda: run_on_hub(call.command, context, call.arguments.params))

    async def _on_tab(self, call: Call, tab: Tab) -> CallResult:
        admitted = Admitted(rule="")

        async def admit() -> None:
            nonlocal admitted
            admitted = await self._admit(call, tab)

        decision = self._state.consent.decide(call.client, call.command, call.arguments.params, tab)
        if not decision.allowed and decision.ask is None:
            call.entry.rule = decision.rule
            self._state.records.denied(call.client, call.command, tab, decision.rule)
            raise decision.error()
        call.entry.rule = decision.rule
        self._made(call, tab.tab_id)
        if call.command.lane is Lane.CONTROL:
            if not decision.allowed:
                await admit()
            with tab.control(call.running):
                return await self._run(call, tab, admitted, decide=not decision.allowed)
        ask_first = None if decision.allowed else admit
        while True:
            async with tab.turn(call.running, ask_first) as waited:
                try:
                    return await self._run(call, tab, admitted, decide=waited)
                except FrameNotGranted as error:
                    call.running = self._state.consent.again(call.running, tab, admitted, error)
            ask_first = admit

    async def _admit(self, call: Call, tab: Tab) -> Admitted:
        """Decide by policy, and ask the person where only a person can allow the call."""
        consent = self._state.consent
        try:
            admitted = await consent.ask(call.running, tab, call.progress)
        except KaptureError as error:
            call.entry.rule = str(error.data.get("rule", call.entry.rule))
            self._state.records.denied(
                call.client, call.command, tab, call.entry.rule, asked=error.data.get("approval")
            )
            raise
        call.entry.rule, call.entry.once = admitted.rule, bool(admitted.allowed)
        self._state.records.allowed(call.client, call.command, tab, admitted)
        return admitted

    async def _run(self, call: Call, tab: Tab, admitted: Admitted, *, decide: bool) -> CallResult:
        """Run the call in its turn. `decide` again: while it waited, the tab may have gone to another page."""
        self._turn_came(call)
        call.running.allowed = admitted.allowed
        if decide:
            self._decide_again(call, tab, admitted)
        with self._state.consent.calling(call.client, admitted, call.running):
            silence = partial(silence_of, tab.backend, call.running.timeout_ms)
            result = await call.running.run(lambda: self._execute(call, tab, admitted), silence)
            return result if call.running.outlived is None else result.of_closed_tab()

    def _decide_again(self, call: Call, tab: Tab, admitted: Admitted) -> None:
        decision = self._state.consent.decide(call.client, call.command, call.arguments.params, tab, admitted.allowed)
        if not decision.allowed:
            call.entry.rule = decision.rule
            self._state.records.denied(call.client, call.command, tab, decision.rule)
            raise decision.error()

    def _made(self, call: Call, tab_id: str | None) -> None:
        if (feed := self._state.records.feed).watched:
            feed.made(call.running, tab_id, call.given if call.shown is None else call.shown)

    def _turn_came(self, call: Call) -> None:
        call.entry.turn_came = time.perf_counter()
        if (feed := self._state.records.feed).watched:
            feed.started(call.running)

    async def _execute(self, call: Call, tab: Tab, admitted: Admitted) -> CallResult:
        view = call.client.view(tab.tab_id)
        try:
            return await _backend(tab).run(
                BackendCall(
                    command=call.command,
                    arguments={key: held for key, held in call.given.items() if key not in _COMMON or key == "timeout"},
                    params=call.arguments.params,
                    snapshot=call.arguments.snapshot,
                    timeout_ms=call.arguments.timeout_ms,
                    client=view,
                    files=self._state.consent.policy.files(),
                    hub=self._report,
                    progress=call.progress,
                    invoke_step=partial(self._step, call, tab, admitted),
                    allowed_step=partial(self._allowed, call, tab, admitted),
                    wait_connected=self._state.router.wait_connected,
                    allowed_once=call.running.call if admitted.allowed else None,
                    secret=call.shown is not None,
                    step=call.page,
                )
            )
        finally:
            self._state.memory.used(tab.tab_id, view)

    async def run_in_turn(self, running: Running, tab: Tab, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """Run a command on a tab whose turn `running` has, such as one that a script needs on the tab that it holds."""
        outer = Call(
            command=running.command,
            arguments=Arguments(tab_id=tab.tab_id, params=running.params, timeout_ms=running.timeout_ms, snapshot=None),
            given={},
            client=running.client,
            progress=_no_progress,
            entry=CallEntry(command=running.command.name, tab=tab),
        )
        with self._state.consent.calling(running.client):
            return await self._step(outer, tab, Admitted(rule=""), name, arguments)

    async def _step(
        self,
        outer: Call,
        tab: Tab,
        admitted: Admitted,
        name: str,
        arguments: Mapping[str, Any],
        page: StepPage | None = None,
    ) -> CallResult:
        """Run a command that another one needs during its own turn."""
        call = outer.step(tab, name, arguments, page)
        command = call.command
        if command.lane is Lane.PAGE and (blocked := _backend(tab).blocked) is not None:
            raise blocked
        decision = self._state.consent.decide(call.client, command, call.arguments.params, tab, admitted.allowed)
        if not decision.allowed:
            admitted = await self._admit(call, tab)
            outer.entry.once = outer.entry.once or call.entry.once
        decide = not decision.allowed
        while True:
            try:
                return await self._run(call, tab, admitted, decide=decide)
            except FrameNotGranted as error:
                call.running = self._state.consent.again(call.running, tab, admitted, error)
            admitted = await self._admit(call, tab)
            outer.entry.once = outer.entry.once or call.entry.once
            decide = True

    def _allowed(self, outer: Call, tab: Tab, by: Admitted, name: str, given: Mapping[str, Any]) -> Arguments | None:
        with suppress(KaptureError):  # running it raises this error
            call = outer.step(tab, name, given)
            params = call.arguments.params
            if self._state.consent.decide(call.client, call.command, params, tab, by.allowed).allowed:
                return call.arguments
        return None


def _backend(tab: Tab) -> Backend:
    if tab.backend is None:
        raise tab.gone_error()
    return tab.backend
