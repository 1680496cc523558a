"""`kapture setup`: leads from nothing to a connected tab, step by step. When run again, completed steps are kept."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import attrs
import click

from kapture import __version__
from kapture.cli.clients.config_file import adding, entry_of, is_found
from kapture.cli.clients.known_clients import ConfigFile, config_files, launch_command, runs_from_cache
from kapture.cli.clipboard import copy
from kapture.cli.doctor.setup_checks import path_advice
from kapture.cli.extension_folder import publish, version_of, visible_folder
from kapture.cli.hub import stop
from kapture.cli.launch import run_until_stopped, settings_for
from kapture.cli.setup_screen import Screen
from kapture.client.connection import HubAbsentError
from kapture.client.mcp_client import McpClient, open_client
from kapture.client.start import connected
from kapture.errors import KaptureError
from kapture.package_files import extension_folder
from kapture.pairing.browser_locations import BrowserLocation, browser_locations
from kapture.pairing.host_manifest import install
from kapture.private_files import private_folder
from kapture.settings import Settings

_PAGES = {
    "chromium": "chrome",
    "chrome-beta": "chrome",
    "chrome-dev": "chrome",
}  # for other browsers the scheme is their name


@attrs.define
class Setup:
    """One run through the steps. `wait`: for what only the person can do."""

    settings: Settings
    screen: Screen
    yes: bool
    wait: bool
    client_ready: bool = attrs.field(default=False, init=False)

    async def run(self) -> None:
        """Run every step in the order of their dependencies; a step that fails does not stop the others."""
        screen = self.screen
        folder = self._extension_folder()
        if runs_from_cache() or shutil.which("kapture") is None:
            screen.note("Command", "shells do not find `kapture` yet:")
            screen.explain([path_advice(sys.prefix)])
        async with AsyncExitStack() as stack:
            try:
                browsers = self._native_hosts()
                await self._end_other_hub()
                client = open_client(self.settings.home, "structured=1&toolsets=all", name="kapture setup", start=True)
                hub = await stack.enter_async_context(client)
            except KaptureError as error:
                screen.failed("Hub", error.explanation)
                await self._mcp_clients()
                return
            await hub.watch_tabs()
            await self._hub(hub)
            await self._extension(hub, folder, browsers)
            await self._mcp_clients()
            await self._tab(hub)

    def _extension_folder(self) -> Path:
        """Where the extension is to be loaded from: the copy in the home folder, or else the package's own."""
        folder = visible_folder()
        try:
            publish(folder)
        except click.ClickException as error:
            self.screen.failed("Extension", error.message)
            return extension_folder()
        self.screen.done("Extension", f"{folder} (version {version_of(folder)})")
        return folder

    def _native_hosts(self) -> Sequence[BrowserLocation]:
        """Register the pairing helper with every browser of this user; returns those browsers.

        `KaptureError` if the data folder cannot be used.
        """
        screen = self.screen
        home = private_folder(self.settings.home)
        found = [location for location in browser_locations() if location.in_use]
        for location in found:
            try:
                install(location, home)
            except KaptureError as error:
                screen.failed(f"Pairing with {location.title}", error.message)
                continue
            if not location.advice:
                screen.done(f"Pairing with {location.title}", "its extension can find the hub")
                continue
            screen.note(f"Pairing with {location.title}", "its sandbox asks one thing more of you:")
            screen.explain([location.advice])
        if not found:
            screen.failed(
                "Pairing",
                "no browser was found. Install Chrome, Chromium, Edge, Brave, Vivaldi or Opera, then run this again.",
            )
        return found

    async def _end_other_hub(self) -> None:
        """End a running hub of another version, if the person agrees: this version is started in its place."""
        try:
            async with connected(self.settings.home) as connection:
                version = connection.version
        except HubAbsentError:
            return
        what = (
            f"Stop the hub of version {version}? Its clients and tabs connect to that of {__version__} by themselves."
        )
        if version != __version__ and (self.yes or await self.screen.confirm(what)):
            await stop(self.settings.home)

    async def _hub(self, hub: McpClient) -> None:
        about = (await _status(hub)).get("hub", {})
        if about.get("version") == __version__:
            self.screen.done("Hub", f"running, version {__version__}")
        else:
            ending = "run `kapture stop`, then this again"
            self.screen.to_do("Hub", f"version {about.get('version')} is running, and this is {__version__}: {ending}")

    async def _extension(self, hub: McpClient, folder: Path, browsers: Sequence[BrowserLocation]) -> None:
        screen = self.screen
        rows = await _browsers(hub)
        if not rows:
            seen = ((await _status(hub)).get("noTab") or {}).get("lastSeen")
            if seen is not None:
                screen.explain([f"Start {seen['browser']}, where the extension was last seen: it connects by itself."])
                screen.note("Extension", "if it is not in the browser any more, load it again:")
            copied = screen.interactive and await copy(str(folder))
            screen.explain(loading(folder, browsers, copied=copied))
            if not self.wait:
                screen.to_do("Extension in the browser", "not seen yet; the steps are above")
                return
            with screen.waiting("Waiting for the extension to connect"):
                rows = await _until(hub, lambda: _browsers(hub))
        for row in rows:
            name = f"{row['name']} {row['version']}".strip()
            if row["extension"] not in ("", __version__):
                screen.to_do(
                    f"Extension in {name}",
                    f"is version {row['extension']}; press its Reload button in {page_of(browsers)} for {__version__}",
                )
            else:
                screen.done(f"Extension in {name}", "connected to the hub")

    async def _mcp_clients(self) -> None:
        screen = self.screen
        found = [config for config in config_files().values() if is_found(config)]
        for config in found:
            await self._mcp_client(config)
        self.client_ready = any(entry_of(config) for config in found)
        if not found:
            command, *arguments = launch_command()
            screen.note("MCP clients", "found none of those that `kapture install` lists. Any other takes this:")
            screen.explain([f"command {command}, arguments {json.dumps(arguments)}"])

    async def _mcp_client(self, config: ConfigFile) -> None:
        screen = self.screen
        try:
            change = adding(config)
            if not change:
                screen.done(config.title, f"has Kapture ({config.path})")
                return
            verb = "Bring Kapture up to date in" if entry_of(config) else "Add Kapture to"
            if not self.yes and not await screen.confirm(f"{verb} {config.title}? {config.path}"):
                screen.to_do(config.title, f"left as it is; `kapture install {config.client}` adds Kapture")
                return
            backup = change.write()
        except click.ClickException as error:
            screen.failed(config.title, error.message)
            return
        screen.done(config.title, f"has Kapture now ({config.path})")
        screen.explain([f"{config.after} The file as it was: {backup}" if backup else config.after])

    async def _tab(self, hub: McpClient) -> None:
        screen = self.screen
        tabs = await hub.tabs()
        if not tabs:
            screen.explain(["On Kapture's welcome page, press Connect beside a tab that an agent may use."])
            if not self.wait:
                screen.to_do("Tab", "none is connected yet")
                return
            with screen.waiting("Waiting for a tab to be connected"):
                tabs = await _until(hub, hub.tabs)
        for tab in tabs:
            grant = tab.get("grant") or {}
            sites = ", ".join(grant.get("sites", ())) or "no site"
            screen.done(f"Tab {tab['tabId']}", f"{tab['url']} ({grant.get('level', 'no grant')} on {sites})")


