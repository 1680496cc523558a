"""`kapture install` and `kapture uninstall`: adds Kapture to, or removes it from, an MCP client's configuration."""

from __future__ import annotations

import difflib
import json
import shlex
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from kapture.cli import completion
from kapture.cli.clients.config_file import Change, adding, entry_of, is_found, removing
from kapture.cli.clients.known_clients import ConfigFile, config_files, launch_command
from kapture.cli.skill import NAME, remove_skill, skill_text, write_skill
from kapture.cli.terminal import harmless


def _client_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completes the names of known MCP clients."""
    return [
        CompletionItem(name, help=config.title)
        for name, config in config_files().items()
        if name.startswith(incomplete)
    ]


@click.command("install")
@click.argument("client", required=False, shell_complete=_client_names)
@click.option("--name", default="kapture", metavar="NAME", help="Name of the entry.")
@completion.profile_option
@completion.toolsets_option
@click.option("--structured", is_flag=True, help="Answer with structured content too.")
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False), help="Another file than the client's default one."
)
@click.option("--print", "only_print", is_flag=True, help="Only print the change.")
@click.option("--skill", is_flag=True, help="Install the skill of `kapture skill` instead of the MCP server.")
def install_command(
    client: str | None,
    name: str,
    profile: str | None,
    toolsets: str | None,
    structured: bool,
    file: Path | None,
    only_print: bool,
    skill: bool,
) -> None:
    """Add Kapture to the configuration of an MCP client.

    Prints the entry, keeps a backup of the file, and changes nothing else in it. Where the client has a command for
    that, it is run instead. JSON with comments is left alone: you get the entry to paste. An entry that is there
    already keeps what you added to it, and its options where none are given here. Without CLIENT it lists the known
    clients.
    """
    if client is None:
        _list_clients(name)
        return
    config = _config(client, file)
    if skill:
        folder = _skills(config)
        if only_print:
            click.echo(f"{folder / NAME / 'SKILL.md'}:\n{skill_text()}", nl=False)
        else:
            click.echo(f"{config.title} {'has' if write_skill(folder) else 'had'} the skill: {folder / NAME}")
        return
    change = adding(config, _options(profile, toolsets, structured) or None, name)
    _make(change, only_print=only_print)
    if only_print:
        return
    if not change:
        click.echo(f"{config.title} is configured already: {config.path}")
        return
    click.echo(f"{config.title} has Kapture now: {config.path}\n{config.after}")
    if file is None and not _is_there(config):
        click.echo(f"Note: {config.title} was not found on this machine; it will find the file once it is installed.")


@click.command("uninstall")
@click.argument("client", shell_complete=_client_names)
@click.option("--name", default="kapture", metavar="NAME", help="Name of the entry.")
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False), help="Another file than the client's default one."
)
@click.option("--print", "only_print", is_flag=True, help="Only print the change.")
@click.option("--skill", is_flag=True, help="Remove the skill instead.")
def uninstall_command(client: str, name: str, file: Path | None, only_print: bool, skill: bool) -> None:
    """Remove Kapture from the configuration of an MCP client. Nothing but its own entry is removed."""
    config = _config(client, file)
    if skill:
        folder = _skills(config)
        if not only_print:
            there = remove_skill(folder)
            click.echo(f"Removed {folder / NAME}." if there else f"There is no skill of Kapture in {folder}.")
        return
    change = removing(config, name)
    _make(change, only_print=only_print)
    if only_print:
        return
    click.echo(f"Removed Kapture from {config.path}." if change else f"Kapture was not in {config.path}.")


def _config(client: str, file: Path | None) -> ConfigFile:
    import attrs

    known = config_files()
    if client not in known:
        near = difflib.get_close_matches(client, known, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"{client!r} is not a known MCP client.{hint} Known: {', '.join(known)}.")
    config = known[client]
    return config if file is None else attrs.evolve(config, path=file.absolute(), command=None)


def _skills(config: ConfigFile) -> Path:
    """Return the client's folder of skills."""
    if config.skills is None:
        raise click.UsageError(
            f"Where {config.title} keeps skills is not known. Write the skill where it looks: `kapture skill > FILE`."
        )
    return config.skills


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


def _make(change: Change, *, only_print: bool) -> None:
    """Show the change and, unless `only_print`, make it."""
    if change:
        click.echo(f"{change.path}:")
        click.secho(harmless(change.shown) or f"- {change.name}", fg="green" if change.shown else "red")
    for command in change.commands:
        click.echo(f"$ {harmless(shlex.join(command))}")
    if change and not only_print and (backup := change.write()) is not None:
        click.echo(f"Backup of the file: {backup}")


def _is_there(config: ConfigFile) -> bool:
    """Whether the client has been used here: its folder contains more than what was written just now."""
    others = {entry.name for entry in config.path.parent.iterdir()} - {config.path.name}
    return bool(others)


def _list_clients(name: str) -> None:
    known = config_files()
    width = max(map(len, known))
    click.echo("Run `kapture install CLIENT` with one of these clients:\n")
    for config in known.values():
        state = "  (has Kapture)" if entry_of(config, name) else "  (found)" if is_found(config) else ""
        click.echo(f"  {config.client:<{width}}  {config.path}{state}")
    click.echo("\nFor any other client, configure this command:\n")
    click.echo("  " + json.dumps(dict(zip(("command", "args"), _split(launch_command()), strict=True))))


def _split(launch: list[str]) -> tuple[str, list[str]]:
    return launch[0], launch[1:]
