"""Tabs that clients hand over to their person, for what only a person can do.

A hand-over waits for the tab's turn and holds it until the person gives the tab back. Meanwhile nothing of the tab
reaches the hub: the browser's debugger is detached from it, so that there is nothing to record or to show. The client's
commands wait; those of others, and all that would not wait, fail with `TAB_BUSY`. A hand-over ends by the person's
answer, in the extension or, where there is none, in the Console; when its time is over, or its client does not wait any
more, the extension keeps the tab for the person as long as they have it in front of them.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import OrderedDict
from collections.abc import Sequence

import attrs
import trio

from kapture.background import running_beside
from kapture.commands.core.context import PersonAnswer
from kapture.commands.core.params import Arguments
from kapture.commands.core.registry import get_command
from kapture.commands.person import AskPerson
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.call import Call
from kapture.hub.client import Client
from kapture.hub.consent import address_of
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.policy.approvals import REMEMBERED_S
from kapture.policy.shown import escaped
from kapture.wire import messages

REPORT_S = 10.0
"""Between two reports that a call waits for a person: some clients give a call up that they hear nothing of."""
_ENDS_S = 1.0
"""How long after its time a hand-over may take to end."""
_MOST_KEPT = 256


@attrs.define(eq=False, kw_only=True)
class HandOver:
    """One tab in the hands of its person, or waiting for its turn. `ended` is set with `answer` or `error`."""

    tab: Tab
    client: Client
    what: str
    since: float = attrs.field(factory=time.time)
    ends_at: float  # Trio's clock, in seconds
    expires_at: float  # the same, Unix seconds
    asks: bool  # the browser asks the person, not the Console
    withdrawn: trio.Event = attrs.field(factory=trio.Event)
    in_console: trio.Event = attrs.field(factory=trio.Event)
    handed_back: messages.HandedBack | None = None  # by the Console
    ended: trio.Event = attrs.field(factory=trio.Event)
    answer: PersonAnswer | None = None
    error: KaptureError | None = None

    async def answered(self) -> messages.HandedBack:
        """The answer that the person gives in the Console."""
        await self.in_console.wait()
        assert self.handed_back is not None  # noqa: S101  set before the event
        return self.handed_back


class HandOvers:
    """The hand-overs of one hub. `nursery` runs them: one ends with its person's answer, not with the call that began
    it. `consoles`: how many Consoles are open."""

    def __init__(self, state: HubState, nursery: trio.Nursery) -> None:
        self._state = state
        self._nursery = nursery
        self._open: dict[str, HandOver] = {}  # by tab
        self._ended: OrderedDict[tuple[str, str], HandOver] = OrderedDict()  # by client and tab, until they are told
        self._refused_until = 0.0  # for all clients and tabs, so that none wears the person down; Trio's clock
        self.consoles = 0

    @property
    def open(self) -> Sequence[HandOver]:
        """Those that have not ended."""
        return tuple(self._open.values())

    def start(self, call: Call, tab: Tab) -> HandOver:
        """Hand the tab over as soon as its turn comes. `TAB_BUSY`, `NO_BACKEND`, `UNSUPPORTED` or `POLICY_DENIED` if
        the person cannot be asked now."""
        hands_over = tab.backend.hands_over if tab.backend is not None else None
        if tab.backend is None:
            raise tab.gone_error()
        if hands_over is None:
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                f"Tab {tab.tab_id} cannot be handed over: its browser has no person whom Kapture could ask.",
                hint="Ask in the conversation.",
            )
        if not hands_over.asks and self.consoles == 0:
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                "Nobody can be asked: this browser has no Kapture extension, and no Console is open.",
                hint="Ask the person in the conversation to open the Console (`kapture console`), and ask again.",
                data={"person": "away"},
            )
        busy = next((one for one in self.open if one.tab is tab or one.client.session == call.client.session), None)
        if busy is not None:
            raise KaptureError(
                ErrorCode.TAB_BUSY,
                f"The person is being asked already, in tab {busy.tab.tab_id}.",
                hint=Wording("Wait for that answer.", "{wait_for} with person: true does."),
                data={"tabId": busy.tab.tab_id},
            )
        if (left := self._refused_until - trio.current_time()) > 0:
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"The person said just now that they cannot. They are not asked again within {left:.0f} s.",
                hint="Go on without it, or talk to them first.",
            )
        params: AskPerson = call.arguments.params
        one = HandOver(
            tab=tab,
            client=call.client,
            what=escaped(params.what),
            ends_at=trio.current_time() + call.arguments.timeout_ms / 1_000,
            expires_at=time.time() + call.arguments.timeout_ms / 1_000,
            asks=hands_over.asks,
        )
        self._open[tab.tab_id] = one
        self._ended.pop((one.client.session, tab.tab_id), None)
        self._nursery.start_soon(self._run, one, call)
        return one

    def of(self, client: Client, tab: Tab) -> HandOver:
        """The client's hand-over of this tab: the one that is open, or whose end it has not been told;
        `INVALID_PARAMS` if there is none."""
        one = self._open.get(tab.tab_id)
        if one is not None and one.client.session == client.session:
            return one
        if (ended := self._ended.get((client.session, tab.tab_id))) is not None:
            return ended
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"You have asked the person nothing in tab {tab.tab_id}.",
            hint=Wording("{ask_person} asks."),
        )

    async def wait(self, one: HandOver, call: Call, *, withdraw: bool) -> PersonAnswer:
        """The person's answer; `COMMAND_TIMEOUT` if it does not come in time. `withdraw`: the hand-over ends with the
        call."""
        try:
            async with running_beside(lambda: self.report(call)):
                with trio.move_on_after(call.arguments.timeout_ms / 1_000 + (_ENDS_S if withdraw else 0)):
                    await one.ended.wait()
        finally:
            if withdraw:
                one.withdrawn.set()
        if one.ended.is_set():
            self._ended.pop((one.client.session, one.tab.tab_id), None)
            if one.answer is not None:
                return one.answer
            raise one.error or self._unanswered("The question was withdrawn.")
        raise self._unanswered(
            "They still have the tab in front of them." if one.withdrawn.is_set() else "They are still being asked."
        )

    async def report(self, call: Call) -> None:
        """Report again and again that a call waits for the person."""
        for reports in itertools.count(1):
            await call.progress(1 - 1 / reports, None, "Waiting for the person.")
            await trio.sleep(REPORT_S)

    def answer(self, tab_id: str, *, done: bool, note: str) -> None:
        """The person has answered in the Console; `INVALID_PARAMS` if nothing is asked there."""
        one = self._open.get(tab_id)
        if one is None or one.asks:
            raise KaptureError(ErrorCode.INVALID_PARAMS, "Nothing is asked in this tab.", hint="Look at the tab again.")
        one.handed_back = messages.HandedBack(decision="done" if done else "cannot", note=note)
        one.in_console.set()

    async def _run(self, one: HandOver, call: Call) -> None:
        """Hold the tab's turn until the person has given the tab back."""
        tab, client = one.tab, one.client
        arguments = Arguments(
            params=call.arguments.params,
            given=call.arguments.given,
            tab_id=tab.tab_id,
            timeout_ms=math.inf,
            snapshot=None,
        )
        holder = Call(command=get_command("ask_person"), arguments=arguments, client=client, given=call.given)
        url, decision = address_of(tab).url, "withdrawn"
        self._state.events.publish("tab_changed", tab.tab_id)
        try:
            async with running_beside(lambda: self._withdraw_in_time(one)), tab.turn(holder):
                tab.handed_over = holder
                self._state.events.publish("tab_changed", tab.tab_id)
                handed_back = await holder.run(lambda: self._with_person(one))
            decision = handed_back.decision
            if decision == "withdrawn":
                one.error = self._unanswered("The question was withdrawn.")
            else:
                one.answer = PersonAnswer(
                    done=decision == "done", note=escaped(handed_back.note), handed_ms=handed_back.handed_ms
                )
            if decision == "cannot":
                self._refused_until = trio.current_time() + REMEMBERED_S
        except KaptureError as error:
            one.error = error
        finally:
            tab.handed_over = None
            del self._open[tab.tab_id]
            self._ended[client.session, tab.tab_id] = one
            while len(self._ended) > _MOST_KEPT:
                self._ended.popitem(last=False)
            one.ended.set()
            outcome = {"done": "tab", "cannot": "deny"}.get(decision, decision)
            self._state.records.tab_requested("ask_person", client, url=url, decision=outcome, tab_id=tab.tab_id)
            self._state.events.publish("tab_changed", tab.tab_id)

    async def _with_person(self, one: HandOver) -> messages.HandedBack:
        backend = one.tab.backend
        if backend is None or backend.hands_over is None:
            raise one.tab.gone_error()
        if one.withdrawn.is_set():
            return messages.HandedBack(decision="withdrawn")
        left_ms = max(0.0, one.ends_at - trio.current_time()) * 1_000
        who = escaped(one.client.display_name)
        what = messages.HandOver(what=one.what, client=who, expires_ms=min(left_ms, 86_400_000))
        return await backend.hands_over.hand_over(what, one.withdrawn, one.answered)

    async def _withdraw_in_time(self, one: HandOver) -> None:
        await trio.sleep_until(one.ends_at)
        one.withdrawn.set()

    def _unanswered(self, why: str) -> KaptureError:
        return KaptureError(
            ErrorCode.COMMAND_TIMEOUT,
            f"The person has not answered. {why}",
            hint=Wording(
                "They may be away: say in the conversation what you need.", "{wait_for} with person: true waits."
            ),
            data={"person": "unanswered"},
        )
