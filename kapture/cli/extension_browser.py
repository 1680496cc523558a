"""`kapture launch --with-extension`: a browser with the extension, started by this process with a temporary profile."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed

from kapture.backends.chromium.endpoint import debugging_socket
from kapture.backends.chromium.launch import Launch, has_display
from kapture.backends.chromium.process import BrowserProcess, running
from kapture.backends.chromium.profile import named_profile, throw_away_profile
from kapture.background import running_beside
from kapture.client.mcp_client import McpClient, open_client
from kapture.errors import ErrorCode, KaptureError
from kapture.package_files import extension_folder
from kapture.pairing.host_manifest import write_host_manifest
from kapture.settings import Settings

CONNECT_TIMEOUT_S = 30
_DOCUMENT_COMES_S = 10
FULL_GRANT: Mapping[str, Any] = {"sites": ["*"], "level": "full"}


@attrs.frozen
class Browser:
    """A browser started by this process, and its hub."""

    process: BrowserProcess
    hub: McpClient
    extension: Path
    tab_ids: Sequence[str]
    problems: Sequence[str] = ()
    """Which URLs could not be opened, and why."""

    async def ended(self) -> None:
        """Return when the browser or the hub has ended."""
        async with trio.open_nursery() as nursery:

            async def either(ending: trio.Event) -> None:
                await ending.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(either, self.process.ended)
            nursery.start_soon(either, self.hub.closed)


@asynccontextmanager
async def launched_browser(
    settings: Settings,
    *,
    headless: bool | None = None,
    grant: Mapping[str, Any] = FULL_GRANT,
    urls: Sequence[str] = ("about:blank",),
    extra: Sequence[str] = (),
    browser: str | None = None,
    profile_name: str | None = None,
) -> AsyncIterator[Browser]:
    """Start a browser with a profile of its own, and the hub if none is running; yields when its tabs are connected.

    `headless` None: only if there is no display. `grant` is the grant of all its tabs. The browser, and a profile
    without a name, are removed when the block ends; the hub keeps running for its other clients. `LAUNCH_FAILED` if no
    tab connects within 30 s.
    """
    async with open_client(settings.home, "structured=1", name="kapture launch", start=True) as hub:
        profile = (
            throw_away_profile(settings.home) if profile_name is None else named_profile(settings.home, profile_name)
        )
        write_host_manifest(profile / "NativeMessagingHosts", home=settings.home, launch_grant=grant)
        launch = Launch(
            profile=profile,
            throw_away=profile_name is None,
            browser=browser,
            extension=extension_folder(),
            headless=not has_display() if headless is None else headless,
            urls=urls[:1],  # headless Chromium accepts only one
            extra=extra,
        )
        await hub.watch_tabs()
        known = {row["tabId"] for row in await hub.tabs()}
        async with running(launch) as process:
            tab_ids = await connected_tabs(hub, process, known)
            problems = [await not_shown(hub, tab_ids[0], urls[0])]
            for url in urls[1:]:
                try:
                    tab_ids.append(await _open(hub, process, {*known, *tab_ids}, url))
                    problems.append(await not_shown(hub, tab_ids[-1], url))
                except KaptureError as error:
                    if process.ended.is_set():
                        raise
                    problems.append(error.message)
            problems = [problem for problem in problems if problem]
            yield Browser(process, hub, launch.extension or Path(), tab_ids, problems)


async def connected_tabs(hub: McpClient, process: BrowserProcess, known: set[str]) -> list[str]:
    """Wait until a tab that is not known has connected; returns the ids of all such tabs.

    `LAUNCH_FAILED` if none connects within 30 s, or the browser ends.
    """

    async def stop_waiting() -> None:
        await process.ended.wait()
        waiting.cancel()

    with trio.move_on_after(CONNECT_TIMEOUT_S) as waiting:
        async with running_beside(stop_waiting):
            while True:
                changed = hub.tabs_changed.upcoming
                if found := [row["tabId"] for row in await hub.tabs() if row["tabId"] not in known]:
                    return found
                await changed.wait()
    when = "before it ended" if process.ended.is_set() else f"within {CONNECT_TIMEOUT_S} s"
    raise KaptureError(
        ErrorCode.LAUNCH_FAILED,
        f"The browser was started, but no tab of it connected {when}.",
        hint="Run `kapture doctor`; --browser names another browser.",
    )


async def _document_came(hub: McpClient, tab_id: str) -> None:
    """Wait until the hub knows which document a tab shows, or the tab has gone.

    For a limited time, since what is downloaded shows none. The browser tells the extension of a document only after
    the first commands have run in it.
    """
    with trio.move_on_after(_DOCUMENT_COMES_S):
        while True:
            changed = hub.tabs_changed.upcoming
            shown = [row["url"] for row in await hub.tabs() if row["tabId"] == tab_id]
            if all(url not in ("", "about:blank") for url in shown):
                return
            await changed.wait()


async def not_shown(hub: McpClient, tab_id: str, url: str) -> str:
    """Why a tab shows the browser's error page in place of this URL; "" if it does not."""
    if url != "about:blank":
        await _document_came(hub, tab_id)
    await hub.call("kapturemcp_tab_info", {"tabId": tab_id})  # answered once its document has come
    shown = next((row["url"] for row in await hub.tabs() if row["tabId"] == tab_id), "")
    if not shown.startswith("chrome-error:"):
        return ""
    tried_again = await hub.call("kapturemcp_navigate", {"tabId": tab_id, "url": url, "wait_until": "commit"})
    if not tried_again.get("isError"):
        return ""
    reason = str(tried_again["_meta"]["dev.kapture/error"].get("data", {}).get("reason", ""))
    return f"{url[:500]} is not shown: {f'net::{reason}' if reason.startswith('ERR_') else 'it cannot be opened'}"


async def _open(hub: McpClient, process: BrowserProcess, known: set[str], url: str) -> str:
    """Open another tab, which the extension connects; returns its id.

    The browser itself is asked for it, not the hub: whoever launches it has named the URL, whatever the grant covers.
    """
    request = {"id": 1, "method": "Target.createTarget", "params": {"url": url, "background": True}}
    try:
        async with debugging_socket(process) as socket:
            await socket.send_message(json.dumps(request))
            answer = json.loads(await socket.get_message())
    except ConnectionClosed:
        answer = {"error": {"message": "the browser has ended"}}
    if "error" in answer:
        raise KaptureError(ErrorCode.LAUNCH_FAILED, f"{url[:500]} could not be opened: {answer['error']['message']}")
    connected = await connected_tabs(hub, process, known)
    if url != "about:blank":
        await _document_came(hub, connected[0])
    return connected[0]
