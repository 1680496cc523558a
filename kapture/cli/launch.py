"""`kapture launch`: a throw-away browser with its tabs connected, for as long as the command runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import click
import trio

from kapture.backends.chromium import Launch, has_display, running
from kapture.cli.terminal import harmless, print_text
from kapture.client.mcp_client import McpClient, open_client
from kapture.client.start import connect_or_start
from kapture.errors import ErrorCode, KaptureError, leaves
from kapture.package_files import extension_folder
from kapture.pairing.host_manifest import write_host_manifest
from kapture.settings import Settings

CONNECT_TIMEOUT_S = 30
FULL_GRANT: Mapping[str, Any] = {"sites": ["*"], "level": "full"}


@attrs.frozen
class Browser:
    """A browser that we started, on a hub."""

    process: trio.Process
    hub: McpClient
    extension: Path
    tab_ids: Sequence[str]

    async def ended(self) -> None:
        """Return when the browser or the hub has ended."""
        async with trio.open_nursery() as nursery:

            async def either(ending: Any) -> None:
                await ending()
                nursery.cancel_scope.cancel()

            nursery.start_soon(either, self.process.wait)
            nursery.start_soon(either, self.hub.closed.wait)


@asynccontextmanager
async def launched_browser(
    settings: Settings,
    *,
    headless: bool | None = None,
    grant: Mapping[str, Any] = FULL_GRANT,
    urls: Sequence[str] = ("about:blank",),
    extra: Sequence[str] = (),
) -> AsyncIterator[Browser]:
    """Start the hub if none runs, and a browser on a profile of its own; return when its tabs are connected.

    `headless` None: only where there is no display. `grant` is what every tab of it is granted. The browser and
    its profile are gone when the block ends; the hub is left to its other clients. `LAUNCH_FAILED` when no tab
    connects within 30 s.
    """
    profile = Path(tempfile.mkdtemp(prefix="kapture-browser-"))
    try:
        write_host_manifest(profile / "NativeMessagingHosts", home=settings.home, launch_grant=grant)
        launch = Launch(
            profile=profile,
            extension=extension_folder(),
            headless=not has_display() if headless is None else headless,
            urls=urls[:1],  # headless Chromium takes no more than one
            extra=extra,
        )
        connection = await connect_or_start(settings.home, "structured=1", kind="cli")
        async with open_client(connection, name="kapture launch") as hub:
            await hub.watch_tabs()
            known = {row["tabId"] for row in await hub.tabs()}
            async with running(launch) as process:
                tab_ids = await _connected(hub, process, known, 1)
                for url in urls[1:]:
                    tab_ids.append(await _open(hub, tab_ids[0], url))
                yield Browser(process, hub, launch.extension or Path(), tab_ids)
    finally:
        shutil.rmtree(profile, ignore_errors=True)


async def _connected(hub: McpClient, process: trio.Process, known: set[str], wanted: int) -> list[str]:
    """Wait until that many new tabs are connected; their ids."""
    found: list[str] = []
    with trio.move_on_after(CONNECT_TIMEOUT_S):
        while len(found) < wanted and process.returncode is None:
            changed = hub.tabs_changed.upcoming
            found = [row["tabId"] for row in await hub.tabs() if row["tabId"] not in known]
            if len(found) < wanted:
                await changed.wait()
        return found
    raise KaptureError(
        ErrorCode.LAUNCH_FAILED,
        f"The browser started, but only {len(found)} of its {wanted} tabs connected within {CONNECT_TIMEOUT_S} s.",
        hint="Run `kapture doctor`, or set KAPTURE_BROWSER to another browser.",
    )


async def _open(hub: McpClient, opener: str, url: str) -> str:
    """A further tab, connected; its id."""
    result = await hub.call("kapturemcp_tab_new", {"tabId": opener, "url": url})
    if result.get("isError"):
        raise KaptureError(ErrorCode.LAUNCH_FAILED, f"Could not open {url}: {result['content'][0]['text']}")
    tab_id: str = result["structuredContent"]["tabId"]
    return tab_id


def settings_for(port: int | None) -> Settings:
    """The settings, with the port that a flag named, also for the hub that may have to be started."""
    if port is not None:
        os.environ["KAPTURE_PORT"] = str(port)
    return Settings.load()


def parse_sites(sites: Sequence[str]) -> list[str]:
    """`--sites a.com,b.com` and `--sites a.com --sites b.com` alike."""
    return [site.strip() for part in sites for site in part.split(",") if site.strip()]


async def run(
    settings: Settings, *, headless: bool | None, grant: Mapping[str, Any], urls: Sequence[str], as_json: bool
) -> None:
    """Start, print the connected tabs, and run until the browser or the hub ends."""
    async with launched_browser(settings, headless=headless, grant=grant, urls=urls or ("about:blank",)) as browser:
        for row in await browser.hub.tabs():
            if row["tabId"] in browser.tab_ids:
                print_text(json.dumps(row) if as_json else f"{row['tabId']}  {row['url']}")
        if not as_json:
            click.echo(f"{len(browser.tab_ids)} connected. Press Ctrl-C to close the browser.")
        await browser.ended()


async def until_stopped(work: Callable[[], Awaitable[None]]) -> None:
    """Run until it ends or the program is asked to stop (SIGINT, SIGTERM, a closed terminal)."""
    wanted = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
    async with trio.open_nursery() as nursery:

        async def obey(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
            with trio.open_signal_receiver(*wanted) as signals:
                task_status.started()
                async for _ in signals:
                    nursery.cancel_scope.cancel()

        await nursery.start(obey)
        await work()
        nursery.cancel_scope.cancel()


@click.command("launch")
@click.argument("urls", nargs=-1)
@click.option(
    "--headless/--headed",
    default=None,
    help="Without or with a window. Default: headless only where there is no display.",
)
@click.option("--sites", multiple=True, default=("*",), help="Sites that its tabs are granted. Default: any.")
@click.option("--level", type=click.Choice(["read", "interact", "full"]), default="full", show_default=True)
@click.option("--port", type=int, default=None, help="The hub's port.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per connected tab.")
def launch_command(
    urls: tuple[str, ...],
    headless: bool | None,
    sites: tuple[str, ...],
    level: str,
    port: int | None,
    as_json: bool,
) -> None:
    """Start a throw-away browser on URLS, with its tabs connected, until Ctrl-C or the hub's end.

    It uses a new profile, which is deleted afterwards; your own browser is not touched. Starting it is the grant: by
    default its tabs may be used for everything, on any site.
    """
    settings = settings_for(port)
    grant = {"sites": parse_sites(sites), "level": level}
    try:
        trio.run(until_stopped, lambda: run(settings, headless=headless, grant=grant, urls=urls, as_json=as_json))
    except* KaptureError as errors:
        raise click.ClickException(harmless("; ".join(str(error) for error in leaves(errors)))) from None
