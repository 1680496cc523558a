"""A tab to run commands on without a hub: the page of a direct browser, and fakes of what the hub provides."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import attrs
import trio

import kapture.commands  # noqa: F401  fills the registry
from kapture.changed import Changed
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import ClientView, HubContext, TabContext, TabWish
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.recorder import RecorderView
from kapture.commands.core.registry import get_command
from kapture.commands.core.run import run_on_hub, run_on_tab
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.shown import Actor
from tests.support.patience import evaluate
from tests.support.shared_tab import shared_tab

_LOADED = "document.readyState === 'complete' || new Promise((done) => addEventListener('load', () => done(true)))"


@attrs.define
class Calls:
    """Records the calls of a fake."""

    made: list[tuple[str, Any]] = attrs.field(factory=list)

    async def tab_new(self, url: str, *, active: bool) -> str:
        self.made.append(("tab_new", (url, active)))
        return "newtab22"

    async def tab_close(self) -> None:
        self.made.append(("tab_close", None))

    async def tab_activate(self) -> None:
        self.made.append(("tab_activate", None))

    async def tab_shown(self) -> bool | None:
        """Not known."""
        return None

    async def permission(self, name: str, setting: str) -> None:
        self.made.append(("permission", (name, setting)))

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


@attrs.define
class NoFiles:
    """No folder is allowed."""

    def check_upload(self, path: Path, *, folders_too: bool = False) -> Path:
        raise KaptureError(ErrorCode.POLICY_DENIED, "no uploads in this test")

    def download_folder(self) -> Path:
        raise KaptureError(ErrorCode.POLICY_DENIED, "no downloads in this test")

    def download_path(self, suggested_name: str) -> Path:
        raise KaptureError(ErrorCode.POLICY_DENIED, "no downloads in this test")

    def max_download_bytes(self) -> int:
        return 0

    async def take(self, path: str) -> Path:
        return self.check_upload(Path(path))

    async def hand(self, path: Path) -> str:
        return str(path)


@attrs.define
class View:
    """The hub as commands see it."""

    rows: Sequence[Mapping[str, Any]] = ()
    state: Mapping[str, Any] = attrs.field(factory=dict)
    recorder: RecorderView | None = None
    tabs_changed: Changed = attrs.field(factory=Changed)

    async def rows_elsewhere(self) -> Sequence[Mapping[str, Any]]:
        return ()

    async def look_elsewhere(self) -> None:
        return

    def opening_tab(self) -> AbstractContextManager[None]:
        return nullcontext()

    def own_tab(self, tab_id: str, *, shared: bool) -> None:
        return

    def release_tab(self, tab_id: str) -> None:
        return

    def check_vouched(self, tab_id: str) -> None:
        return

    async def tabs_back(self) -> None:
        await trio.lowlevel.checkpoint()

    def tab_rows(self) -> Sequence[Mapping[str, Any]]:
        return self.rows

    def why_no_tab(self) -> Mapping[str, Any]:
        return {"state": "no_tab_connected", "message": "No tab is connected.", "hint": "Connect one."}

    def status(self) -> Mapping[str, Any]:
        return self.state


async def _nobody(wish: TabWish) -> Mapping[str, Any]:
    raise KaptureError(ErrorCode.NO_BACKEND, "nobody can be asked in this test")


async def _no_call(name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None) -> CallResult:
    raise KaptureError(ErrorCode.NO_BACKEND, "no tab is connected in this test")


@attrs.define
class ProgressLog:
    """Keeps what was reported."""

    reports: list[tuple[float, float | None, str]] = attrs.field(factory=list)

    async def __call__(self, done: float, total: float | None = None, message: str = "") -> None:
        self.reports.append((done, total, message))


async def _never_waits(tab_id: str) -> None:
    raise AssertionError(f"Waits for tab {tab_id}.")


@attrs.define
class Tab:
    """Runs commands as the hub does: decoded, with their timeouts, with one context per call."""

    page: Page
    client: ClientView = attrs.field(factory=lambda: ClientView(client_id="test"))
    browser: Calls = attrs.field(factory=Calls)
    progress: ProgressLog = attrs.field(factory=ProgressLog)
    view: View = attrs.field(factory=View)
    actor: Actor | None = None

    async def __call__(self, name: str, /, **arguments: Any) -> CallResult:
        return await self.run(name, arguments)

    async def run(self, name: str, arguments: Mapping[str, Any], settles: bool = False) -> CallResult:
        command = get_command(name)
        decoded = decode_arguments(command, {"tabId": self.page.tab_id, **arguments})

        async def step(inner: str, given: Mapping[str, Any], settles: bool = False) -> CallResult:
            return await self.run(inner, given, settles)

        context = TabContext(
            tab_id=self.page.tab_id,
            command=command,
            arguments=decoded,
            given=arguments,
            client=self.client,
            files=NoFiles(),
            hub=self.view,
            progress=self.progress,
            pins=cast("Any", None),
            invoke_step=step,
            allowed_step=self._allowed_step,
            settles=settles,
            wait_connected=_never_waits,
            actor=self.actor,
        )
        context.page, context.browser = self.page, self.browser
        with trio.move_on_after(decoded.timeout_ms / 1000):
            return await run_on_tab(command, context, decoded.params, decoded.snapshot)
        raise KaptureError(ErrorCode.COMMAND_TIMEOUT, f"{name} ran into the hub's own timeout.")

    def _allowed_step(self, name: str, given: Mapping[str, Any]) -> Arguments | None:
        with suppress(KaptureError):
            return decode_arguments(get_command(name), {"tabId": self.page.tab_id, **given})
        return None

    async def data(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured answer."""
        return (await self(name, **arguments)).data

    async def text(self, name: str, /, **arguments: Any) -> str:
        """The text for a model."""
        return (await self(name, **arguments)).text

    async def fails(self, name: str, /, **arguments: Any) -> KaptureError:
        """The error that the command must end with."""
        try:
            result = await self(name, **arguments)
        except KaptureError as error:
            return error
        raise AssertionError(f"{name} answered: {result.text}")

    async def gives_up(self, name: str, /, with_data: str = "", **arguments: Any) -> KaptureError:
        """The error of a command that waits in vain: not a timeout, or one whose data has something as `with_data`.

        Where the machine is too slow to look even once in the shortest time, it is given more.
        """
        for timeout in (1_500, 6_000, 24_000):
            error = await self.fails(name, **arguments, timeout=timeout)
            if error.code is not ErrorCode.COMMAND_TIMEOUT or error.data.get(with_data):
                break
        return error


