"""The protocol by which the hub uses a tab, whatever carries its commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import attrs
import trio

from kapture.cdp import CdpTransport
from kapture.cdp.program import Json
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Pin, TabContext
from kapture.errors import DialogOpen, ErrorCode, KaptureError, Wording
from kapture.wire import extension_messages, messages
from kapture.wire.panel_messages import EndedCommand, RunningCommand

if TYPE_CHECKING:
    from kapture.page import FrameTree, Page
    from kapture.page.documents.read_gate import ReadGate


DeliverEvent: TypeAlias = Callable[[str, Json, str | None], None]
"""Takes a CDP event's method, parameters and session; None is the tab's own session."""


Answered: TypeAlias = "Callable[[], Awaitable[messages.HandedBack]]"


@attrs.frozen(kw_only=True)
class Address:
    """URL and title of a tab's main document, as last known."""

    url: str
    title: str


@attrs.frozen(kw_only=True)
class Traffic:
    """Figures on a connection, for `status`. `last_message_at` is Trio's clock, in seconds; answered pings count too.

    A launched browser is not pinged: where nothing happens in it, it is silent.
    """

    pending_requests: int
    late: int
    unsolicited: int
    buffered_bytes: int
    last_message_at: float


class TabDocuments(Protocol):
    """The documents of a tab, and the gate that judges them. A `Page` is one."""

    @property
    def frames(self) -> FrameTree:
        """The tab's frames."""

    @property
    def gate(self) -> ReadGate:
        """Says whether the call in progress may read a document with a URL."""


class TabListener:
    """The hub's reactions to events of a tab: none in this class. Each method is called from the task
    that reads the connection."""

    def blocked(self, error: KaptureError) -> None:
        """A dialog has opened and blocks the page: `error` is its `DIALOG_OPEN`."""

    def changed(self) -> None:
        """The tab's URL or title may be another one."""

    def console(self) -> None:
        """The page has logged something."""

    def page_tools(self) -> None:
        """The tools that the tab's pages declare have changed."""

    def detached(self, error: KaptureError) -> None:
        """Commands cannot run now, though the tab is connected."""


