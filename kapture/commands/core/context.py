"""The context of a handler: the tab it works on, the client it works for, and narrow interfaces to the rest.

Commands are below the hub in the layer order, so what they need of it is declared here as protocols, which the hub
implements.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

import attrs

from kapture.changed import Changed
from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.params import Arguments
from kapture.commands.core.recorder import RecorderView
from kapture.commands.core.registry import Command
from kapture.page import Page
from kapture.page.settling.outcome import Outcome
from kapture.page.shown import Actor
from kapture.snapshot import Tree
from kapture.snapshot.render import Rendering


class Progress(Protocol):
    """Reports how far a long command is. Cheap to call; does nothing if nobody listens."""

    async def __call__(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report `done` of `total` (any unit) and one short sentence."""


class BrowserControl(Protocol):
    """Operations of a backend for a tab other than CDP."""

    async def tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab that inherits this tab's grant and connects by itself; returns its tabId."""

    async def tab_close(self) -> None:
        """Close this tab."""

    async def tab_activate(self) -> None:
        """Bring this tab to the front of its window."""

    async def tab_shown(self) -> bool | None:
        """Whether the tab is in front in its window; None if the browser does not say."""

    async def permission(self, name: str, setting: str) -> None:
        """Set a permission of the site that the tab shows: `allow`, `block`, or `ask` the person."""

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run one `chrome.downloads` step: see docs/PROTOCOL.md, `download`."""


class FileRules(Protocol):
    """The rules for uploaded and downloaded files, by the policy in force."""

    def check_upload(self, path: Path, *, folders_too: bool = False) -> Path:
        """The resolved path if it is a file in an allowed folder, or such a folder; `POLICY_DENIED` otherwise."""

    def download_folder(self) -> Path:
        """The hub's own folder for downloads, created with mode 0700; `POLICY_DENIED` if downloads are disabled."""

    def download_path(self, suggested_name: str) -> Path:
        """Create an empty file in that folder, with a safe form of the suggested name."""

    def max_download_bytes(self) -> int:
        """The size of the largest file that is kept."""

    async def take(self, path: str) -> Path:
        """The file, or folder, to upload for a client that names it so: checked, and here. `POLICY_DENIED` or
        `UPLOAD_FAILED` otherwise."""

    async def hand(self, path: Path) -> str:
        """Give a finished download to the client; its path as the client knows it. It need not be here afterwards."""


class InvokeStep(Protocol):
    """Runs a command that another one needs during its own turn, through policy."""

    async def __call__(self, name: str, arguments: Mapping[str, Any], settles: bool = False, /) -> CallResult:
        """The command's answer; raises its `KaptureError`. `settles`: an action that does not show the page waits for
        its changes all the same."""


class HubCall(Protocol):
    """Runs a command like any client's call: through policy, approvals and the tab's queue, and recorded."""

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
    ) -> CallResult:
        """The command's answer; raises its `KaptureError`. `shown`: what people and records see instead of arguments
        that hold a secret; if given, the answer is not recorded."""


