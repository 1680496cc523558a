"""Scripts that hold tabs: clients of the CDP endpoint, which use a tab through a CDP session of their own.

A script waits for its turn in the tab's queue like a command, and then holds the tab until it leaves. Meanwhile
commands fail with `TAB_BUSY`, which says who has held the tab since when. A script is judged by policy like the
command `cdp`: once when it takes the tab, and again for each method that it sends. A lowered grant, a lost connection
or the tab's end ends the hold.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import trio

from kapture.backends.backend import TabDocuments
from kapture.commands.cdp import Cdp
from kapture.commands.core.answer import CallResult
from kapture.commands.core.params import Arguments
from kapture.commands.core.registry import Access, get_command
from kapture.commands.navigation import Navigate
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.hub.call import Call, now_text
from kapture.hub.calls import Calls
from kapture.hub.client import Client
from kapture.hub.consent import address_of
from kapture.hub.records import Activity
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import UNVOUCHED, Tab, held_by_row, kind_of
from kapture.policy import Decision

_FIRST_METHOD = "Runtime.enable"
"""The first command of every script: the method by which it is judged whether a client may hold a tab at all."""
_ENDS_S = 5.0
"""How long a hold may take to end."""


class Hold:
    """A tab while a script holds it."""

    def __init__(self, state: HubState, calls: Calls, tab: Tab, call: Call) -> None:
        self.tab = tab
        self._state = state
        self._calls = calls
        self._call = call

    @property
    def tab_url(self) -> str:
        """The URL of the tab's main document, as last known."""
        return address_of(self.tab).url

    def check(self, method: str, params: Mapping[str, Any]) -> None:
        """Raise `POLICY_DENIED` if policy does not let the script send this method now."""
        client, tab = self._call.client, self.tab
        decision = _decide(self._state, client, tab, method, params)
        if not decision.allowed and method == "Page.navigate" and isinstance(params.get("url"), str):
            decision = self._decide_to_leave(client, params["url"]) or decision
        if not decision.allowed:
            self._call.rule = decision.rule
            self._state.records.decided(self._call, tab, allowed=False)
            raise decision.error()

    def calling(self) -> AbstractContextManager[None]:
        """Judge everything in the block by the rules for the script's client."""
        return self._state.consent.calling(self._call.client)

    def documents(self) -> TabDocuments | None:
        """The tab's documents, as far as the hub knows them now."""
        return self.tab.backend.documents if self.tab.backend is not None else None

    def gate(self, url: str) -> bool:
        """Whether the call in progress may read a document with this URL."""
        return self._state.consent.gate(self.tab)(url)

    def check_upload(self, path: Path) -> Path:
        """Return the path of a file or folder that the page may be given; `POLICY_DENIED` for any other."""
        return self._state.consent.policy.files(self._call.client.name).check_upload(path, folders_too=True)

    async def run(self, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """Run a command on the tab during the hold, through policy."""
        return await self._calls.run_in_turn(self._call, self.tab, name, arguments)

    def end(self, error: KaptureError) -> None:
        """End the hold; the script's client gets this error."""
        self._call.fail(error)

    def _decide_to_leave(self, client: Client, url: str) -> Decision | None:
        """Decide on a navigation as on `navigate`: a page outside the grant may be left for one inside."""
        if self._state.consent.policy.usable_level(self.tab.grant, client.name) < Access.FULL:
            return None
        return self._state.consent.decide(client, get_command("navigate"), Navigate(url=url), self.tab)


class Holding:
    """Decides which tabs of one hub a script may hold, and holds them."""

    def __init__(self, state: HubState, calls: Calls) -> None:
        self._state = state
        self._calls = calls

    def tabs(self, client: Client) -> list[Tab]:
        """The connected tabs that policy lets this client's scripts work on."""
        return [tab for tab in self._state.router.connected.values() if self._allows(client, tab)]

    def _allows(self, client: Client, tab: Tab) -> bool:
        if tab.scripts is None or client.client_id in tab.barred:
            return False
        if not self._state.owners.may_use(client, tab.tab_id):
            return False
        if kind_of(tab) in UNVOUCHED:  # scripts take the first page that they are shown
            return False
        try:
            return _decide(self._state, client, tab, _FIRST_METHOD, {}).allowed
        except KaptureError:
            return False

    async def hold(self, client: Client, tab: Tab, work: Callable[[Hold], Awaitable[None]]) -> None:
        """Run `work` while the client's script holds the tab; waits for the tab's turn. Raises what ended the hold."""
        given = {"tabId": tab.tab_id, "method": _FIRST_METHOD}
        params = Cdp(method=_FIRST_METHOD)
        arguments = Arguments(params=params, given=given, tab_id=tab.tab_id, timeout_ms=math.inf, snapshot=None)
        call = Call(command=get_command("cdp"), arguments=arguments, client=client, given=given, holds=True)
        records = self._state.records
        if records.feed.watched:
            records.feed.made(call, given)
        started_at, began = now_text(), time.perf_counter()
        outcome, message = "ok", ""
        client.calls += 1
        try:
            async with tab.turn(call):
                self._state.pauses.check(client, tab.tab_id)
                self._check(client, tab)
                page = tab.backend.current_page if tab.backend is not None else None
                if page is not None:
                    await page.shown.clear()
                if records.feed.watched:
                    records.feed.started(call)
                self._show(tab, held_by_row(call))
                await call.run(lambda: work(Hold(self._state, self._calls, tab, call)))
        except KaptureError as error:
            outcome, message = error.code.value, error.message
            if isinstance(error, DialogOpen):
                raise _dialog_error(tab, error) from error
            raise
        finally:
            activity = Activity(
                number=call.number,
                tab_id=tab.tab_id,
                command=call.command.name,
                client=client.display_name,
                client_id=client.client_id,
                started_at=started_at,
                duration_ms=round((time.perf_counter() - began) * 1_000, 2),
                outcome=outcome,
                message=message,
                waited_ms=None,
            )
            records.call_ended(activity, client=client, tab=tab, arguments=given, rule=None)
            if tab.script is None:
                self._show(tab, None)

    def _show(self, tab: Tab, held_by: Mapping[str, str] | None) -> None:
        if tab.panel is not None:
            tab.panel.show_hold(held_by)
        self._state.events.publish("tab_changed", tab.tab_id)

    def end(self, tab_id: str) -> None:
        """Take a tab back from the script or client that has it, if there is one, because the person wants it so."""
        self._state.owners.free(tab_id)
        if (tab := self._state.router.connected.get(tab_id)) is not None:
            tab.end_hold()

    async def release(self, tab_id: str) -> Mapping[str, str]:
        """The same, for a program of the person's: who has lost the tab, and since when it had it.

        `INVALID_PARAMS` when nobody has it; `COMMAND_TIMEOUT` when the script's hold does not end.
        """
        tab = self._state.router.find(tab_id)
        script, owner = tab.script, self._state.owners.of(tab_id)
        self._state.owners.free(tab_id)
        if script is None and owner is not None:
            return {"client": owner.name, "since": owner.since}
        if script is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"No script or client has tab {tab_id}.",
                hint="list_tabs shows in heldBy which tabs a script holds, and in owner which a client has.",
            )
        tab.end_hold()
        with trio.move_on_after(_ENDS_S):
            while tab.script is script:
                await self._state.events.published.wait()
            return held_by_row(script)
        raise KaptureError(
            ErrorCode.COMMAND_TIMEOUT,
            f"The script has not released tab {tab_id} within {_ENDS_S:g} s.",
            hint="Disconnect the tab in the Kapture panel or popup.",
        )

    def _check(self, client: Client, tab: Tab) -> None:
        """Check again that policy allows it: the tab may show another page since the script began to wait."""
        if not self._allows(client, tab):
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"Tab {tab.tab_id} is not granted to scripts any more.",
                hint="Ask the person to grant the level full, on the site that the tab shows.",
            )


def _dialog_error(tab: Tab, error: KaptureError) -> KaptureError:
    """`DIALOG_OPEN` for a script: commands may be waiting with the same error, which has a hint for them."""
    hint = (
        f"Answer it in the browser, or with `kapture call handle_dialog --tab {tab.tab_id}` (accept=false to dismiss"
        " it), and attach again."
    )
    return KaptureError(error.code, error.message, hint=hint, data=error.data)


def _decide(state: HubState, client: Client, tab: Tab, method: str, params: Mapping[str, Any]) -> Decision:
    return state.consent.decide(client, get_command("cdp"), Cdp(method=method, params=dict(params)), tab)
