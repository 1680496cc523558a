"""`kapture install` and `kapture uninstall`: Kapture in the configuration of an MCP client."""

from __future__ import annotations

import datetime
import difflib
import json
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

import click

from kapture.cli import jsonc, toml_table
from kapture.cli.client_config import ConfigFile, config_files, launch_command, launch_environment

Edit = Callable[[str], str]


class _Refused(click.ClickException):
    """A file that this cannot edit; the person can."""


@click.command("install")
@click.argument("client", required=False)
@click.option("--name", default="kapture", metavar="NAME", help="Name of the entry.")
@click.option("--profile", metavar="NAME", help="kapture (default), minimal, chrome or browser.")
@click.option("--toolsets", metavar="LIST", help="core, tabs (both by default), network, files, state, ... or all.")
@click.option("--structured", is_flag=True, help="Answer with structured content too.")
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False), help="Another file than the client's default one."
)
@click.option("--print", "only_print", is_flag=True, help="Only print the change.")
def install_command(
    client: str | None,
    name: str,
    profile: str | None,
    toolsets: str | None,
    structured: bool,
    file: Path | None,
    only_print: bool,
) -> None:
    """Add Kapture to the configuration of an MCP client.

    Prints the change, keeps a backup of the file, and leaves everything else in it as it is, comments too.
    Without CLIENT it lists the known clients.
    """
    if client is None:
        _list_clients(name)
        return
    config = _config(client, file)
    entry = config.entry(launch_command(_options(profile, toolsets, structured)), launch_environment())
    path = [*config.member, name]
    if config.format == "toml":
        changed = _apply(config, lambda text: toml_table.set_table(text, path, entry), only_print=only_print)
    else:
        changed = _apply(config, lambda text: jsonc.set_member(text, path, entry), only_print=only_print)
    if only_print:
        return
    if not changed:
        click.echo(f"{config.title} is configured already: {config.path}")
        return
    click.echo(f"Added Kapture to {config.title}: {config.path}\n{config.after}")
    if file is None and not _is_there(config):
        click.echo(f"Note: {config.title} was not found on this machine; it will find the file once it is installed.")


@click.command("uninstall")
@click.argument("client")
@click.option("--name", default="kapture", metavar="NAME", help="Name of the entry.")
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False), help="Another file than the client's default one."
)
@click.option("--print", "only_print", is_flag=True, help="Only print the change.")
def uninstall_command(client: str, name: str, file: Path | None, only_print: bool) -> None:
    """Remove Kapture from the configuration of an MCP client. Nothing but its own entry is removed."""
    config = _config(client, file)
    path = [*config.member, name]
    remove = toml_table.remove_table if config.format == "toml" else jsonc.remove_member
    changed = _apply(config, lambda text: remove(text, path) if text.strip() else text, only_print=only_print)
    if only_print:
        return
    click.echo(f"Removed Kapture from {config.path}." if changed else f"Kapture was not in {config.path}.")


def _config(client: str, file: Path | None) -> ConfigFile:
    import attrs

    known = config_files()
    if client not in known:
        near = difflib.get_close_matches(client, known, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"{client!r} is not a known MCP client.{hint} Known: {', '.join(known)}.")
    config = known[client]
    return config if file is None else attrs.evolve(config, path=file.absolute())


def _options(profile: str | None, toolsets: str | None, structured: bool) -> list[str]:
    from kapture.errors import KaptureError
    from kapture.mcp.options import TOOLSETS, check_profile, parse_toolsets

    options = []
    try:
        if profile is not None:
            options += ["--profile", check_profile(profile)]
        if toolsets is not None:
            chosen = parse_toolsets(toolsets)
            options += ["--toolsets", "all" if chosen == TOOLSETS else ",".join(chosen)]
    except KaptureError as error:
        raise click.UsageError(str(error)) from error
    return [*options, "--structured"] if structured else options


def _apply(config: ConfigFile, edit: Edit, *, only_print: bool) -> bool:
    """Change the file; whether there was anything to change."""
    path = config.path.resolve()  # a link stays a link: what it points at is written
    try:
        before = path.read_bytes().decode("utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise _Refused(f"Could not read {path}: {error}.") from error
    newline = "\r\n" if "\r\n" in before else "\n"
    try:
        after = edit(before.replace("\r\n", "\n")).replace("\n", newline)
    except (jsonc.JsoncError, toml_table.TomlEditError) as error:
        raise _Refused(
            f"{path} is not changed: {error}. Mend it, or add the entry by hand: see `kapture install "
            f"{config.client} --print --file {os.devnull}`."
        ) from error
    if after == before:
        return False
    _show_change(path, before, after)
    if not only_print:
        _write(path, before, after)
    return True


def _show_change(path: Path, before: str, after: str) -> None:
    """The changed lines and no others: what stands beside them may hold other servers' keys."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), n=0, lineterm="")
    for line in lines:
        colour = {"+": "green", "-": "red"}.get(line[:1])
        click.secho(line, fg=colour)


def _write(path: Path, before: str, after: str) -> None:
    """Write the file whole or not at all, with the mode it had; a copy of the old one stays beside it."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o600
        if path.exists():
            mode = path.stat().st_mode & 0o777
            backup = _backup_name(path)
            shutil.copy2(path, backup)
            click.echo(f"Backup of the file: {backup}")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(after.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        if path.exists() and path.read_bytes() != before.encode("utf-8"):
            raise _Refused(f"{path} was changed by another program just now. Try again.")
        new.replace(path)
    except OSError as error:
        raise _Refused(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        new.unlink(missing_ok=True)


def _backup_name(path: Path) -> Path:
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    backup = path.with_name(f"{path.name}.{stamp}.bak")
    number = 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.{stamp}-{number}.bak")
    return backup


def _is_there(config: ConfigFile) -> bool:
    """Whether the client has been used here: its folder holds more than what was written just now."""
    others = {entry.name for entry in config.path.parent.iterdir()} - {config.path.name}
    return bool(others)


def _list_clients(name: str) -> None:
    formatter = click.HelpFormatter(width=110)
    rows = []
    for config in config_files().values():
        state = "has Kapture" if entry_of(config, name) else "found" if config.path.exists() else ""
        rows.append((config.client, f"{config.path}{f'  ({state})' if state else ''}"))
    click.echo("Run `kapture install CLIENT` with one of these clients:\n")
    formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)
    click.echo("\nFor any other client, configure this command:\n")
    click.echo("  " + json.dumps(dict(zip(("command", "args"), _split(launch_command()), strict=True))))


def _split(launch: list[str]) -> tuple[str, list[str]]:
    return launch[0], launch[1:]


def entry_of(config: ConfigFile, name: str = "kapture") -> dict[str, object] | None:
    """Kapture's entry in a client's file, if it has one; None also for a file that cannot be read."""
    try:
        text = config.path.read_text("utf-8")
        data = toml_table.loads(text) if config.format == "toml" else jsonc.loads(text)
    except (OSError, UnicodeDecodeError, jsonc.JsoncError, toml_table.TomlEditError):
        return None
    for key in (*config.member, name):
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else None
