"""`kapture launch`: starts a browser whose tabs are connected, for as long as the command runs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import click
import trio

from kapture.backends.chromium.find import find_browser
from kapture.backends.chromium.launch import has_display
from kapture.cli.extension_browser import launched_browser
from kapture.cli.health import check_port
from kapture.cli.terminal import harmless, print_text
from kapture.client.connection import ConnectionClosedError
from kapture.client.requests import open_request
from kapture.errors import ErrorCode, KaptureError, leaves
from kapture.pairing.ticket import BROWSERS_PATH
from kapture.settings import Settings
from kapture.wire import browsers as wire
from kapture.wire.messages import WireGrant

_WINDOW_ENVIRONMENT = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
_OWN_PROFILE_FLAGS = ("--user-data-dir", "--profile-directory")


def settings_for(port: int | None) -> Settings:
    """The settings, with the port given by a flag, also for a hub that is started.

    Raises an error for people if the hub is already running on another port.
    """
    if port is not None:
        os.environ["KAPTURE_PORT"] = str(port)
    try:
        settings = Settings.load()
        if port is not None:
            trio.run(check_port, settings.home, port)
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    return settings


def check_display(headless: bool | None) -> None:
    """Raise an error for people if a window is requested and there is no display."""
    if headless is False and not has_display():
        raise click.UsageError(
            "--headed needs a display, and there is none: DISPLAY and WAYLAND_DISPLAY are not set. Leave --headed out, "
            "or run this where windows are shown; `xvfb-run kapture …` gives it a virtual display."
        )


def parse_sites(sites: Sequence[str]) -> list[str]:
    """`--sites a.com,b.com` and `--sites a.com --sites b.com` alike."""
    found = [site.strip() for part in sites for site in part.split(",") if site.strip()]
    if not found:
        raise click.UsageError("--sites names no site. Leave it out for any site, or name some: --sites example.com.")
    return found


def split_flags(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate URLs and browser flags in the arguments; flags that choose a profile are refused."""
    flags = [argument for argument in arguments if argument.startswith("-")]
    for flag in flags:
        name = "--" + flag.partition("=")[0].lstrip("-").lower()  # Chromium takes one dash too, and on Windows any case
        if name in _OWN_PROFILE_FLAGS:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"{name} is not for Kapture to use: the profile could be your own.",
                hint="Name a profile of Kapture's with --profile.",
            )
    return [argument for argument in arguments if not argument.startswith("-")], flags


