"""How a call runs: decode its arguments, ask policy, wait for its turn on the tab, run, record."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import Any, Protocol, TypeAlias

from kapture.backends.backend import Backend
from kapture.background import running_beside
from kapture.commands.core.answer import CallResult
from kapture.commands.core.bounds import finished
from kapture.commands.core.context import FileRules, HubContext, PersonAnswer, Progress, TabContext, TabWish
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.registry import Command, Lane, Scope, get_command
from kapture.commands.core.run import as_json, run_on_hub
from kapture.commands.person import PersonAnswered
from kapture.commands.waiting import WaitFor
from kapture.errors import ErrorCode, KaptureError, TabNotFound, internal_error
from kapture.hub.call import Call, next_number, no_progress, now_text, silence_of
from kapture.hub.carried_files import CarriedFiles
from kapture.hub.client import Client
from kapture.hub.elsewhere import Elsewhere
from kapture.hub.hand_over import HandOvers
from kapture.hub.pins import Pins
from kapture.hub.records import Activity, did
from kapture.hub.state import HubState
from kapture.hub.status import StatusReport
from kapture.hub.tab_choice import Choice
from kapture.hub.tab_requests import TabRequests
from kapture.hub.tabs.tab import Tab
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.page.shown import Actor, does
from kapture.policy import Decision
from kapture.split_url import without_userinfo
from kapture.wire.panel_messages import RunningCommand


class RunCall(Protocol):
    """Runs one call for a client (`kapture.hub.calls.Calls.run`)."""

    async def __call__(
        self,
        client: Client,
        name: str,
        arguments: Mapping[str, Any],
        progress: Progress | None,
        *,
        shown: Mapping[str, Any] | None = None,
    ) -> CallResult:
        """Its answer; raises `KaptureError`."""


class HubContexts:
    """Makes the context of each call on one hub."""

    def __init__(self, state: HubState, report: StatusReport, run_call: RunCall) -> None:
        self._state = state
        self._report = report
        self._run_call = run_call
        self._tab_requests = TabRequests(state)

    def of(self, client: Client, timeout_ms: float, progress: Progress) -> HubContext:
        """The context of one call."""

        async def request_tab(wish: TabWish) -> Mapping[str, Any]:
            return self._report.tab_row(await self._tab_requests.request(client, wish, timeout_ms, progress))

        inner = client.inner()

        async def call(
            name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
        ) -> CallResult:
            return await self._run_call(inner, name, arguments, None, shown=shown)

        return HubContext(
            hub=self._report,
            client_id=client.client_id,
            progress=progress,
            request_tab=request_tab,
            call=call,
            scenarios=self._state.scenarios,
        )


logger = logging.getLogger(__name__)

_COMMON = ("tabId", "timeout", "snapshot", "max_chars", "save_to")
_MAX_NAME = 100  # characters of a command name that a client sent
_MAX_MESSAGE = 1_000

Admit: TypeAlias = Callable[[], Awaitable[None]]
TakeTab: TypeAlias = Callable[[Admit | None], AbstractAsyncContextManager[bool]]
"""Has the tab for a block, once what it is given, if anything, has let the call through; yields whether policy must
decide again."""


class Calls:
    """Runs the calls of one hub."""

    def __init__(self, state: HubState, choice: Choice, hand_overs: HandOvers, pins: Pins) -> None:
        self._state = state
        self._choice = choice
        self._hand_overs = hand_overs
        self.pins = pins
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
        label, call, tab, tab_id = name[:_MAX_NAME], None, None, None
        started_at, began = now_text(), time.perf_counter()
        # The default, because a cancelled call may leave only through `finally`: its cancellation may come in a group.
        outcome, message = ErrorCode.CANCELLED.value, "Cancelled by the client."
        answer: CallResult | KaptureError | None = None
        client.calls += 1
        try:
            command = get_command(name)
            label = command.name
            named = await self._choice.name_tab(client, command, arguments)
            decoded = decode_arguments(command, named)
            if shown is None and (elsewhere := self._choice.elsewhere(client, decoded.tab_id)) is not None:
                tab_id = decoded.tab_id
                answer = await self._forwarded(elsewhere, client, command, decoded, named, progress)
                outcome, message = "ok", ""
                return answer
            call = Call(
                command=command,
                arguments=decoded,
                client=client,
                given=decoded.given,
                shown=shown,
                progress=progress or no_progress,
            )
            with self._state.consent.calling(client):
                if command.scope is Scope.HUB:
                    answer = await self._on_hub(call)
                else:
                    assert call.arguments.tab_id is not None  # noqa: S101  decode_arguments() looked
                    if client.browser:
                        self._state.owners.check(client, call.arguments.tab_id)
                    tab = self._state.router.find(call.arguments.tab_id)
                    answer = await self._on_tab(call, tab)
            answer = await self.pins.with_news(client, answer)
            outcome, message = "ok", ""
            return answer
        except KaptureError as error:
            outcome, message, answer = error.code.value, without_userinfo(error.message), error
            if error.data.get("approval") == "unanswered":
                message = f"The person was asked and did not answer. {message}"
            raise
        except Exception as error:
            # A mistake in one command must not end the connection that asked for it, nor anybody else's.
            logger.exception("%s failed because of a bug in Kapture", label)
            failure = answer = internal_error(label, error)
            outcome, message = failure.code.value, failure.message
            raise failure from error
        finally:
            turn_came = call.turn_came if call is not None else None
            activity = Activity(
                number=call.number if call is not None else next_number(),
                tab_id=tab.tab_id if tab is not None else tab_id,
                command=label,
                client=client.display_name,
                client_id=client.client_id,
                started_at=started_at,
                duration_ms=round((time.perf_counter() - began) * 1_000, 2),
                outcome=outcome,
                message="" if shown is not None else message[:_MAX_MESSAGE],
                waited_ms=round((turn_came - began) * 1_000, 2) if turn_came is not None else None,
                did=did(answer, tab) if shown is None and isinstance(answer, CallResult) else "",
            )
            self._state.records.call_ended(
                activity,
                client=client,
                tab=tab,
                arguments=arguments if shown is None else shown,
                rule=call.rule if call is not None else None,
                once=call is not None and call.once,
                answer=None if shown is not None else answer,
            )

    def refuse(self, client: Client, name: str, arguments: Mapping[str, Any], error: KaptureError) -> None:
        """Record a call that was refused before it became a command: an unknown tool, invalid arguments."""
        activity = Activity(
            number=next_number(),
            tab_id=None,
            command=name[:_MAX_NAME],
            client=client.display_name,
            client_id=client.client_id,
            started_at=now_text(),
            duration_ms=0,
            outcome=error.code.value,
            message=error.message[:_MAX_MESSAGE],
        )
        client.calls += 1
        self._state.records.call_ended(activity, client=client, tab=None, arguments=arguments, rule=None)

    async def _forwarded(
        self,
        elsewhere: Elsewhere,
        client: Client,
        command: Command,
        decoded: Arguments,
        arguments: Mapping[str, Any],
        progress: Progress | None,
    ) -> CallResult:
        """Have another machine run the call, which decides by its own policy, if nothing here forbids it to the client;
        `TAB_NOT_FOUND` if no machine has the tab."""
        tab_id = decoded.tab_id or ""
        self._state.pauses.check(client, tab_id)
        decision = self._state.consent.decide_elsewhere(client, command, decoded.params)
        if not decision.allowed:
            raise decision.error()
        try:
            return await elsewhere.call(client, command.name, arguments, progress)
        except TabNotFound:
            self._state.router.find(tab_id)  # raises the error for an id that nobody has
            raise

    async def _on_hub(self, call: Call) -> CallResult:
        decision = self._state.consent.decide_for_hub(call.client, call.command, call.arguments.params)
        if not decision.allowed:
            raise decision.error()
        if not call.command.read_only:
            self._state.pauses.check(call.client, None)
        self._made(call)
        self._turn_came(call)
        context = self._hub_context.of(call.client, call.arguments.timeout_ms, call.progress)

        async def execute() -> CallResult:
            result = await run_on_hub(call.command, context, call.arguments)
            return await finished(result, call.arguments, self._files(call.client))

        return await call.run(execute)

    async def _on_tab(self, call: Call, tab: Tab) -> CallResult:
        self._made(call)
        if call.command.name == "ask_person" and (asked := await self._ask_person(call, tab)) is not None:
            return asked
        if call.person is not None:
            return await self._after_hand_over(call, tab, call.person)
        if isinstance(call.arguments.params, WaitFor) and call.arguments.params.person:
            one = self._hand_overs.of(call.client, tab)
            call.person = await self._hand_overs.wait(one, call, withdraw=False)
        if tab.handed_over is not None and call.command.lane is Lane.PAGE:
            async with running_beside(lambda: self._hand_overs.report(call)):
                return await self._admitted(call, tab, partial(tab.turn, call))
        if call.command.lane is Lane.CONTROL:
            return await self._admitted(call, tab, partial(_at_once, lambda: tab.control(call)))
        return await self._admitted(call, tab, partial(tab.turn, call))

    async def _ask_person(self, call: Call, tab: Tab) -> CallResult | None:
        """Hand the tab over to its person; the answer, if the call does not wait for theirs."""
        self._state.owners.check(call.client, tab.tab_id)
        self._state.pauses.check(call.client, tab.tab_id)
        decision = self._decide(call, tab)
        if not decision.allowed:
            raise self._denied(call, tab, decision)
        one = self._hand_overs.start(call, tab)
        if call.arguments.params.wait:
            call.person = await self._hand_overs.wait(one, call, withdraw=True)
            return None
        answer = PersonAnswered(answer="asked")
        return CallResult(answer=answer, text=answer.text(), data=as_json(answer))

    async def _after_hand_over(self, call: Call, tab: Tab, person: PersonAnswer) -> CallResult:
        """The person's answer, with what has changed in the page, if that can be shown."""
        try:
            return await self._admitted(call, tab, partial(tab.turn, call))
        except KaptureError as error:
            answer = PersonAnswered.of(person)
            text = f"The page is not shown: {error.explanation}"
            return CallResult(answer=answer, text=text, data=as_json(answer), untrusted=True, said=answer.said())

    async def run_in_turn(
        self, outer: Call, tab: Tab, name: str, given: Mapping[str, Any], settles: bool = False
    ) -> CallResult:
        """Run a command that another one needs during its own turn; or a script, on the tab that it holds."""
        call = outer.step(name, given, settles)
        blocked = _backend(tab).blocked
        if call.command.lane is Lane.PAGE and blocked is not None and call.command.name not in blocked.lets:
            raise blocked
        try:
            with self._state.consent.calling(call.client):
                return await self._admitted(call, tab, partial(_at_once, nullcontext))
        finally:
            outer.once |= call.once

    async def _admitted(self, call: Call, tab: Tab, take_tab: TakeTab) -> CallResult:
        """Run the call once policy, or the person, allows it; again for each frame that it turns out to need and that
        the person allows. `TAB_BUSY` on another client's tab."""
        self._state.owners.check(call.client, tab.tab_id)
        self._state.pauses.check(call.client, tab.tab_id)
        decision = self._decide(call, tab)
        call.rule = decision.rule
        if not decision.allowed and decision.ask is None:
            raise self._denied(call, tab, decision)
        admit = partial(self._admit, call, tab)
        ask_first = None if decision.allowed else admit
        while True:
            async with take_tab(ask_first) as decide:
                try:
                    return await self._run(call, tab, decide=decide)
                except FrameNotGranted as error:
                    self._state.consent.needs_frame(call, tab, error)
            ask_first = admit

    async def _admit(self, call: Call, tab: Tab) -> None:
        """Decide by policy, and ask the person where only a person can allow the call."""
        try:
            await self._state.consent.ask(call, tab)
        except KaptureError as error:
            call.rule = str(error.data.get("rule", call.rule))
            asked = error.data.get("approval")
            self._state.records.decided(call, tab, allowed=False, asked=asked)
            raise
        call.once = bool(call.allowed)
        self._state.records.decided(call, tab, allowed=True, asked=call.asked)

    async def _run(self, call: Call, tab: Tab, *, decide: bool) -> CallResult:
        """Run the call in its turn. `decide` again: while it waited, the tab may have gone to another page."""
        self._state.pauses.check(call.client, tab.tab_id)
        self._turn_came(call)
        if tab.panel is not None:
            name = call.command.name
            running = RunningCommand(command=name, client=call.client.display_name, does=does(name))
            tab.panel.command_begun(call.name, running)
        if decide and not (decision := self._decide(call, tab)).allowed:
            raise self._denied(call, tab, decision)
        with self._state.consent.calling(call.client, call):
            silence = partial(silence_of, tab.backend, call.arguments.timeout_ms)
            result = await call.run(lambda: self._execute(call, tab), silence)
            return result if call.outlived is None else result.of_closed_tab()

    def _decide(self, call: Call, tab: Tab) -> Decision:
        return self._state.consent.decide(call.client, call.command, call.arguments.params, tab, call.allowed)

    def _denied(self, call: Call, tab: Tab, decision: Decision) -> KaptureError:
        call.rule = decision.rule
        self._state.records.decided(call, tab, allowed=False)
        error = decision.error()
        with self._state.consent.calling(call.client, call), suppress(KaptureError):  # there may be no document
            page = tab.backend.current_page if tab.backend is not None else None
            if page is not None and (why := page.why_unopened) is not None and page.gate(page.frames.main.passed_on):
                error.advice = f"{why.explanation} {error.hint}"
        return error

    def _made(self, call: Call) -> None:
        if (feed := self._state.records.feed).watched:
            feed.made(call, call.given if call.shown is None else call.shown)

    def _turn_came(self, call: Call) -> None:
        call.turn_came = time.perf_counter()
        if (feed := self._state.records.feed).watched:
            feed.started(call)

    async def _execute(self, call: Call, tab: Tab) -> CallResult:
        view = call.client.view(tab.tab_id)
        files = self._files(call.client)
        try:
            result = await _backend(tab).run(
                TabContext(
                    command=call.command,
                    arguments=call.arguments,
                    given={key: held for key, held in call.given.items() if key not in _COMMON or key == "timeout"},
                    tab_id=tab.tab_id,
                    client=view,
                    files=files,
                    hub=self._report,
                    progress=call.progress,
                    invoke_step=partial(self.run_in_turn, call, tab),
                    pins=self.pins,
                    allowed_step=partial(self._allowed, call, tab),
                    wait_connected=self._state.router.wait_connected,
                    allowed_once=call.name if call.allowed else None,
                    person=call.person,
                    secret=call.shown is not None,
                    actor=self._actor(call.client, tab),
                    settles=call.settles,
                )
            )
            return await finished(result, call.arguments, files)
        finally:
            self._state.memory.used(tab.tab_id, view)

    def _files(self, client: Client) -> FileRules:
        rules = self._state.consent.policy.files(client.name)
        uploads = self._state.carried.get(client.share)
        if client.carrier is None or uploads is None:
            return rules
        return CarriedFiles(rules=rules, carrier=client.carrier, uploads=uploads)

    def _actor(self, client: Client, tab: Tab) -> Actor | None:
        """The client as the page shows it to its person."""
        if client.is_person or not tab.shows or not self._state.settings.show_actions:
            return None
        name = client.display_name
        return Actor(name, client.colour, partial(self._state.pauses.stop, tab, name))

    def _allowed(self, outer: Call, tab: Tab, name: str, given: Mapping[str, Any]) -> Arguments | None:
        with suppress(KaptureError):  # running it raises this error
            call = outer.step(name, given)
            if self._decide(call, tab).allowed:
                return call.arguments
        return None


@asynccontextmanager
async def _at_once(have: Callable[[], AbstractContextManager[None]], admit: Admit | None) -> AsyncIterator[bool]:
    """Have the tab without waiting for a turn."""
    if admit is not None:
        await admit()
    with have():
        yield admit is not None


def _backend(tab: Tab) -> Backend:
    if tab.backend is None:
        raise tab.gone_error()
    return tab.backend
