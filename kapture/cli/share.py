"""`kapture share` and `kapture connect`: agents on other machines, or in containers, use this machine's tabs."""

from __future__ import annotations

import os
import re
import shlex
import socket
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click
import msgspec
import trio

from kapture import __version__
from kapture.__about__ import DISTRIBUTION
from kapture.cli.launch import run_until_stopped
from kapture.cli.own_wheel import own_wheel
from kapture.cli.running_hub import no_hub
from kapture.cli.terminal import harmless_line, print_text
from kapture.client.connection import HubAbsentError
from kapture.client.requests import ask
from kapture.client.share import ENDED, Destination, Ssh, SshError, There, given_to, install, open_share, taken_from
from kapture.data_folder import REMOTE, SHARES, data_folder
from kapture.errors import Cancelled, ErrorCode, KaptureError
from kapture.pairing import key_file
from kapture.pairing.ticket import SHARE_PATH
from kapture.private_files import private_folder
from kapture.wire.share import TO_END, End, Share

_IN_CONTAINER = "KAPTURE_HUB=unix:/kapture/hub.sock"
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_CTRL_C_S = 0.2
"""Seconds from the end of `ssh` to what is printed of it. Ctrl-C ends both, and is no lost connection."""
_UNUSABLE = re.compile(r"[^a-z0-9._-]+")


def _usable(name: str) -> str:
    """A name of a share, made from the name of a machine."""
    return _UNUSABLE.sub("-", name.lower()).strip("-._")[:40] or "machine"


