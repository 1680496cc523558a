"""Policy applied to calls: before a call is queued, again when it starts, and for every document that it reads.

The call in progress is known to the page's gate by a context variable, so that two clients who work on one tab at once
are each judged by their own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import attrs

from kapture.backends.backend import Address, Backend
from kapture.commands.core.context import Progress
from kapture.commands.core.registry import Command
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client
from kapture.hub.grants.reported_grants import EVERYTHING
from kapture.hub.tabs.kinds import how_widened
from kapture.hub.tabs.running import Running
from kapture.hub.tabs.tab import Tab
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.policy import Ask, Decision, Grant, Policy, Request
from kapture.policy.address import parse
from kapture.policy.approvals import Approvals
from kapture.policy.decision import widened
from kapture.policy.grant import is_narrower
from kapture.policy.question import Asker, Question, Verdict
from kapture.wire import messages

_CONFIRM_MS = 60_000
_MOST_FRAMES = 4
"""The number of frames outside the grant, at most, for which the person is asked during one call."""


@attrs.frozen(kw_only=True)
class _InProgress:
    client: str
    allowed: tuple[Ask, ...] = ()  # for this call alone, beyond the tab's grant
    running: Running | None = None  # notes what it reads


_in_progress: ContextVar[_InProgress | None] = ContextVar("kapture_call", default=None)


@attrs.frozen(kw_only=True)
class Admitted:
    """What admitted a call. `allowed`: by the person, for it alone, beyond the tab's grant as that is by then."""

    rule: str
    allowed: tuple[Ask, ...] = ()
    asked: str | None = None


