"""Browsers that the hub starts itself or attaches to."""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import attrs
import trio

from kapture.backends.chromium.browser import CdpBrowser
from kapture.backends.chromium.endpoint import Endpoint, debugging_socket
from kapture.backends.chromium.find import ATTACHED, ATTACHED_ELSEWHERE, LAUNCHED, BrowserKind
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import BrowserProcess, running
from kapture.backends.chromium.profile import chosen_profile, named_profile, throw_away_profile
from kapture.backends.chromium.target import TabIds
from kapture.backends.outbox import Socket
from kapture.background import running_beside, single_error
from kapture.cdp import CdpError
from kapture.errors import ErrorCode, KaptureError, ProtocolError, TabDisconnected, leaves
from kapture.hub.sockets import Heartbeat
from kapture.hub.state import HubState
from kapture.hub.tab_registration import serve_direct_tab
from kapture.policy import Grant
from kapture.wire import browsers as wire

_ANSWERS_S = 30.0
_TABS_CONNECT_S = 30.0
_FIRST_PAUSE_MS = 250.0
_LONGEST_PAUSE_MS = 15_000.0


@attrs.frozen(kw_only=True)
class LaunchOptions:
    """How a browser is started. `browser`: a name or path, see `find_browser`; `profile`: the name or the folder of one
    that is kept; None: a temporary one."""

    headless: bool
    browser: str | None = None
    profile: str | Path | None = None
    urls: Sequence[str] = ()
    extra: Sequence[str] = ()
    environment: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class OpenBrowser:
    """A connected browser. `ended` is set when its connection has ended.

    `problems`: which URLs could not be opened, and why.
    """

    browser: CdpBrowser
    tab_ids: Sequence[str]
    ended: trio.Event
    problems: Sequence[str] = ()


class Browsers:
    """The browsers of one hub. Each exists for as long as the block that opened it."""

    def __init__(self, state: HubState) -> None:
        self._state = state

    @asynccontextmanager
    async def launched(
        self, options: LaunchOptions, grant: Grant, *, for_group: bool = False
    ) -> AsyncIterator[OpenBrowser]:
        """Start a browser whose tabs are connected with this grant. It is ended when the block or the hub ends.

        `LAUNCH_FAILED` if it does not start.
        """
        home = self._state.settings.home
        match options.profile:
            case None:
                profile = await trio.to_thread.run_sync(throw_away_profile, home)
            case Path() as folder:
                profile = chosen_profile(folder)
            case name:
                profile = named_profile(home, name)
        launch = Launch(
            profile=profile,
            throw_away=options.profile is None,
            browser=options.browser,
            headless=options.headless,
            extra=options.extra,
            environment=options.environment,
        )
        async with (
            running(launch) as process,
            debugging_socket(process) as socket,
            self._connected(socket, LAUNCHED, TabIds(), profile / "downloads", grant, for_group) as opened,
            running_beside(lambda: _close_with(process, opened)),
        ):
            problems = await open_urls(opened.browser, options.urls)
            with trio.move_on_after(_TABS_CONNECT_S):
                for tab in opened.browser.tabs:  # the last one is known here before the router has it
                    await self._state.router.wait_connected(tab.tab_id)
            yield attrs.evolve(opened, tab_ids=[tab.tab_id for tab in opened.browser.tabs], problems=problems)

    async def attach(
        self,
        endpoint: Endpoint,
        grant: Grant,
        ids: TabIds,
        *,
        on_connected: Callable[[Sequence[str]], None],
        on_lost: Callable[[KaptureError, float], None],
        for_group: bool = False,
    ) -> None:
        """Stay attached to a browser that was started by somebody else, until cancelled.

        The first attempt must succeed, else `NO_BACKEND`; after a lost connection it is repeated, with growing pauses.
        Its tabs keep their `ids`. `on_connected` gets those that are connected, `on_lost` the reason and the pause in
        milliseconds.
        """
        pause_ms, first, lost = _FIRST_PAUSE_MS, True, self._state.lost_endpoints
        try:
            while True:
                since = math.inf
                error = KaptureError(ErrorCode.NO_BACKEND, f"The connection to {endpoint.shown} was lost.")
                try:
                    async with self._attached(endpoint, ids, grant, for_group) as opened:
                        first, since = False, trio.current_time()
                        lost.pop(ids.owner, None)
                        on_connected(opened.tab_ids)
                        await opened.ended.wait()
                except KaptureError as problem:
                    if first:
                        raise
                    error = problem
                lost[ids.owner] = endpoint.shown
                if trio.current_time() - since > pause_ms / 1_000:  # not the end of one that ends whenever it begins
                    pause_ms = _FIRST_PAUSE_MS
                wait_ms = pause_ms * random.uniform(0.75, 1.25)  # noqa: S311  so that many do not come back at once
                on_lost(error, wait_ms)
                await trio.sleep(wait_ms / 1_000)
                pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)
        finally:
            lost.pop(ids.owner, None)

    @asynccontextmanager
    async def _attached(
        self, endpoint: Endpoint, ids: TabIds, grant: Grant, for_group: bool
    ) -> AsyncIterator[OpenBrowser]:
        """Use the browser at this endpoint for the duration of the block; `NO_BACKEND` when it cannot be reached, or
        nothing comes from it any more."""
        limits = self._state.settings.limits
        kind = ATTACHED if endpoint.is_local else ATTACHED_ELSEWHERE
        folder = self._state.settings.home / "browsers" / "fetched"

        def ping() -> None:
            opened.browser.connection.submit("Browser.getVersion", {})

        async def until_silent() -> None:
            missed = await heartbeat.run()
            raise KaptureError(
                ErrorCode.NO_BACKEND, f"The browser at {endpoint.shown} has not answered {missed} heartbeats in a row."
            )

        heartbeat = Heartbeat(limits.heartbeat_ms, limits.missed_heartbeats, ping)
        async with (
            endpoint.connected(heartbeat.heard) as socket,
            self._connected(socket, kind, ids, folder, grant, for_group) as opened,
            running_beside(until_silent),
        ):
            yield opened

    @asynccontextmanager
    async def _connected(
        self, socket: Socket, kind: BrowserKind, ids: TabIds, folder: Path, grant: Grant, for_group: bool
    ) -> AsyncIterator[OpenBrowser]:
        """Use the browser at the other end of this socket for the duration of the block."""
        browser = CdpBrowser(
            socket,
            kind,
            ids=ids,
            folder=folder,
            limit_bytes=self._state.settings.limits.buffered_bytes,
            open_page=self._state.open_page,
            serve_tab=lambda tab: serve_direct_tab(self._state, tab, kind=kind.name, grant=grant, for_group=for_group),
        )
        with single_error():
            async with trio.open_nursery() as nursery:
                await set_up(nursery, browser)
                yield OpenBrowser(browser, [tab.tab_id for tab in browser.tabs], browser.connection.closed)
                nursery.cancel_scope.cancel()