def _caps(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a share's clients may do."""
    command = click.option(
        "--client",
        "clients",
        metavar="NAME,…",
        multiple=True,
        help="Only clients of these names, such as claude-code; * stands for any part. Default: any.",
    )(command)
    command = click.option(
        "--level",
        type=click.Choice(["read", "interact"]),
        default="interact",
        show_default=True,
        help="The highest level; a tab's grant may allow less.",
    )(command)
    return click.option(
        "--sites",
        metavar="SITE,…",
        multiple=True,
        help="Only these sites, and of them only what a tab's grant covers. Default: what the tabs' grants cover.",
    )(command)


def _ssh_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("-o", "options", metavar="KEY=VALUE", multiple=True, help="An option for ssh, as its -o.")(
        command
    )
    return click.argument("destination", metavar="[USER@]HOST")(command)


def _told(command: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run it until it is stopped, and show its errors to the person."""

    @wraps(command)
    def run(**given: Any) -> None:
        run_until_stopped(partial(command, **given))

    return run


def _share(name: str, sites: Sequence[str], level: Any, clients: Sequence[str], **way: Any) -> Share:
    return Share(name=name, level=level, sites=_listed(sites), clients=_listed(clients), **way)


def _listed(given: Sequence[str]) -> tuple[str, ...] | None:
    """The items of an option that may be given several times, and take several; None for none."""
    return tuple(item.strip() for part in given for item in part.split(",") if item.strip()) or None


@click.group("share")
def share_group() -> None:
    """Let agents on another machine, or in a container, use the tabs that are connected here.

    They get what the tabs' grants allow, up to the level and sites that you choose, never more. It lasts as long as the
    command runs.
    """


@share_group.command("ssh")
@_ssh_options
@_caps
@click.option("--name", help="What they are called here, in every question and record. Default: the host's name.")
@click.option("--as", "called", help="What this machine is called there. Default: its host name.")
@click.option("--home", default="", metavar="PATH", help="Kapture's data folder there, if it is another than usual.")
@click.option(
    "--install",
    "installs",
    is_flag=True,
    help="Install this Kapture there if there is none: into a virtual environment in the data folder, by its Python "
    "(3.11 or later) and pip, which take the dependencies from that machine's package index.",
)
@_told
async def share_ssh(
    destination: str,
    options: tuple[str, ...],
    sites: tuple[str, ...],
    level: str,
    clients: tuple[str, ...],
    name: str | None,
    called: str | None,
    home: str,
    installs: bool,
) -> None:
    """Share with a machine that you reach by SSH.

    There, `kapture mcp` and `kapture call` find this machine's hub by themselves; with several, name it: --hub NAME.
    """
    called = _usable(called or socket.gethostname().partition(".")[0])
    host = destination.rpartition("@")[2].removeprefix("ssh://").partition(":")[0]
    share = _share(_usable(name or host), sites, level, clients)
    async with open_share(data_folder(), share) as shared:
        ssh = Destination(name=destination, options=options)

        async def say(ssh: Ssh, there: There) -> None:
            nonlocal installs
            kapture = there.kapture
            if installs and kapture in ("", there.own):
                click.echo(f"Installing Kapture {__version__} on {share.name}, in Kapture's data folder there.")
                with tempfile.TemporaryDirectory() as folder:
                    wheel = await trio.to_thread.run_sync(own_wheel, Path(folder))
                    await install(ssh, wheel, home)
                installs, kapture = False, there.own
            click.echo(f"{share.name} can use this browser now, and calls it {called!r}: {_limits(share)}.")
            if not kapture:
                click.echo(
                    f"Kapture is not installed there: run `uv tool install {DISTRIBUTION}` there, or use --install."
                )
            elif kapture == there.own:
                click.echo(f"MCP clients there start it by: {harmless_line(shlex.join([kapture, 'mcp']))}")

        await _kept_up(lambda: given_to(ssh, shared, called, home), ssh, say)


@share_group.command("folder")
@click.argument("name")
@_caps
@_told
async def share_folder(name: str, sites: tuple[str, ...], level: str, clients: tuple[str, ...]) -> None:
    """Share with containers that mount a folder.

    It is printed, and has a socket in it.
    """
    share = _share(_usable(name), sites, level, clients, folder=True)
    async with open_share(data_folder(), share) as shared:
        click.echo(f"Shared in {shared.folder}: {_limits(share)}. For example:")
        click.echo(f'  docker run --user "$(id -u)" -v "{shared.folder}:/kapture" -e {_IN_CONTAINER} …')
        await trio.sleep_forever()


@share_group.command("port")
@click.argument("name")
@click.option(
    "--host",
    default="host.docker.internal",
    show_default=True,
    help="What this machine's loopback is called there: localhost, where it is mirrored.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Default: a free one.")
@_caps
@_told
async def share_port(
    name: str, host: str, port: int, sites: tuple[str, ...], level: str, clients: tuple[str, ...]
) -> None:
    """Share by a port of this machine's loopback address.

    For Docker Desktop, WSL or a virtual machine, which reach that address. They need a file with the port and its
    secrets, copied or mounted there: its path is printed.
    """
    share = _share(_usable(name), sites, level, clients, port=port)
    async with open_share(data_folder(), share) as shared:
        folder = private_folder(private_folder(data_folder() / SHARES) / share.name)
        content = key_file.of_share(shared, host=host)
        file = key_file.write(folder, content)
        try:
            click.echo(
                f"Shared at {host}:{shared.port}: {_limits(share)}. There, set KAPTURE_HUB=file:PATH for a copy of:"
            )
            click.echo(f"  {file}")
            await trio.sleep_forever()
        finally:
            key_file.remove(folder, content)  # unless it is another share's by now


@share_group.command("pipe", hidden=True)
@click.argument("name")
@_caps
@_told
async def share_pipe(name: str, sites: tuple[str, ...], level: str, clients: tuple[str, ...]) -> None:
    """Share with the program that reads this one's output and closes its input: `kapture connect ssh`."""
    try:
        async with open_share(data_folder(), _share(_usable(name), sites, level, clients, again=True)) as shared:
            print_text(msgspec.json.encode(shared).decode())
            while await trio.to_thread.run_sync(os.read, 0, 4096, abandon_on_cancel=True):
                pass
    except* Cancelled:
        print_text(ENDED)


@share_group.command("end")
@click.argument("name")
def share_end(name: str) -> None:
    """End the share NAME, as `kapture status` calls it."""
    try:
        trio.run(ask, data_folder(), SHARE_PATH, End(name), TO_END)
    except HubAbsentError as error:
        raise no_hub("So nothing is shared.") from error
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error
    click.echo(harmless_line(f"{name} can use this browser no longer."))


@click.group("connect")
def connect_group() -> None:
    """Use the tabs that are connected on another machine, from this one."""


@connect_group.command("ssh")
@_ssh_options
@_caps
@click.option("--as", "called", help="What this machine is called there, in every question. Default: its host name.")
@click.option("--kapture", default="kapture", show_default=True, help="The command there.")
@_told
async def connect_ssh(
    destination: str,
    options: tuple[str, ...],
    sites: tuple[str, ...],
    level: str,
    clients: tuple[str, ...],
    called: str | None,
    kapture: str,
) -> None:
    """Use the tabs of a machine that you reach by SSH.

    Kapture there shares its hub with this machine for as long as this command runs.
    """
    called = _usable(called or socket.gethostname().partition(".")[0])
    there = _usable(destination.rpartition("@")[2].partition(":")[0])
    folder = private_folder(private_folder(private_folder(data_folder()) / REMOTE) / there)
    share = _share(called, sites, level, clients)
    caps = (("--sites", share.sites), ("--client", share.clients))
    words = [word for option, listed in caps if listed for word in (option, ",".join(listed))]
    command = f"{kapture} {shlex.join(['share', 'pipe', called, '--level', level, *words])}"
    ssh = Destination(name=destination, options=options)

    async def say(_: Ssh, __: There) -> None:
        click.echo(f"{there!r} can be used from here now: {_limits(share)}.")

    await _kept_up(lambda: taken_from(ssh, command, folder), ssh, say, "Name Kapture there by --kapture PATH.")


def _limits(share: Share) -> str:
    on = f"on {', '.join(share.sites)}" if share.sites else "on what each tab's grant covers"
    return f"up to {share.level}, {on}" + (f", for {', '.join(share.clients)} alone" if share.clients else "")


async def _kept_up(
    connect: Callable[[], AbstractAsyncContextManager[tuple[Ssh, There]]],
    ssh: Destination,
    say: Callable[[Ssh, There], Awaitable[None]],
    hint: str = "",
) -> None:
    """Connect, and again whenever the connection is lost, until the share ends. Raise what the first one raises."""
    pause_s, had = _FIRST_PAUSE_S, False
    while True:
        failure: SshError | None = None
        try:
            async with connect() as (connection, there):
                await say(connection, there)
                pause_s, had = _FIRST_PAUSE_S, True
                await connection.until_lost()
        except SshError as error:
            failure = error
        await trio.sleep(_CTRL_C_S)
        if not had:
            by_hand = [ssh.program, *(word for option in ssh.options for word in ("-o", option)), ssh.name, "true"]
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                f"ssh could not connect to {ssh.name}, or not share over the connection: it says why above.",
                hint=f"`{shlex.join(by_hand)}` has to work by itself. {hint}".rstrip(),
            ) from failure
        click.echo(f"The connection to {ssh.name} is lost; trying again in {pause_s:g} s.", err=True)
        await trio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