def loading(folder: Path, browsers: Sequence[BrowserLocation], *, copied: bool = False) -> list[str]:
    """The instructions for loading the extension in each browser; `copied`: the folder is on the clipboard.

    The person opens the page: Chromium opens no chrome: address that it is given on the command line.
    """
    names = " or ".join(dict.fromkeys(location.title for location in browsers)) or "your browser"
    return [
        f"In {names} open {page_of(browsers)}",
        "Switch on Developer mode (top right).",
        f"Press Load unpacked and choose {folder}{' (it is on the clipboard: paste it)' if copied else ''}",
    ]


def page_of(browsers: Sequence[BrowserLocation]) -> str:
    """The URL of the extensions page, in each of these browsers."""
    schemes = dict.fromkeys(_PAGES.get(location.browser, location.browser) for location in browsers)
    return " or ".join(f"{scheme}://extensions" for scheme in schemes) or "chrome://extensions"


async def _browsers(hub: McpClient) -> list[Mapping[str, Any]]:
    """The person's own browsers whose extension is connected: one that Kapture launched is gone soon, and its extension
    with it."""
    rows = (await _status(hub)).get("browsers", ())
    return [row for row in rows if row.get("extension") and not row.get("launched")]


async def _status(hub: McpClient) -> Mapping[str, Any]:
    answer = await hub.call("kapturemcp_status", {})
    status: Mapping[str, Any] = (answer.get("structuredContent") or {}).get("status", {})
    return status


async def _until(hub: McpClient, found: Callable[[], Any]) -> Any:
    """Wait until `found` returns a value, and return it; checks after every change of tabs and browsers."""
    while True:
        changed = hub.tabs_changed.upcoming
        try:
            if result := await found():
                return result
        except KaptureError as error:
            if hub.closed.is_set():
                raise click.ClickException("The hub has ended. Run `kapture setup` again.") from error
            raise
        await changed.wait()


@click.command("setup")
@click.option("-y", "--yes", is_flag=True, help="Add Kapture to every MCP client found, without asking.")
@click.option("--no-wait", is_flag=True, help="Do not wait for what only you can do; say what remains.")
@click.option("--port", type=int, default=None, help="The hub's port.")
def setup_command(yes: bool, no_wait: bool, port: int | None) -> None:
    """Set everything up, step by step, until a tab is connected. It may be run again at any time.

    Puts the extension into ~/Kapture/extension, registers the pairing helper with every browser, starts the hub, waits
    until the extension is loaded, adds Kapture to the MCP clients on this machine, and waits for a connected tab.

    Where no terminal is attached it asks nothing and waits for nothing. Exit codes: 0 all is done, 1 steps remain.
    """
    settings = settings_for(port)
    screen = Screen()
    setup = Setup(settings, screen, yes=yes, wait=screen.interactive and not no_wait)
    finished = False

    async def walk() -> None:
        nonlocal finished
        await setup.run()
        finished = True

    run_until_stopped(walk)
    if not finished:
        raise SystemExit(130)
    if screen.left:
        click.echo(f"\nStill to do: {', '.join(screen.left)}. Run `kapture setup` again to go on.")
        raise SystemExit(1)
    if setup.client_ready:
        click.echo("\nEverything is ready: an agent that calls list_tabs gets this tab.")
    else:
        click.echo("\nThe tab is ready. No MCP client has Kapture yet: add the command above to yours.")