class Consent:
    """The policy of one hub, and the questions it has put to people."""

    def __init__(self, policy: Policy, approvals: Approvals) -> None:
        self.policy = policy
        self.approvals = approvals

    def gate(self, tab: Tab) -> Callable[[str], bool]:
        """A function that says whether the call in progress may read a document with this URL on this tab, now."""

        def may_read(url: str) -> bool:
            call = _in_progress.get()
            if call is None:
                return self.policy.may_read(url, grant=tab.grant, client="")
            allowed = self.policy.may_read(url, grant=widened(tab.grant, call.allowed), client=call.client)
            if allowed and call.running is not None:
                call.running.note_read(url)
            return allowed

        return may_read

    @contextmanager
    def calling(
        self, client: Client, admitted: Admitted | None = None, running: Running | None = None
    ) -> Iterator[None]:
        """Run this block on behalf of this client: everything in it is judged by its rules. `running`: its call."""
        allowed = admitted.allowed if admitted is not None else ()
        token = _in_progress.set(_InProgress(client=client.name, allowed=allowed, running=running))
        try:
            yield
        finally:
            _in_progress.reset(token)

    async def confirm(self, tab: Tab, title: str, detail: str) -> bool:
        """Whether the tab's person agrees to something that only a person may decide.

        True where there is no extension to ask them in: whoever connected that browser has agreed by doing so.
        """
        backend = tab.backend
        if backend is None or not backend.can_ask_person:
            return backend is not None
        question = messages.Approve(id="", title=title, detail=detail, expires_ms=_CONFIRM_MS, url=address_of(tab).url)
        return await backend.ask_person(question) in ("once", "tab")

    def shown_address(self, tab: Tab) -> Address:
        """URL and title of a tab for the call in progress; outside the grant only the origin."""
        address = address_of(tab)
        if address.url == "" or self.gate(tab)(inherited_of(tab) or address.url):
            return address
        parsed = parse(address.url)
        origin = parsed.origin if parsed is not None else address.url.partition(":")[0][:40] + ":"
        return Address(url=origin, title="")

    def decide(
        self, client: Client, command: Command, params: Any, tab: Tab, allowed: tuple[Ask, ...] = ()
    ) -> Decision:
        """Policy's decision on a call, by the tab's current URL. `allowed`: for this call alone."""
        return self.policy.decide(self._request(client, command, params, tab, allowed))

    def decide_for_hub(self, client: Client, command: Command, params: Any) -> Decision:
        """Policy's decision on a call that concerns no tab."""
        return self.policy.decide(Request(command=command, params=params, client=client.name))

    async def ask(self, running: Running, tab: Tab, progress: Progress) -> Admitted:
        """Decide, and ask the person for what only a person can allow; `POLICY_DENIED` if they refuse.

        The call's own timeout bounds the wait; `progress` reports that it waits for a person.
        """
        client, command = running.client, running.command

        def widen(grant: Grant) -> None:
            if tab.grant is not None:
                tab.grant = grant

        async def report(question: Question) -> None:
            await progress(0, None, f"Waiting for the person to answer: {question.title}.")

        admission = await self.approvals.admit(
            self.policy,
            lambda: attrs.evolve(
                self._request(client, command, running.params, tab, frames=running.frames, call=running.call),
                shown=running.shown,
            ),
            client_id=client.client_id,
            tab_id=tab.tab_id,
            timeout_ms=running.timeout_ms,
            allowed=running.allowed,
            askers=self._askers(tab),
            client_asker=self._client_asker(client),
            on_tab_grant=widen,
            on_question=report,
        )
        verdicts = ", ".join(verdict for _, verdict in admission.asked)
        return Admitted(rule=admission.decision.rule, allowed=admission.allowed_once, asked=verdicts or None)

    def again(self, running: Running, tab: Tab, admitted: Admitted, error: FrameNotGranted) -> Running:
        """The call, to be run again once the person has been asked for a frame outside the grant that it needs.

        It must not have done anything yet. Raises the error if nobody can be asked, or nobody could allow it.
        """
        request = self._request(running.client, running.command, running.params, tab, frames=(error.url,))
        decision = self.policy.decide(request)
        somebody = bool(self._askers(tab)) or self._client_asker(running.client) is not None
        asks = self.policy.rules.approvals.enabled and somebody
        enough = error.url in running.frames or len(running.frames) >= _MOST_FRAMES
        if enough or not error.again or not (decision.allowed or (decision.ask is not None and asks)):
            error.advice = request.widened_by or error.advice
            raise error
        return running.again(error.url, admitted.allowed)

    def change_grant(self, tab: Tab, grant: Grant | None) -> None:
        """Apply a change of a tab's grant: running calls that it does not cover fail with `POLICY_DENIED`, also those
        that may have read a document that is closed now, of the tab or gone from it, and not answered yet."""
        before, tab.grant = tab.grant, grant
        narrowed = is_narrower(grant, before)
        self.approvals.grant_changed(tab.tab_id)
        for running in tab.all_running():
            decision = self.decide(running.client, running.command, running.params, tab, running.allowed)
            if not decision.allowed:
                running.fail(_revoked(decision.error()))
            elif narrowed and not running.holds and (closed := self._closed(running, tab, before)):
                running.fail(_revoked(closed))

    def _closed(self, running: Running, tab: Tab, before: Grant | None) -> KaptureError | None:
        """The error for what the call has read, or might have by the grant before, and may not by the grant now."""

        def may_read(url: str, grant: Grant | None) -> bool:
            return self.policy.may_read(url, grant=widened(grant, running.allowed), client=running.client.name)

        documents = tab.backend.documents if tab.backend is not None else None
        for frame in documents.frames.all() if documents is not None else ():
            if may_read(frame.policy_url, before) and not may_read(frame.policy_url, tab.grant):
                return FrameNotGranted(frame.policy_url, frame.key)
        if all(may_read(url, tab.grant) for url in running.read):
            return None
        return KaptureError(ErrorCode.POLICY_DENIED, "It may have read what that does not cover any more.")

    def _request(
        self,
        client: Client,
        command: Command,
        params: Any,
        tab: Tab,
        allowed: tuple[Ask, ...] = (),
        *,
        frames: tuple[str, ...] = (),
        call: str = "",
    ) -> Request:
        return Request(
            command=command,
            params=params,
            client=client.name,
            call=call,
            grant=widened(tab.grant, allowed),
            url=address_of(tab).url,
            inherited=inherited_of(tab),
            frames=frames,
            widened_by=how_widened(tab),
        )

    def _askers(self, tab: Tab) -> Sequence[Asker]:
        """How to ask the person in the tab's extension."""
        backend = tab.backend
        if backend is None or not backend.can_ask_person:
            return ()
        return (lambda question: _ask_tab(backend, question),)

    def _client_asker(self, client: Client) -> Asker | None:
        """How to have the client ask, if the policy file lets it."""
        elicit = client.elicit
        if elicit is None or not self.policy.rules.approvals.elicitation:
            return None

        async def ask_client(question: Question) -> Verdict | None:
            verdict = await elicit(question.title, question.detail)
            # Nothing shows that a person answered: a client's yes never widens the tab's grant.
            return "deny" if verdict == "deny" else "once" if verdict in ("once", "tab") else None

        return ask_client


async def _ask_tab(backend: Backend, question: Question) -> Verdict | None:
    """Ask the person in the tab's extension."""
    level = question.ask.level.name.lower() if question.ask.level is not None else None
    asked = messages.Approve(
        id="",
        title=question.title,
        detail=question.detail,
        expires_ms=question.timeout_ms,
        client=question.client,
        command=question.command,
        url=question.url,
        level=cast("Any", level),
        site=question.ask.site,
        count=max(1, question.waiting),
        call=question.call,
        shown=[messages.ShownPart(name=part.name, text=part.text) for part in question.shown],
    )
    return cast("Verdict", await backend.ask_person(asked))


def address_of(tab: Tab) -> Address:
    """URL and title of a tab's main document, as last known."""
    backend = tab.backend
    if backend is None:
        return tab.last_address
    address = backend.address
    by_itself = backend.executes_itself and tab.grant == EVERYTHING
    if by_itself and not address.url.startswith(("http:", "https:", "file:")):
        return Address(url="", title=address.title)  # such a tab may name anything as its address
    return address


def inherited_of(tab: Tab) -> str | None:
    """The URL that applies to the main document where its own says nothing (`about:blank`, `data:`): its creator's."""
    return tab.backend.inherited_url if tab.backend is not None else None


def _revoked(error: KaptureError) -> KaptureError:
    """The error for a command that the person's new grant does not cover, or may not cover as far as it has come."""
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"The grant was changed while this ran. {error.message}",
        hint=error.advice or "It may have taken effect in part: look at the page again.",
        data=error.data,
    )