class ScenarioLibrary(Protocol):
    """The scenarios of the hub's data folder. Errors are `SCENARIO_INVALID`, `INVALID_PARAMS` or `UNAUTHORIZED`."""

    async def search(self, text: str, tags: Sequence[str], has_dependencies: bool | None = None) -> Answer:
        """The scenarios that contain every word, have all the tags and, if that is given, depend on others or do not;
        without any condition all scenarios."""

    async def run(self, wish: ScenarioWish, hub: HubContext) -> Answer:
        """Run a scenario; a failed step is part of the answer."""

    async def delete(self, name: str) -> None:
        """Delete a scenario and its secrets."""

    async def show(self, name: str) -> Answer:
        """A scenario as in its file, with the schema of its parameters and which secrets have a value."""

    async def edit(self, name: str, scenario: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> Answer:
        """Replace a scenario by this one."""

    async def names(self) -> Sequence[str]:
        """The names of all scenarios, in alphabetical order."""


@attrs.frozen(kw_only=True)
class Pin:
    """What a person points at: `what` it is, in the page's words, and their `note`. `area`: they drew a rectangle, and
    `ref` is the element at its middle."""

    pin: int
    tab_id: str
    ref: str
    what: str
    note: str = ""
    area: bool = False
    picture: Blob | None = attrs.field(default=None, repr=False)


class PinsView(Protocol):
    """The pins of the hub's tabs."""

    async def of(self, client_id: str, tab_id: str) -> Sequence[Pin]:
        """Those of a tab that the call in progress may read; the client counts as told of them."""

    def dismiss(self, tab_id: str, number: int) -> None:
        """Take a pin away; `INVALID_PARAMS` if there is none with this number."""


@attrs.frozen(kw_only=True)
class PersonAnswer:
    """What the person has answered when they gave a tab back, which they have had for `handed_ms`."""

    done: bool
    note: str
    handed_ms: float


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
    """A client's request for a tab: for a reason that the person reads, showing `url` if given."""

    reason: str
    url: str | None = None
    sites: tuple[str, ...] = ()
    level: Literal["read", "interact", "full"] | None = None
    tab_id: str | None = None  # the tab of another client, which the person is asked to let this one use
    browser: str = ""  # the name of the browser profile


class HubView(Protocol):
    """The part of the hub that commands may use."""

    @property
    def recorder(self) -> RecorderView | None:
        """The hub's recorder; None in a hub without scenarios."""

    async def tabs_back(self) -> None:
        """Return when the tabs of the hub before have reconnected, or their time to do so (3 s) has passed."""

    def tab_rows(self) -> Sequence[Mapping[str, Any]]:
        """One row for each connected tab: see `list_tabs`."""

    async def rows_elsewhere(self) -> Sequence[Mapping[str, Any]]:
        """The same for each tab of the other machines of the hub's group, with `machine`."""

    async def look_elsewhere(self) -> None:
        """Bring what `status` tells of these machines up to date."""

    @property
    def tabs_changed(self) -> Changed:
        """Notified when a tab has connected or is not connected any more, and of other changes."""

    def opening_tab(self) -> AbstractContextManager[None]:
        """Open a tab for the calling client in the block; `QUEUE_FULL` if it has as many as it may have."""

    def own_tab(self, tab_id: str, *, shared: bool) -> None:
        """Note that the calling client has opened this tab, which is its own; `shared`: others may use it too."""

    def release_tab(self, tab_id: str) -> None:
        """Give up a tab of the calling client; `TAB_BUSY` if it is another's."""

    def check_vouched(self, tab_id: str) -> None:
        """`POLICY_DENIED` if stored secrets may not be sent to this tab: only a client says what it shows."""

    def why_no_tab(self) -> Mapping[str, Any]:
        """Why no tab is connected: `state`, `message`, `hint`."""

    def status(self) -> Mapping[str, Any]:
        """The state of the hub: see `status`."""


@attrs.define(eq=False, kw_only=True)
class ClientView:
    """The views of one tab that one client has seen; dropped with either."""

    client_id: str
    last_snapshot: Tree | None = None  # the last complete one: changes are the difference from it
    rendered: tuple[object, Tree, Rendering] | None = None  # options and result of the last rendering
    forgot_snapshot: bool = False  # the last one was dropped, to save memory
    kept: dict[str, Any] = attrs.field(factory=dict)  # what commands keep between calls, by its name

    def trees(self) -> Iterator[Tree]:
        """The kept snapshots."""
        if self.last_snapshot is not None:
            yield self.last_snapshot
        if self.rendered is not None:
            yield self.rendered[1]

    def forget_snapshots(self) -> None:
        """Drop the snapshots to save memory: the next changes are shown from a snapshot that is taken for it."""
        self.forgot_snapshot |= self.last_snapshot is not None
        self.last_snapshot = self.rendered = None


@attrs.define(kw_only=True)
class HubContext:
    """The context of a command of scope `hub`."""

    hub: HubView
    client_id: str
    progress: Progress
    request_tab: Callable[[TabWish], Awaitable[Mapping[str, Any]]]
    """Ask the person for a tab, within the call's timeout; returns its row as in `list_tabs`."""
    call: HubCall
    """Run another command for the same client. What it is shown of a tab is kept separate from the client's own
    view."""
    scenarios: ScenarioLibrary | None = None


@attrs.define(kw_only=True)
class TabContext:
    """A call of a command of scope `tab` that policy allows and whose turn has come. `given` are the client's own
    arguments, for a tab that executes commands itself; `arguments` the same decoded, for a handler in the hub."""

    command: Command
    arguments: Arguments
    given: Mapping[str, Any]
    tab_id: str
    page: Page = attrs.field(init=False)  # set by the backend, as is `browser`
    browser: BrowserControl = attrs.field(init=False)
    client: ClientView
    files: FileRules
    hub: HubView
    progress: Progress
    invoke_step: InvokeStep
    pins: PinsView
    allowed_step: Callable[[str, Mapping[str, Any]], Arguments | None]
    """The arguments of a step, if they are valid and policy currently allows it without asking anybody; else None.
    Policy decides again when it runs."""
    wait_connected: Callable[[str], Awaitable[None]]
    """Wait until a tab with this id is connected."""
    allowed_once: str | None = None
    """The name of the call, if a person has allowed something for it alone."""
    person: PersonAnswer | None = None
    """What the person has answered to `ask_person`, in the call that waited for it."""
    secret: bool = False
    """Whether the arguments hold a secret, which must not appear in a recording of the tab."""
    shows_page: bool = True
    """Whether the changes of the page are waited for, because this answer or a later one shows them."""
    outcomes: list[Outcome] = attrs.field(factory=list)
    did: str = ""
    """The action as the person's list of activities shows it, where that differs from the answer's `summary`."""
    actor: Actor | None = None
    """Whom the page shows to its person as the one who acts; None: nobody."""
    settles: bool = False
    """Set for a step of another command that shows the page in the end."""

    @asynccontextmanager
    async def acting(self) -> AsyncIterator[Outcome]:
        """Watch the page while the block acts on it, and settle at its end (`kapture.page.settling.table`).

        What happened is added to `outcomes`; the runner adds it to the answer, with the snapshot that the caller
        asked for.
        """
        async with self.page.acting(shows=self.shows_page) as outcome:
            self.outcomes.append(outcome)
            yield outcome

    async def invoke(self, name: str, arguments: Mapping[str, Any], *, settles: bool = False) -> CallResult:
        """Run another command on this tab, during this command's own turn, through policy."""
        return await self.invoke_step(name, arguments, settles)
