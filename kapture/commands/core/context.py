"""What a handler is given: the tab it works on, the client it works for, and narrow views of the rest.

Commands stand below the hub in the layer order, so what they need of it is stated here as protocols, and the
hub implements them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

import attrs

from kapture.commands.core.answer import Answer
from kapture.commands.core.recorder import RecorderView
from kapture.commands.core.result import CallResult
from kapture.page import Page
from kapture.page.outcome import Outcome
from kapture.snapshot import Tree
from kapture.snapshot.render import Rendering

MOST_FURNITURE = 200


class Progress(Protocol):
    """Tells the caller how far a long command is. Cheap to call; does nothing when nobody listens."""

    async def __call__(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report `done` of `total` (any unit) and one short sentence."""


class BrowserControl(Protocol):
    """The few things of a tab that CDP cannot do; the tab's backend implements them."""

    async def tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab that inherits this tab's grant and connects by itself; its tabId."""

    async def tab_close(self) -> None:
        """Close this tab."""

    async def tab_activate(self) -> None:
        """Bring this tab to the front of its window."""

    async def permission(self, name: str, setting: str) -> None:
        """Let the site that the tab shows use something (`allow`), refuse it (`block`), or ask the person (`ask`)."""

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run one `chrome.downloads` step: see docs/PROTOCOL.md, `download`."""


class FileRules(Protocol):
    """Where files may come from and go to, by the policy in force."""

    def check_upload(self, path: Path) -> Path:
        """The resolved path if it lies in an allowed folder; else `POLICY_DENIED`."""

    def download_folder(self) -> Path:
        """The hub's own folder for downloads, made with mode 0700; `POLICY_DENIED` when downloads are off."""

    def download_path(self, suggested_name: str) -> Path:
        """A new, empty file in that folder, named safely after what was suggested."""

    def max_download_bytes(self) -> int:
        """The largest file that is kept."""


class HubCall(Protocol):
    """Runs a command as any client's call: through policy, approvals and the tab's queue, and recorded."""

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
    ) -> CallResult:
        """The command's answer, or its `KaptureError`. `shown`: what people and records get to see in the place of
        arguments that hold a secret; the answer is kept in no record then."""


class ScenarioLibrary(Protocol):
    """The scenarios of the hub's data folder. Errors are `SCENARIO_INVALID`, `INVALID_PARAMS` or `UNAUTHORIZED`."""

    async def search(self, text: str, tags: Sequence[str]) -> Answer:
        """Those that hold every word and have all the tags; without either all of them."""

    async def run(self, wish: ScenarioWish, hub: HubContext) -> Answer:
        """Run one; that a step fails is part of the answer."""

    async def delete(self, name: str) -> None:
        """Remove one, with its secrets."""

    async def show(self, name: str) -> Answer:
        """One as its file has it, with the schema of its parameters and which secrets have a value."""

    async def edit(self, name: str, scenario: Mapping[str, Any]) -> Answer:
        """Put this in the place of one."""

    async def names(self) -> Sequence[str]:
        """The names that are taken, in alphabetical order."""


@attrs.frozen(kw_only=True)
class ScenarioWish:
    """Which scenario to run, and how."""

    name: str
    parameters: Mapping[str, Any]
    override_secrets: Mapping[str, str]
    tab_id: str | None
    dry_run: bool
    heal: bool
    screenshots: Literal["failure", "steps", "none"]


@attrs.frozen(kw_only=True)
class TabWish:
    """What a client would like: a tab for a reason that the person reads, showing `url` if it names one."""

    reason: str
    url: str | None = None
    sites: tuple[str, ...] = ()
    level: Literal["read", "interact", "full"] | None = None


class HubView(Protocol):
    """What commands may ask of the hub."""

    @property
    def recorder(self) -> RecorderView | None:
        """What records tabs; None in a hub that keeps no scenarios."""

    async def tabs_back(self) -> None:
        """Return when the tabs that were connected before the hub started are back, or had 3 s to come back."""

    def tab_rows(self) -> Sequence[Mapping[str, Any]]:
        """One row a connected tab: see `list_tabs`."""

    def why_no_tab(self) -> Mapping[str, Any]:
        """Why no tab is connected: `state`, `message`, `hint`."""

    def status(self) -> Mapping[str, Any]:
        """The state of the hub: see `status`."""


@attrs.define(eq=False, kw_only=True)
class ClientView:
    """What one client has seen of one tab; it goes when either goes."""

    client_id: str
    last_snapshot: Tree | None = None  # the last whole one: changes are the difference from it
    rendered: tuple[object, Tree, Rendering] | None = None  # how a snapshot was asked for last, and what it showed
    forgot_snapshot: bool = False  # the last one was given up, to save memory
    furniture: frozenset[str] = frozenset()  # headers, menus and footers that it has been shown, by their digests
    kept: dict[str, Any] = attrs.field(factory=dict)  # what a command holds for this client between calls, by its name

    def trees(self) -> Iterator[Tree]:
        """The snapshots that are kept."""
        if self.last_snapshot is not None:
            yield self.last_snapshot
        if self.rendered is not None:
            yield self.rendered[1]

    def forget_snapshots(self) -> None:
        """Save memory: the next changes are shown from a snapshot that is taken for it."""
        self.forgot_snapshot |= self.last_snapshot is not None
        self.last_snapshot = self.rendered = None

    def remember_furniture(self, shown: frozenset[str]) -> None:
        """Keep what has been shown, as long as that is not too much; then only the latest page's."""
        known = self.furniture | shown
        self.furniture = known if len(known) <= MOST_FURNITURE else shown


@attrs.define(kw_only=True)
class HubContext:
    """Given to commands of scope `hub`."""

    hub: HubView
    client_id: str
    progress: Progress
    request_tab: Callable[[TabWish], Awaitable[Mapping[str, Any]]]
    """Ask the person for a tab, within the call's timeout; its row as in `list_tabs`."""
    call: HubCall
    """Run another command for the same client. What it sees of a tab is kept apart from what the client has seen."""
    scenarios: ScenarioLibrary | None = None


@attrs.define(kw_only=True)
class TabContext:
    """Given to commands of scope `tab`."""

    tab_id: str
    page: Page
    client: ClientView
    browser: BrowserControl
    files: FileRules
    hub: HubView
    progress: Progress
    invoke_step: Callable[[str, Mapping[str, Any]], Awaitable[CallResult]]
    step_allowed: Callable[[str, Mapping[str, Any]], bool]
    """Whether policy allows a step as things are now, without a question to anybody. When it runs it is asked again."""
    secret: bool = False
    """Whether the arguments hold a secret, which a recording of the tab must not show."""
    shows_page: bool = True
    """Whether the answer shows the page afterwards, so that what it does once the effect is drawn is waited for."""
    outcomes: list[Outcome] = attrs.field(factory=list)

    @asynccontextmanager
    async def acting(self) -> AsyncIterator[Outcome]:
        """Watch the page while the block acts on it, and settle at its end (`kapture.page.settle`).

        What happened is kept in `outcomes`; the runner adds it to the answer, with the snapshot the caller
        asked for.
        """
        async with self.page.acting(thorough=self.shows_page) as outcome:
            self.outcomes.append(outcome)
            yield outcome

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """Run another command on this tab, in this command's place in the queue, through policy (for `batch`)."""
        return await self.invoke_step(name, arguments)