def openable(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """The URLs that can be opened, and why each other one cannot. An error if all of them are of those.

    URLs are completed as `navigate` does it: `localhost:8000` is http, `example.com` https.
    """
    from kapture.commands.core.destination import destination

    urls, refusals = [], []
    for url in given:
        try:
            urls.append(destination(url, base="about:blank", may_open=lambda _: True).url)
        except KaptureError as error:
            refusals.append((url, error))
    if refusals and not urls:
        raise refusals[0][1]
    return urls, [wire.not_opened(url, error) for url, error in refusals]


def show_problems(problems: Sequence[str]) -> None:
    """Print what could not be opened."""
    for problem in problems:
        click.echo(harmless(problem), err=True)


def show_tabs(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print one line for each connected tab."""
    for row in rows:
        print_text(json.dumps(row) if as_json else f"{row['tabId']}  {row['url']}")


async def run(settings: Settings, request: wire.Launch, *, as_json: bool) -> None:
    """Have the hub start the browser, print the connected tabs, and stay until the browser or the hub ends."""
    async with open_request(settings.home, BROWSERS_PATH, request, wire.FROM_HUB, start=True) as browser:
        try:
            while True:
                message = await browser.next()
                if isinstance(message, wire.Connected):
                    show_problems(message.problems)
                    show_tabs(message.tabs, as_json=as_json)
                    if not as_json:
                        click.echo(f"{len(message.tabs)} connected. Press Ctrl-C to close the browser.")
        except ConnectionClosedError:
            raise KaptureError(ErrorCode.NO_BACKEND, "The hub has ended, and the browser with it.") from None


async def run_with_extension(settings: Settings, request: wire.Launch, *, as_json: bool) -> None:
    """As `run`, with the extension in the browser, which this process starts."""
    async with launched_browser(
        settings,
        headless=request.headless,
        grant={"sites": request.grant.sites, "level": request.grant.level},
        urls=request.urls or ("about:blank",),
        extra=request.extra,
        browser=request.browser,
        profile_name=request.profile,
    ) as browser:
        show_problems(browser.problems)
        show_tabs([row for row in await browser.hub.tabs() if row["tabId"] in browser.tab_ids], as_json=as_json)
        if not as_json:
            click.echo(f"{len(browser.tab_ids)} connected. Press Ctrl-C to close the browser.")
        await browser.ended()
        ended = (
            "The hub has ended, and the browser with it." if browser.hub.closed.is_set() else "The browser has ended."
        )
        raise KaptureError(ErrorCode.NO_BACKEND, ended)


async def until_stopped(work: Callable[[], Awaitable[None]]) -> None:
    """Run until it returns or the program is asked to stop (SIGINT, SIGTERM, a closed terminal)."""
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


def run_until_stopped(work: Callable[[], Awaitable[None]]) -> None:
    """Run `until_stopped` as the program: an error is printed and sets the exit code."""
    found: list[KaptureError | click.ClickException] = []
    try:
        trio.run(until_stopped, work)
    except* (KaptureError, click.ClickException) as errors:
        found = leaves(errors)
    if found:  # raised here: within `except*`, Python 3.11.2 puts it into a group
        told = (one.explanation if isinstance(one, KaptureError) else one.message for one in found)
        raise click.ClickException(harmless("; ".join(told)))


@click.command("launch")
@click.argument("arguments", nargs=-1, metavar="[URLS]... [-- BROWSER FLAGS]...")
@click.option(
    "--headless/--headed",
    default=None,
    help="Without or with a window. Default: headless only where there is no display.",
)
@click.option("--browser", help="chrome, chromium, edge, brave, or a path. Default: the first that is installed.")
@click.option("--profile", help="Name of a profile to keep, in Kapture's data folder. Default: a throw-away one.")
@click.option("--with-extension", is_flag=True, help="Load the Kapture extension into the browser.")
@click.option("--sites", multiple=True, default=("*",), help="Sites that its tabs are granted. Default: any.")
@click.option(
    "--level",
    type=click.Choice(["read", "interact", "full"]),
    default="full",
    show_default=True,
    help="Level of the grant.",
)
@click.option("--group", is_flag=True, help="Let agents on the other machines of the hub's group use its tabs too.")
@click.option("--port", type=int, default=None, help="The hub's port.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per connected tab.")
def launch_command(
    arguments: tuple[str, ...],
    headless: bool | None,
    browser: str | None,
    profile: str | None,
    with_extension: bool,
    sites: tuple[str, ...],
    level: Any,
    group: bool,
    port: int | None,
    as_json: bool,
) -> None:
    """Start a browser on URLS with its tabs connected. It runs until Ctrl-C or until the hub ends.

    Without --profile it uses a new profile, which is deleted afterwards; your own browser is not touched. Starting it
    is the grant: by default its tabs may be used for everything, on any site.
    """
    check_display(headless)
    if group and with_extension:
        raise click.UsageError("--group is not for --with-extension: there, say so in the popup of each tab.")
    settings = settings_for(port)
    try:
        given, flags = split_flags(arguments)
        urls, problems = openable(given)
        request = wire.Launch(
            grant=WireGrant(sites=parse_sites(sites), level=level),
            browser=find_browser(browser),
            headless=not has_display() if headless is None else headless,
            profile=profile,
            urls=urls,
            extra=flags,
            environment={name: os.environ[name] for name in _WINDOW_ENVIRONMENT if name in os.environ},
            group=group,
        )
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    show_problems(problems)
    launch = run_with_extension if with_extension else run
    run_until_stopped(lambda: launch(settings, request, as_json=as_json))
