"""`kapture serve`: runs the hub, until it is stopped or has been idle for long."""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import click
import trio

from kapture import __version__
from kapture.cli.health import check_port, hub_on, is_not_refuted, is_of_folder
from kapture.errors import KaptureError, leaves
from kapture.pairing import Pairing
from kapture.policy import Policy
from kapture.policy.kept_caps import caps_of, keep, with_kept
from kapture.settings import Settings

logger = logging.getLogger("kapture")

_FAILED = 2
_RESTORED_S = 2
_COLLECT_AFTER = (10_000, 10, 5)
"""When garbage is collected (`gc.set_threshold`). Python looks after every 700 new objects: those of calls under way
soon count as old, and then it looks at every object of 1,000 tabs, again and again."""


async def serve(
    settings: Settings, *, automatic: bool = False, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> int:
    """Run a hub; returns the program's exit code. `task_status` gets the port once the hub listens.

    `automatic`: nobody has started it, so that what the hub before ran with caps it.

    Ends on SIGTERM and SIGINT, and if no client and no tab was connected for `settings.idle_exit_ms`. SIGHUP makes a
    new key and closes every connection.
    """
    from kapture.server.listener import open_port, port_of

    try:
        settings = with_kept(settings) if automatic else settings
        await check_port(settings.home, settings.port)
        if settings.fallback == "launch" and settings.fallback_profile is not None:
            _check_profile(settings.fallback_profile)
    except KaptureError as error:
        logger.error("%s", error.explanation)
        return _FAILED
    try:
        listeners = await open_port(settings.port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            logger.error("Could not listen on port %d: %s.", settings.port, error.strerror or error)
            return _FAILED
        return await _taken(settings)
    failed = False
    try:
        await _run(attrs.evolve(settings, port=port_of(listeners)), listeners, task_status)
    except* KaptureError as group:
        failed = True
        for failure in leaves(group):
            logger.error("%s", failure.explanation)
    finally:
        for listener in listeners:
            await listener.aclose()
    return _FAILED if failed else 0


async def _run(settings: Settings, listeners: list[trio.SocketListener], task_status: trio.TaskStatus[int]) -> None:
    from kapture.server.connections import allow_open_files
    from kapture.server.server import open_server

    if (fit := allow_open_files(settings.limits)) is not None:
        wanted = settings.limits.connections
        logger.warning(
            "max_connections is %d; the system lets this process open files for %d: raise `ulimit -Hn`.",
            wanted,
            fit,
        )

    async def checks(status: Mapping[str, Any]) -> list[dict[str, Any]]:
        return await trio.to_thread.run_sync(_examine, settings, status)

    async with open_server(settings, listeners, checks=checks) as server, trio.open_nursery() as nursery:
        if origins := ", ".join(settings.allow_origins):
            logger.warning("--allow-origin: any page or extension of %s may register tabs and use /mcp.", origins)
        policy = server.hub.state.consent.policy
        for warning in policy.warnings():
            logger.warning("%s", warning)
        keep(settings.home, caps_of(policy))
        await nursery.start(_obey_signals, server.rotate_key, nursery.cancel_scope)
        try:
            server.pairing.write_key_file(settings.port)
            logger.info("Kapture %s is listening on ws://127.0.0.1:%d/.", __version__, settings.port)
            task_status.started(settings.port)
            nursery.start_soon(_update_extension_folder)
            nursery.start_soon(_keep_key_file, server.pairing)
            gc.freeze()  # what is loaded by now is permanent: exclude it from garbage collections
            gc.set_threshold(*_COLLECT_AFTER)
            if settings.idle_exit_ms > 0:
                await server.hub.wait_until_idle(settings.idle_exit_ms)
                logger.info("Idle for %g s; shutting down.", settings.idle_exit_ms / 1_000)
            else:
                await trio.sleep_forever()
            nursery.cancel_scope.cancel()
        finally:
            try:
                server.pairing.remove_key_file()
            except KaptureError as error:
                logger.warning("%s", error)  # clients find that nothing listens on its port


def _check_profile(folder: Path) -> None:
    """Raise an error unless the browser that may be launched could use this folder."""
    from kapture.backends.chromium.profile import chosen_profile

    chosen_profile(folder)


async def _keep_key_file(pairing: Pairing) -> None:
    """Restore a key file that is removed, with its folder or alone: without it no client finds the hub."""
    failed = False
    while True:
        await trio.sleep(_RESTORED_S)  # there is no event for a removed file
        try:
            if pairing.restore_key_file():
                logger.warning("The key file had been removed; it is there again.")
            failed = False
        except KaptureError as error:
            if not failed:
                logger.warning("The key file has been removed, and cannot be restored. %s", error)
            failed = True


def _examine(settings: Settings, status: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run the checks of `kapture doctor` for this hub, in a thread: they read files and start programs."""
    from kapture.cli.doctor.doctor import examine

    environment = {**os.environ, "KAPTURE_HOME": str(settings.home), "KAPTURE_PORT": str(settings.port)}
    return [attrs.asdict(finding) for finding in trio.run(examine, environment, status)]


async def _update_extension_folder() -> None:
    """Update ~/Kapture/extension, if it exists."""
    from kapture.cli.extension_folder import update_published, visible_folder

    try:
        if await trio.to_thread.run_sync(update_published):
            logger.info("%s has the extension of this version: reload it in the browser.", visible_folder())
    except click.ClickException as error:
        logger.warning("%s", error.message)


async def _obey_signals(
    rotate_key: Callable[[], None], stop: trio.CancelScope, *, task_status: trio.TaskStatus[None]
) -> None:
    wanted = [signal.SIGTERM, signal.SIGINT]
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None:
        wanted.append(hangup)
    with trio.open_signal_receiver(*wanted) as signals:
        task_status.started()
        async for number in signals:
            if number != hangup:
                logger.info("Stopped by %s.", signal.Signals(number).name)
                stop.cancel()
                return
            try:
                rotate_key()
            except KaptureError as error:
                logger.error("The key was not changed: %s", error.explanation)
                continue
            logger.warning("New key; every connection was dropped.")


async def _taken(settings: Settings) -> int:
    hub, port = await hub_on(settings.port), settings.port
    if hub is None:
        logger.error(
            "Another program is listening on port %d. Stop it, or choose another port with --port or KAPTURE_PORT.",
            port,
        )
        return _FAILED
    if not await is_of_folder(hub, port, settings.home):
        logger.error(
            "A Kapture hub (%s) with another data folder is listening on port %d. Stop it (process %d), "
            "set KAPTURE_HOME to its data folder, or choose another port with --port or KAPTURE_PORT.",
            hub.version,
            port,
            hub.pid,
        )
        return _FAILED
    if not await is_not_refuted(settings.home):
        logger.error(
            "The program on port %d answers as the hub of this data folder, but could not prove that it is. Stop it, "
            "or choose another port with --port or KAPTURE_PORT.",
            port,
        )
        return _FAILED
    logger.info(
        "The hub (%s) is already listening on port %d; its settings stay as they are. "
        "To change them, stop it (process %d) first.",
        hub.version,
        port,
        hub.pid,
    )
    return 0


def _start_in_background(flags: Mapping[str, Any], *, automatic: bool) -> None:
    """Start a hub with these flags, unless one is running; returns when it can be connected to. `automatic`: nobody has
    chosen them."""
    from kapture.client.connection import HubAbsentError
    from kapture.client.start import connected

    async def start(home: Path) -> None:
        try:
            async with connected(home):
                click.echo("The hub is already running; its settings stay as they are.", err=True)
        except HubAbsentError:
            if not automatic:
                chosen = Settings.load()
                policy = Policy.load(home, chosen.policy_file, safe_mode=chosen.safe_mode)
                keep(home, caps_of(policy))
            async with connected(home, start=True):
                pass

    for name, value in flags.items():
        if value not in (None, ()):
            os.environ[f"KAPTURE_{name.upper()}"] = _for_environment(value)
    try:
        trio.run(start, Settings.load().home)
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error


def _for_environment(flag: Any) -> str:
    """The value of a flag as that of a variable, for a process with another current folder."""
    if isinstance(flag, Path):
        return str(flag.absolute())
    return ",".join(flag) if isinstance(flag, tuple) else str(flag)


def _set_up_logging(settings: Settings, *, verbose: bool) -> None:
    from kapture.cli.hub_log import HubLogHandler

    level = logging.DEBUG if verbose else logging.INFO
    logging.basicConfig(handlers=[HubLogHandler(sys.stderr, settings.home)], level=level)
    for chatty in ("trio-websocket", "hypercorn", "mcp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


@click.command("serve")
@click.option("--port", type=int, help="Port on the loopback interface. Default: 61822.")
@click.option(
    "--idle-exit", metavar="TIME", help="Shut down when idle for this long, such as 15m; 0 never does. Default: 15m."
)
@click.option(
    "--idle-detach",
    metavar="TIME",
    help="Detach from an extension's tab without a command for this long; 0 never does. Default: 5m.",
)
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(path_type=Path),
    help="Policy file. Default: policy.toml in the data folder.",
)
@click.option("--safe-mode", is_flag=True, default=None, help="Limit every grant to reading.")
@click.option("--unsafe-all-sites", is_flag=True, default=None, help="Let every grant cover every site.")
@click.option(
    "--show-actions/--no-show-actions", default=None, help="Show in pages which client acts, with Stop. Default: shown."
)
@click.option("--no-pairing", is_flag=True, default=None, help="Accept every local program, without key or token.")
@click.option(
    "--prefer",
    type=click.Choice(["extension", "launch", "attach"]),
    help="Whose tabs a call uses that names no tab [extension].",
)
@click.option(
    "--fallback", type=click.Choice(["none", "launch"]), help="launch: start a browser when no tab answers [none]."
)
@click.option(
    "--fallback-profile",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where that browser keeps its profile. Default: a throw-away one.",
)
@click.option("--relay", is_flag=True, default=None, help="Let relay extensions connect: their tabs may do everything.")
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="With --no-pairing: let pages or an extension of this origin register tabs and use /mcp. May be repeated.",
)
@click.option(
    "--max-tabs-per-client", type=int, metavar="N", help="How many tabs one client may have opened. Default: 20."
)
@click.option(
    "--close-left-tabs/--keep-left-tabs",
    default=None,
    help="Close tabs that a client has opened and left for 10 minutes, if no person has used them. Default: close.",
)
@click.option("--max-tabs", type=int, metavar="N", help="How many tabs may be connected at once. Default: 256.")
@click.option(
    "--max-connections", type=int, metavar="N", help="How many tabs and clients may be connected at once. Default: 512."
)
@click.option("--join", metavar="URL", help="Join a group of machines through its Redis or Valkey server: rediss://….")
@click.option("--group-key-file", type=click.Path(path_type=Path), help="The group's key, of `kapture group new`.")
@click.option(
    "--group-password-file", type=click.Path(path_type=Path), help="A file with the password of the server's user."
)
@click.option("--group-ca-file", type=click.Path(path_type=Path), help="Certificates (PEM) to trust for the server.")
@click.option("--machine", metavar="NAME", help="This machine's name in the group. Default: the host's.")
@click.option("--background", is_flag=True, help="Start it in the background; return when it listens.")
@click.option("--automatic", is_flag=True, hidden=True, help="A client starts it: keep what capped the hub before.")
@click.option("-v", "--verbose", is_flag=True, help="Log more.")
def serve_command(verbose: bool, background: bool, automatic: bool, **flags: Any) -> None:
    """Run the hub, to which tabs and MCP clients connect on one local port."""
    if background:
        _start_in_background(flags, automatic=automatic)
        return
    try:
        settings = Settings.load({**flags, "allow_origin": flags["allow_origin"] or None})
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    _set_up_logging(settings, verbose=verbose)
    raise SystemExit(trio.run(partial(serve, settings, automatic=automatic)))
