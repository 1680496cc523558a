"""A client asks the person for a tab. Nothing is connected without a click; a client asks one question at a time.

A refusal holds for a while for all clients, so that no client can wear the person down. "Nobody answered" is a
different outcome from "no", for the client and in the audit log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import trio

from kapture.commands.core.context import Progress, TabWish
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.client import Client
from kapture.hub.consent import EVERYTHING
from kapture.hub.extensions import Extension, TabAnswer
from kapture.hub.no_tab import why_no_tab
from kapture.hub.owners import same_name
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import UNVOUCHED, Tab, kind_of
from kapture.policy.approvals import REMEMBERED_S
from kapture.policy.shown import escaped, escaped_address
from kapture.split_url import split_url
from kapture.wire import extension_messages, messages

BROWSER_COMES_S = 35.0
"""Seconds that a browser that was seen before may take to connect: its extension tries every 30 s."""
LET_IN = "let_in"
"""What the question whether a client may use another's tab is called, in the extension and in the audit log."""
_MAX_REASON = 500  # characters
_REGISTERS_S = 5.0  # for the chosen tab to register, on another socket, after the answer
_ANSWER_S = 0.25  # between withdrawing the question and the call's own timeout


class TabRequests:
    """The requests for tabs of one hub's clients."""

    def __init__(self, state: HubState) -> None:
        self._state = state
        self._asking: set[str] = set()  # their lines
        self._denied_until = 0.0  # Trio's clock, in seconds

    async def request(self, client: Client, wish: TabWish, timeout_ms: float, progress: Progress) -> Tab:
        """Ask for a tab; returns the one that the person chose.

        `POLICY_DENIED` if they or policy refuse; `NO_BACKEND` if nobody answered or nobody can be asked; `QUEUE_FULL`
        if this client, or another one of its share, is asking already.
        """
        self._check(client, wish)
        if client.line in self._asking:
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                "The person is being asked for a tab for this client already.",
                hint="Wait for that answer.",
            )
        ends_at = trio.current_time() + max(0.0, timeout_ms / 1_000 - _ANSWER_S)
        self._asking.add(client.line)
        try:
            if wish.tab_id is not None:
                if not self._state.owners.sees(client, wish.tab_id):
                    self._state.owners.check(client, wish.tab_id)
                return await self._let_in(client, self._state.router.find(wish.tab_id), wish.reason, ends_at, progress)
            with trio.move_on_at(ends_at):
                browsers = await self._browsers(progress, client.browser or wish.browser)
                await progress(0, None, "Waiting for the person to choose a tab.")
                return await self._given(client, await self._ask_recorded(client, wish, browsers, ends_at))
            if not self._able():
                raise why_no_tab(self._state, client).error()
            raise _unanswered(f"Nobody answered within {timeout_ms / 1_000:g} s, and the question was withdrawn.")
        finally:
            self._asking.discard(client.line)

    async def _let_in(self, client: Client, tab: Tab, reason: str, ends_at: float, progress: Progress) -> Tab:
        """Ask the person of a tab that another client has to let this one use it too."""
        owners = self._state.owners
        if (owner := owners.of(tab.tab_id)) is None or owners.may_use(client, tab.tab_id):
            return tab
        if tab.panel is None or not tab.panel.can_ask_person:
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                f"Nobody can be asked in the browser of tab {tab.tab_id}.",
                hint=Wording("Its owner can give it up with {tab_release}; the person can: kapture release TAB."),
            )
        await progress(0, None, "Waiting for the person to answer.")
        expires_ms = max(0.0, (ends_at - trio.current_time()) * 1_000)
        decision = "unanswered"
        try:
            with trio.move_on_at(ends_at):
                decision = await tab.panel.ask_person(
                    messages.Approve(
                        id="",
                        title=f"Let {client.display_name} use this tab, which {owner.name} opened?",
                        detail="",
                        expires_ms=expires_ms,
                        client=client.display_name,
                        command=LET_IN,
                        url=self._state.consent.shown_address(tab).url,
                        shown=[messages.ShownPart(name="Why", text=escaped(reason[:_MAX_REASON]))],
                    )
                )
        finally:
            self._state.records.tab_requested(LET_IN, client, url=None, decision=decision, tab_id=tab.tab_id)
        if decision == "deny":
            self._denied_until = trio.current_time() + REMEMBERED_S
            raise _denied("The person was asked for this tab and said no.")
        if decision != "tab":
            raise _unanswered("The question was not answered.")
        owners.let_in(client, tab.tab_id)
        return tab

    def _check(self, client: Client, wish: TabWish) -> None:
        policy = self._state.consent.policy
        if not policy.rules.approvals.enabled:
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                "The policy file does not allow asking the person (approvals.enabled = false).",
                hint="Ask them in the conversation to connect a tab.",
            )
        if wish.url is not None:
            if split_url(wish.url).scheme not in ("http", "https"):
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    "url must be an http or https address.",
                    hint="Leave it out to ask for any tab.",
                    data={"parameter": "url"},
                )
            if not policy.may_read(wish.url, grant=EVERYTHING, client=client.name):
                raise KaptureError(
                    ErrorCode.POLICY_DENIED,
                    "The policy file does not allow this address, whatever the person grants.",
                    data={"url": wish.url},
                )
        if (left := self._denied_until - trio.current_time()) > 0:
            raise _denied(f"The person refused a tab just now. They are not asked again within {left:.0f} s.")

    async def _browsers(self, progress: Progress, name: str) -> Sequence[Extension]:
        """The extensions that can ask, of browser profiles with this name if it is given; waits for a browser that was
        seen before."""
        state = self._state
        waited = False
        with trio.move_on_after(BROWSER_COMES_S):
            while not (able := self._able()):
                why = why_no_tab(state)
                if why.state != "browser_away":
                    raise why.error()
                if not waited:
                    await progress(0, None, "Waiting for the browser with the Kapture extension.")
                waited = True
                await state.events.published.wait()
            if named := [one for one in able if not name or same_name(one.browser.profile, name)]:
                return named
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                f"No browser that is connected has the name {name[:100]}.",
                hint="Ask the person to open it, or to name it in the options of its Kapture extension.",
            )
        raise why_no_tab(state).error()

    def _able(self) -> Sequence[Extension]:
        return [extension for extension in self._state.extensions.connected.values() if extension.can_request_tab]

    async def _ask_recorded(
        self, client: Client, wish: TabWish, browsers: Sequence[Extension], ends_at: float
    ) -> TabAnswer:
        answer = None
        try:
            answer = await self._ask(client, wish, browsers, ends_at)
            return answer
        finally:
            expired = answer is None and trio.current_time() >= ends_at
            decision = "unanswered" if expired else "withdrawn"
            if answer is not None:
                decision = "standing" if answer.standing else answer.decision
            tab_id = answer.tab_id if answer is not None else None
            self._state.records.tab_requested("request_tab", client, url=wish.url, decision=decision, tab_id=tab_id)

    async def _ask(self, client: Client, wish: TabWish, browsers: Sequence[Extension], ends_at: float) -> TabAnswer:
        """Ask in every browser at once; the first answer counts. Without a browser: `unanswered`."""
        given: list[TabAnswer] = []

        async def one(browser: Extension) -> None:
            request = extension_messages.TabRequest(
                id="",
                reason=escaped(wish.reason[:_MAX_REASON]),
                expires_ms=max(0.0, (ends_at - trio.current_time()) * 1_000),
                client=client.display_name,
                name=client.known_as,
                url=None if wish.url is None else escaped_address(wish.url),
                sites=list(wish.sites),
                level=wish.level,
            )
            try:
                answer = await browser.request_tab(request)
            except KaptureError:
                return  # this browser has disconnected; the others still ask
            if answer.decision != "unanswered":
                given.append(answer)
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for browser in browsers:
                nursery.start_soon(one, browser)
        return given[0] if given else TabAnswer(decision="unanswered")

    async def _given(self, client: Client, answer: TabAnswer) -> Tab:
        if answer.decision == "deny":
            self._denied_until = trio.current_time() + REMEMBERED_S
            raise _denied("The person was asked for a tab and said no.")
        if answer.decision == "unanswered" or answer.tab_id is None:
            raise _unanswered("The question was closed without an answer.")
        with trio.move_on_after(_REGISTERS_S):
            await self._state.router.wait_connected(answer.tab_id)
            tab = self._state.router.find(answer.tab_id)
            if kind_of(tab) not in UNVOUCHED:
                if answer.opened:
                    self._state.owners.own(client, tab.tab_id)
                return tab
            raise KaptureError(
                ErrorCode.UNAUTHORIZED,
                f"A program uses the id of the tab that the person chose, {tab.tab_id}, for a tab of its own.",
                hint="Ask the person to end that program, and ask again.",
                data={"tabId": tab.tab_id},
            )
        raise KaptureError(
            ErrorCode.TAB_DISCONNECTED,
            f"The person chose a tab, which did not connect within {_REGISTERS_S:g} s.",
            hint=Wording("It may come later.", "{list_tabs} shows it then."),
            data={"tabId": answer.tab_id},
        )


def _denied(message: str) -> KaptureError:
    hint = "Go on without a tab, or talk to them first."
    return KaptureError(ErrorCode.POLICY_DENIED, message, hint=hint, data={"request": "denied"})


def _unanswered(message: str) -> KaptureError:
    hint = "They may be away. Say in the conversation what you need, and ask again when they are there."
    data: Mapping[str, Any] = {"state": "no_tab_connected", "request": "unanswered"}
    return KaptureError(ErrorCode.NO_BACKEND, message, hint=hint, data=data)
