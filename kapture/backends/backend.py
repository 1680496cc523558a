"""What the hub needs of a tab, however it reaches it: by this protocol, and by nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import attrs

from kapture.cdp import CdpTransport
from kapture.cdp.pending_replies import Json
from kapture.commands.core.context import ClientView, FileRules, HubView, Progress
from kapture.commands.core.params import SnapshotMode
from kapture.commands.core.registry import Command
from kapture.commands.core.result import CallResult
from kapture.errors import KaptureError
from kapture.wire import extension_messages, messages
from kapture.wire.panel_messages import EndedCommand

if TYPE_CHECKING:
    from kapture.page import FrameTree, Page
    from kapture.page.read_gate import ReadGate

DeliverEvent: TypeAlias = Callable[[str, Json, str | None], None]
"""Takes a CDP event's method, parameters and session; None is the tab's own session."""


@attrs.frozen(kw_only=True)
class BackendCall:
    """A call that policy allows and whose turn it is.

    `arguments` are the command's own as the client gave them, for a tab that executes commands itself; `params` are
    the same decoded, for a handler in the hub, which is given what follows. `wait_connected` waits for the tab with
    an id. `allowed_once` names the call if a person has allowed something for it alone. `secret`: its arguments hold
    one.
    """

    command: Command
    arguments: Mapping[str, Any]
    params: Any
    snapshot: SnapshotMode | None
    timeout_ms: float
    client: ClientView
    files: FileRules
    hub: HubView
    progress: Progress
    invoke_step: Callable[[str, Mapping[str, Any]], Awaitable[CallResult]]
    step_allowed: Callable[[str, Mapping[str, Any]], bool]
    wait_connected: Callable[[str], Awaitable[None]]
    allowed_once: str | None = None
    secret: bool = False


@attrs.frozen(kw_only=True)
class Address:
    """URL and title of a tab's main document, as last known."""

    url: str
    title: str


@attrs.frozen(kw_only=True)
class Traffic:
    """What `status` tells of a connection. `last_message_at` is Trio's clock, in seconds."""

    pending_requests: int
    late: int
    unsolicited: int
    buffered_bytes: int
    last_message_at: float


class TabDocuments(Protocol):
    """The documents of a tab, and the gate that judges them. A `Page` is one."""

    @property
    def frames(self) -> FrameTree:
        """Its frames."""

    @property
    def gate(self) -> ReadGate:
        """Whether the call in progress may read a document with a URL."""


class Backend(Protocol):
    """One tab that the hub can run commands on, until `closed` is called."""

    tab_id: str
    opener: str | None  # the tabId of the tab that opened this one
    browser: extension_messages.Browser
    executes_itself: bool  # commands run in the tab, which answers for its own pages
    has_script_sessions: bool  # whether `script_session` gives one
    closing: bool  # a command closes the tab: that it goes is no failure

    # The hub sets these; each is called from the task that reads the connection.
    on_blocked: Callable[[KaptureError], None]
    on_address: Callable[[], None]
    on_console: Callable[[], None]
    on_page_tools: Callable[[], None]
    on_detached: Callable[[KaptureError], None]

    @property
    def owner(self) -> str:
        """The secret of the browser instance that the tab belongs to; empty if it has given none."""

    @property
    def address(self) -> Address:
        """Where the tab is."""

    @property
    def inherited_url(self) -> str | None:
        """The URL that the main document speaks for, where its own says nothing (`about:blank`, `data:`)."""

    @property
    def blocked(self) -> KaptureError | None:
        """`DIALOG_OPEN` while a dialog keeps the page from doing anything."""

    @property
    def why_detached(self) -> str | None:
        """Why commands cannot run now, though the tab is connected; None while they can."""

    @property
    def why_left(self) -> str:
        """Why it will not come back: a reason of `kapture.backends.leaving.FOR_GOOD`; "" while that is not known."""

    @property
    def leaving(self) -> bool:
        """Whether the tab has announced that it will not come back."""

    @property
    def current_page(self) -> Page | None:
        """The page, while one is set up; None for a tab that executes commands itself."""

    @property
    def documents(self) -> TabDocuments | None:
        """Those of the page, or as they are followed while a script has the tab's only session."""

    @property
    def can_ask_person(self) -> bool:
        """Whether the tab can put a question to its person."""

    @property
    def traffic(self) -> Traffic:
        """What its connection carries."""

    async def serve(self, gate: ReadGate) -> None:
        """Do what is to be done in the background, until cancelled. What the hub reads of documents passes `gate`."""

    async def ready(self) -> None:
        """Wait until the tab's page is set up; a `KaptureError` says why there is none."""

    async def probe(self) -> None:
        """Ask for a sign of life; returns when it has come. A `KaptureError` says that none can come."""

    async def run(self, call: BackendCall) -> CallResult:
        """Run a command. When the caller is cancelled, so is the command."""

    async def ask_person(self, question: messages.Approve) -> str:
        """Put a question (whose id is chosen here) to the person; their decision.

        At the end, however it comes, the question is closed.
        """

    def command_ended(self, ended: EndedCommand, *, at_once: bool) -> None:
        """A command has ended on the tab: its panel shows it, soon or `at_once`."""

    def script_session(self, deliver: DeliverEvent) -> AbstractAsyncContextManager[CdpTransport]:
        """A fresh CDP session of the tab for a script, for the length of the block.

        `deliver` takes the session's events: method, parameters, and the child session that sent it or None. `DETACHED`
        when the tab has no page, `UNSUPPORTED` when it can have no further session.
        """

    def show_hold(self, held_by: Mapping[str, str] | None) -> None:
        """A script has the tab now (`client`, `since`), or none any more: its person sees it."""

    def child_opened(self, tab_id: str) -> None:
        """A tab that this one opened has connected."""

    def close(self, error: KaptureError) -> None:
        """The tab is out of reach now: what runs or waits on it fails with this error."""