async def set_up(nursery: trio.Nursery, browser: CdpBrowser) -> None:
    """Run the browser's connection in the nursery, until it is set up; `NO_BACKEND` or `LAUNCH_FAILED` if what is at
    its other end is no browser."""
    problem = ""
    try:
        with trio.fail_after(_ANSWERS_S):
            await nursery.start(browser.run)
    except* trio.TooSlowError:
        problem = f"has not answered for {_ANSWERS_S:.0f} s"
    except* CdpError as group:
        problem = f"refused what Kapture needs ({str(leaves(group)[0])[:500]})"
    except* ProtocolError as group:
        problem = f"does not speak the DevTools protocol ({leaves(group)[0]})"
    except* TabDisconnected:
        problem = problem or "ended the connection before it answered"
    if not problem:
        return
    if browser.kind.owned:
        raise KaptureError(
            ErrorCode.LAUNCH_FAILED,
            f"The browser was started, but {problem}.",
            hint="Start that program by hand to see why; --browser names another one. `kapture doctor` checks it, too.",
        )
    raise KaptureError(
        ErrorCode.NO_BACKEND,
        f"What is at the other end {problem}.",
        hint="Give the address of a whole browser: http://host:port, or ws://host:port/devtools/browser/….",
    )


async def _close_with(process: BrowserProcess, opened: OpenBrowser) -> None:
    """Close the connection when the browser or its watchdog ends; without the watchdog it must not go on."""
    await process.ended.wait()
    opened.browser.connection.close()


_DOWNLOADED = "net::ERR_ABORTED"
_TAB_OPENS_S = 30.0
_LOADING = 8
"""How many pages load at once."""


async def open_urls(browser: CdpBrowser, urls: Sequence[str]) -> list[str]:
    """Open the URLs: the first in the tab that the browser started with, each other one in a new tab.

    The tabs open one after the other, in this order, and their pages load beside each other. Returns which could not be
    opened, and why. `LAUNCH_FAILED` for a browser that ends meanwhile, or has no tab.
    """
    with trio.move_on_after(_TAB_OPENS_S):
        while not browser.tabs and not browser.connection.closed.is_set():
            await browser.tabs_changed.wait()
    opening = _Opening(browser, urls)
    async with trio.open_nursery() as nursery:
        for number in range(len(urls)):
            if (tab_id := await opening.tab(number)) is not None:
                nursery.start_soon(opening.load, number, tab_id)
    ended = browser.connection.closed.is_set()
    if ended or not browser.tabs:
        raise KaptureError(
            ErrorCode.LAUNCH_FAILED,
            "The browser ended while its tabs opened." if ended else "The browser was started but opened no tab.",
            hint="Run `kapture doctor`; --browser names another browser.",
        )
    return [opening.problems[number] for number in sorted(opening.problems)]


class _Opening:
    """Opens URLs, which it names by number. `problems` has a sentence for each that could not be opened."""

    def __init__(self, browser: CdpBrowser, urls: Sequence[str]) -> None:
        self._browser = browser
        self._urls = urls
        self._loading = trio.CapacityLimiter(_LOADING)
        self.problems: dict[int, str] = {}

    async def tab(self, number: int) -> str | None:
        """The tabId of a tab for this URL; None if the browser opens none."""
        if number == 0 and self._browser.tabs:
            return self._browser.tabs[0].tab_id
        with self._noting(number), trio.move_on_after(_TAB_OPENS_S) as scope:
            return await self._browser.open_tab("about:blank", beside=None, background=True)
        if scope.cancelled_caught:
            url = self._urls[number][:500]
            self.problems[number] = f"{url} has no tab: the browser opened none in {_TAB_OPENS_S:g} s."
        return None

    async def load(self, number: int, tab_id: str) -> None:
        """Show the URL in this tab."""
        async with self._loading:
            with self._noting(number):
                failed = await self._browser.navigate(tab_id, self._urls[number])
                if failed and failed != _DOWNLOADED:
                    self.problems[number] = f"{self._urls[number][:500]} is not shown: {failed}"

    @contextmanager
    def _noting(self, number: int) -> Iterator[None]:
        try:
            yield
        except KaptureError as error:
            self.problems[number] = wire.not_opened(self._urls[number], error)