async def on_hub(name: str, view: View, /, **arguments: Any) -> CallResult:
    """Run a command of scope `hub`."""
    command = get_command(name)
    decoded = decode_arguments(command, arguments)
    return await run_on_hub(
        command,
        HubContext(hub=view, client_id="test", progress=ProgressLog(), request_tab=_nobody, call=_no_call),
        decoded,
    )


@asynccontextmanager
async def open_tab(port: int, url: str = "about:blank") -> AsyncIterator[Tab]:
    """An empty tab of a browser, ready for commands. Tests that follow one another share it."""
    async with (
        shared_tab(port).blank() as connection,
        Page.open(connection, tab_id="testtab2", gate=lambda _: True) as page,
    ):
        tab = Tab(page)
        if url != "about:blank":
            await tab("navigate", url=url)
        yield tab


@asynccontextmanager
async def open_loaded_tab(port: int, url: str) -> AsyncIterator[Tab]:
    """As `open_tab`, but the page has been loaded before the agent comes, as where a person connects an open tab."""
    async with shared_tab(port).blank() as connection:
        await connection.root.send("Page.navigate", {"url": url})
        await evaluate(connection, _LOADED)
        async with Page.open(connection, tab_id="testtab2", gate=lambda _: True) as page:
            yield Tab(page)
