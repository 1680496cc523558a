"""Policy applied to calls: before a call is queued, again when it starts, and for every document that it reads.

The call in progress is known to the page's gate by a context variable, so that two clients who work on one tab at once
are each judged by their own rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import attrs
import trio

from kapture.backends.backend import Address, TabPanel
from kapture.commands.core.registry import Command
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.call import Call
from kapture.hub.client import Client
from kapture.hub.elsewhere import not_for_group
from kapture.hub.owners import Owners
from kapture.hub.tabs.tab import Tab, how_widened
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.policy import Ask, Decision, Grant, Policy, Request
from kapture.policy.approvals import Approvals
from kapture.policy.grant import ANY_SITE, FILES, is_narrower, parse
from kapture.policy.policy import widened
from kapture.policy.question import Asker, Question, Verdict
from kapture.wire import messages

EVERYTHING = Grant.make([ANY_SITE, FILES], "full")
"""The grant of a tab that executes commands itself and registers without one: it can refuse each command itself."""

EVERY_SITE = Grant.make([ANY_SITE], "full")
"""That of a tab that carries CDP and registers without one on the open port of `--no-pairing`."""


def grant_of(register: messages.Register, *, open_port: bool) -> Grant | None:
    """The grant that a tab registers with; None without one. `open_port`: what needs no proof needs no grant either.

    A grant that the tab reports as revoked later is None in any case.
    """
    if register.grant is not None:
        return reported_grant(register.grant)
    if "cdp" not in register.capabilities:
        return EVERYTHING
    return EVERY_SITE if open_port else None


def reported_grant(grant: messages.WireGrant | None) -> Grant | None:
    """The grant that a tab reports; `INVALID_PARAMS` if it is none."""
    return None if grant is None else Grant.make(grant.sites, grant.level)


_REPORT_S = 10.0
"""Between two reports that a call waits: clients that hear nothing give a call up, some after a minute."""
_MOST_FRAMES = 4
"""The number of frames outside the grant, at most, for which the person is asked during one call."""


_in_progress: ContextVar[tuple[Client, Call | None] | None] = ContextVar("kapture_call", default=None)
"""On behalf of whom something is read, and during which call."""


def open_to(tab: Tab, client: Client) -> bool:
    """Whether the tab is for this client too: for the group, if it comes from there; and by its standing grant, if it
    is connected by one. One for every client is for those of this machine, and of the group where the tab is for that;
    those of a share are named."""
    if client.from_group and not tab.for_group:
        return False
    if tab.bond is None or client.is_person:
        return True
    return client.known_as == tab.bond.client or (tab.bond.client is None and (client.from_group or not client.share))


def _not_for(tab: Tab, client: Client) -> Decision | None:
    if open_to(tab, client):
        return None
    if client.from_group and not tab.for_group:
        return Decision(allowed=False, rule="not for the group", reason=not_for_group(tab.tab_id).message)
    if tab.bond is None or tab.bond.client is None:
        only, alone = "this machine", "the clients of this machine"
    else:
        only, alone = tab.bond.client, f"the client {tab.bond.client}"
    wanted = client.known_as if client.share else "every client"
    return Decision(
        allowed=False,
        rule=f"standing grant: only {only}",
        reason=f"The person has connected this tab for {alone} alone.",
        hint=f"Work on another tab, or ask them to connect it for {wanted}.",
    )


class Consent:
    """The policy of one hub, whose its tabs are, and the questions it has put to people."""

    def __init__(self, policy: Policy, approvals: Approvals, owners: Owners) -> None:
        self.policy = policy
        self.approvals = approvals
        self.owners = owners

    @property
    def client(self) -> Client | None:
        """The client on behalf of which this task acts."""
        return (_in_progress.get() or (None, None))[0]

    def gate(self, tab: Tab) -> Callable[[str], bool]:
        """A function that says whether the call in progress may read a document with this URL on this tab, now."""

        def may_read(url: str) -> bool:
            client, call = _in_progress.get() or (None, None)
            if client is not None and not (open_to(tab, client) and self.owners.may_use(client, tab.tab_id)):
                return False
            grant = tab.grant if call is None else widened(tab.grant, call.allowed)
            allowed = self.policy.may_read(url, grant=grant, client="" if client is None else client.name)
            if allowed and call is not None:
                call.note_read(url)
            return allowed

        return may_read

    @contextmanager
    def calling(self, client: Client, call: Call | None = None) -> Iterator[None]:
        """Run this block on behalf of this client: everything in it is judged by its rules. `call`: during this one,
        which notes what it reads."""
        token = _in_progress.set((client, call))
        try:
            yield
        finally:
            _in_progress.reset(token)

    async def confirm(self, tab: Tab, title: str, detail: str) -> bool:
        """Whether the tab's person agrees to something that only a person may decide.

        True where there is no extension to ask them in: whoever connected that browser has agreed by doing so.
        """
        panel = tab.panel
        if panel is None or not panel.can_ask_person:
            return tab.backend is not None
        expires_ms = self.policy.rules.approvals.timeout_s * 1_000
        question = messages.Approve(id="", title=title, detail=detail, expires_ms=expires_ms, url=address_of(tab).url)
        return await panel.ask_person(question) in ("once", "tab")

    def shown_address(self, tab: Tab) -> Address:
        """URL and title of a tab for the call in progress; outside the grant only the origin."""
        address = address_of(tab)
        if tab.handed_over is not None:  # where its person goes, and what a page makes its title, is theirs
            return Address(url=_origin(address.url), title="")
        if address.url == "" or self.gate(tab)(inherited_of(tab) or address.url):
            return address
        return Address(url=_origin(address.url), title="")

    def decide(
        self, client: Client, command: Command, params: Any, tab: Tab, allowed: tuple[Ask, ...] = ()
    ) -> Decision:
        """Policy's decision on a call, by the tab's current URL. `allowed`: for this call alone."""
        return _not_for(tab, client) or self.policy.decide(self._request(client, command, params, tab, allowed))

    def decide_elsewhere(self, client: Client, command: Command, params: Any) -> Decision:
        """Whether this machine lets a client have another machine run a call, whose grant and sites decide there."""
        return self.policy.decide(
            Request(command=command, params=params, client=client.name, grant=EVERYTHING, url="about:blank")
        )

    def decide_for_hub(self, client: Client, command: Command, params: Any) -> Decision:
        """Policy's decision on a call that concerns no tab."""
        return self.policy.decide(Request(command=command, params=params, client=client.name))

    async def ask(self, call: Call, tab: Tab) -> None:
        """Decide, and ask the person for what only a person can allow; `POLICY_DENIED` if they refuse.

        The wait is no part of the call's own timeout; its progress reports again and again that it waits for a person.
        """
        client = call.client
        if (denied := _not_for(tab, client)) is not None:
            raise denied.error()

        def widen(grant: Grant) -> None:
            if tab.grant is not None:
                tab.grant = grant

        async def report(question: Question) -> None:
            for reports in itertools.count(1):
                await call.progress(1 - 1 / reports, None, f"Waiting for the person to answer: {question.title}.")
                await trio.sleep(_REPORT_S)

        admission = await self.approvals.admit(
            self.policy,
            lambda: attrs.evolve(
                self._request(client, call.command, call.arguments.params, tab, frames=call.frames, call=call.name),
                shown=call.shown,
            ),
            client_id=client.line,
            tab_id=tab.tab_id,
            allowed=call.allowed,
            askers=self._askers(tab),
            client_asker=self._client_asker(client),
            on_tab_grant=widen,
            on_question=report,
        )
        call.rule, call.allowed = admission.decision.rule, admission.allowed_once
        call.asked = ", ".join(verdict for _, verdict in admission.asked) or None

    def needs_frame(self, call: Call, tab: Tab, error: FrameNotGranted) -> None:
        """Have the call run again once the person has been asked for a frame outside the grant that it needs.

        It must not have done anything yet. Raises the error if nobody can be asked, or nobody could allow it.
        """
        request = self._request(call.client, call.command, call.arguments.params, tab, frames=(error.url,))
        decision = self.policy.decide(request)
        somebody = bool(self._askers(tab)) or self._client_asker(call.client) is not None
        asks = self.policy.rules.approvals.enabled and somebody
        enough = error.url in call.frames or len(call.frames) >= _MOST_FRAMES
        if enough or not error.again or not (decision.allowed or (decision.ask is not None and asks)):
            error.advice = (decision.hint if request.widened_by else "") or error.advice
            raise error
        call.needs(error.url)

    def change_grant(self, tab: Tab, grant: Grant | None) -> None:
        """Apply a change of a tab's grant: running calls that it does not cover fail with `POLICY_DENIED`, also those
        that may have read a document that is closed now, of the tab or gone from it, and not answered yet."""
        before, tab.grant = tab.grant, grant
        narrowed = is_narrower(grant, before)
        self.approvals.grant_changed(tab.tab_id)
        for call in tab.all_running():
            decision = self.decide(call.client, call.command, call.arguments.params, tab, call.allowed)
            if not decision.allowed:
                call.fail(_revoked(decision.error()))
            elif narrowed and not call.holds and (closed := self._closed(call, tab, before)):
                call.fail(_revoked(closed))

    def _closed(self, call: Call, tab: Tab, before: Grant | None) -> KaptureError | None:
        """The error for what the call has read, or might have by the grant before, and may not by the grant now."""

        def may_read(url: str, grant: Grant | None) -> bool:
            return self.policy.may_read(url, grant=widened(grant, call.allowed), client=call.client.name)

        documents = tab.backend.documents if tab.backend is not None else None
        for frame in documents.frames.all() if documents is not None else ():
            if may_read(frame.policy_url, before) and not may_read(frame.policy_url, tab.grant):
                return FrameNotGranted(frame.policy_url, frame.key)
        if all(may_read(url, tab.grant) for url in call.read):
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
        panel = tab.panel
        return (lambda question: _ask_tab(panel, question),) if panel is not None and panel.can_ask_person else ()

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


async def _ask_tab(panel: TabPanel, question: Question) -> Verdict | None:
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
        read_suffices=question.read_suffices,
        count=max(1, question.waiting),
        call=question.call,
        shown=[messages.ShownPart(name=part.name, text=part.text) for part in question.shown],
    )
    return cast("Verdict", await panel.ask_person(asked))


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


def _origin(url: str) -> str:
    parsed = parse(url)
    return parsed.origin if parsed is not None else url.partition(":")[0][:40] + ":"


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