class ScriptSessions(Protocol):
    """A tab's interface for scripts of the CDP endpoint."""

    @property
    def paused(self) -> str | None:
        """The target id of a popup that is paused before its first document, until the first session that a script
        gets resumes it."""

    async def ready(self) -> None:
        """Wait until the tab's page is set up; raises `KaptureError` with the reason if there is none."""

    async def unblocked(self) -> None:
        """Return when no dialog keeps the page from doing anything; also when there is no page any more."""

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """One step of a download that a script follows; see `BrowserControl.download`."""

    def script_session(
        self, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AbstractAsyncContextManager[CdpTransport]:
        """A new CDP session of the tab for a script, for the duration of the block.

        `deliver` is called with the session's events: method, parameters, and the child session that sent it or None.
        `pauses_popups`: whether the script resumes what the page opens; of the tab itself, if it is `paused`.
        `DETACHED` if the tab has no page, `UNSUPPORTED` if it cannot have another session.
        """


class TabPanel(Protocol):
    """The extension's user interface for a tab."""

    @property
    def can_ask_person(self) -> bool:
        """Whether it can show the person a question."""

    async def ask_person(self, question: messages.Approve) -> str:
        """Ask the person; returns their decision. The question's id is chosen here.

        The question is closed when this ends, in whatever way.
        """

    def command_begun(self, call: str, command: RunningCommand) -> None:
        """Show a command that runs, soon, unless it has ended by then; `call` names the call that it belongs to."""

    def command_ended(self, ended: EndedCommand, *, at_once: bool) -> None:
        """Show a command that has ended, soon or `at_once`."""

    def show_pins(self, pins: Sequence[Pin]) -> None:
        """Show what the person points at."""

    def show_hold(self, held_by: Mapping[str, str] | None) -> None:
        """Show which script holds the tab (`client`, `since`), or that none does any more."""

    def show_pauses(self, clients: Sequence[str], *, everywhere: bool) -> None:
        """Show which clients the person has stopped on the tab, or all of them `everywhere`."""

    def show_owner(self, owner: Mapping[str, str] | None) -> None:
        """Show which client has the tab (`name`, `colour`, `session`), or that it is nobody's."""


class HandsOver(Protocol):
    """Gives a tab to its person: while they have it, nothing of the tab reaches the hub."""

    asks: bool  # the browser itself asks the person; else the Console does

    async def hand_over(
        self, what: messages.HandOver, withdrawn: trio.Event, answered: Answered
    ) -> messages.HandedBack:
        """Give the tab to the person until they give it back. `withdrawn`: nobody waits any more; the person may still
        keep the tab while they have it in front of them. `answered`: waits for the answer of the Console."""


class Backend(Protocol):
    """One tab that the hub can run commands on, until `closed` is called."""

    tab_id: str
    opener: str | None  # the tabId of the tab that opened this one
    browser: extension_messages.Browser
    executes_itself: bool  # commands run in the tab, which checks its own pages
    scripts: ScriptSessions | None  # None: no script can have a session of the tab
    panel: TabPanel | None  # None: the tab's browser shows the person nothing of Kapture
    hands_over: HandsOver | None  # None: the tab cannot be given to its person
    listener: TabListener  # the hub sets it
    closing: bool  # a command is closing the tab: the end of its connection is no failure
    let_go: Callable[[], None] | None  # disconnects the tab, which stays open; None: only its browser can

    @property
    def owner(self) -> str:
        """The secret id of the browser instance that the tab is in; empty if it has sent none."""

    @property
    def address(self) -> Address:
        """URL and title, as last known."""

    @property
    def inherited_url(self) -> str | None:
        """The URL that applies to the main document where its own says nothing (`about:blank`, `data:`): its
        creator's."""

    @property
    def blocked(self) -> DialogOpen | None:
        """`DIALOG_OPEN` while a dialog blocks the page."""

    @property
    def why_detached(self) -> str | None:
        """Why commands cannot run now, though the tab is connected; None while they can."""

    @property
    def why_left(self) -> str:
        """Why the tab will not come back (`kapture.backends.backend.FOR_GOOD`); "" if it is not known."""

    @property
    def leaving(self) -> bool:
        """Whether the tab has announced that it will not come back."""

    @property
    def current_page(self) -> Page | None:
        """The page, while one is set up; None for a tab that executes commands itself."""

    @property
    def documents(self) -> TabDocuments | None:
        """The page's documents; while a script holds the tab's only session, those that `DocumentFollower` knows."""

    @property
    def traffic(self) -> Traffic:
        """Figures on the tab's connection."""

    async def serve(self, gate: ReadGate) -> None:
        """Run the tab's background tasks until cancelled. What the hub reads of documents must pass `gate`."""

    async def probe(self) -> None:
        """Return when the tab answers; raises `KaptureError` if it cannot."""

    async def run(self, call: TabContext) -> CallResult:
        """Run a command, over the page and the browser. Cancelling the caller cancels the command."""

    def child_opened(self, tab_id: str) -> None:
        """Note that a tab that this one opened has connected."""

    def close(self, error: KaptureError) -> None:
        """The connection is closed: what runs or waits on the tab fails with this error."""


FOR_GOOD = frozenset({"disconnected", "canceled_by_user", "target_closed", "grant_ended"})
"""Reasons of a `detached` after which the tab does not come back (docs/PROTOCOL.md)."""

_WHAT = {
    "disconnected": "The person disconnected tab {tab_id}",
    "canceled_by_user": "The person ended the debugging of tab {tab_id} with Cancel in the browser's bar",
    "grant_ended": "The standing grant of tab {tab_id} expired, or the person revoked it,",
    "target_closed": "Tab {tab_id} was closed",
    "let_go": "The person disconnected tab {tab_id} in the Console",
    "unreadable": "Tab {tab_id} was dropped, because its browser sent messages about it that cannot be processed,",
}
_WHAT_ELSE = "Tab {tab_id} disconnected"
_BY_PERSON = "Ask the person before going on; it is connected again with Connect in the Kapture panel or popup."
_LIST = "{list_tabs} shows the connected tabs."
_HINTS: dict[str, str | Wording] = {
    "disconnected": _BY_PERSON,
    "canceled_by_user": _BY_PERSON,
    "grant_ended": _BY_PERSON,
    "target_closed": Wording("A page may close its own tab in reply to an action.", _LIST),
    "unreadable": "The hub's log has the details. Its browser may be too old, or not based on Chromium.",
    "let_go": "Ask the person before going on; to connect it again, run the command that connected its browser again.",
}
_HINT = Wording("Ask the person to connect it again.", _LIST)


def left_error(tab_id: str, why: str, when: str) -> KaptureError:
    """`TAB_DISCONNECTED` for a tab that is gone. `when`: "5 s ago", "while this ran"."""
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        f"{_WHAT.get(why, _WHAT_ELSE).format(tab_id=tab_id)} {when}.",
        hint=_HINTS.get(why, _HINT),
        data={"tabId": tab_id, **({"reason": why} if why else {})},
    )


# Names the call in progress in everything sent for it, if a person has allowed something for this call alone: the
# extension lets only that call through on the strength of the answer.

_call: ContextVar[str | None] = ContextVar("kapture_call_allowed_once", default=None)


@contextmanager
def sending_for(call: str | None) -> Iterator[None]:
    """Mark what this task and its children send in the block as sent for this call; None: for no such call."""
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)


def call_allowed_once() -> str | None:
    """The name of the call that the current task sends for; None if there is no such call."""
    return _call.get()
