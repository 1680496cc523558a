"""`kapture completion`: shell completion from the registry and from the running hub, when Tab is pressed.

The protocol between shell and program is click's: the shell runs `kapture` with `_KAPTURE_COMPLETE` set
(https://click.palletsprojects.com/en/stable/shell-completion/). Errors are not printed: then nothing is completed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

_VARIABLE = "_KAPTURE_COMPLETE"
_ASK_S = 1.0
_SHELLS = ("bash", "zsh", "fish")


def commands(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the commands that `kapture call` runs, with their first line."""
    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import all_commands

    return [
        CompletionItem(command.name, help=command.description.splitlines()[0])
        for command in all_commands()
        if command.name.startswith(incomplete)
    ]


def tabs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of the connected tabs, with their URLs; none if no hub answers at once."""
    import trio

    from kapture.cli.terminal import harmless_line
    from kapture.client.connection import HubAbsentError
    from kapture.client.hubs import hub_folder
    from kapture.client.mcp_client import open_client
    from kapture.errors import KaptureError

    async def ask() -> list[CompletionItem]:
        with trio.move_on_after(_ASK_S):
            async with open_client(hub_folder(), "toolsets=all&structured=1", name="kapture completion") as hub:
                return [
                    CompletionItem(row["tabId"], help=harmless_line(row.get("url") or ""))
                    for row in await hub.tabs()
                    if row["tabId"].startswith(incomplete)
                ]
        return []

    try:
        return trio.run(ask)
    except (HubAbsentError, KaptureError):
        return []


def scenarios(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the scenarios in the data folder."""
    from kapture.data_folder import data_folder
    from kapture.scenarios.files.storage import ScenarioFolder

    return [CompletionItem(name) for name in ScenarioFolder(data_folder()).names() if name.startswith(incomplete)]


def toolsets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of toolsets that are not in the list already."""
    from kapture.mcp.options import TOOLSETS

    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    names = [name for name in (*TOOLSETS, *(() if comma else ("all",))) if name.startswith(last) and name not in given]
    return [CompletionItem(f"{before}{comma}{name}") for name in names]


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the MCP profiles."""
    from kapture.mcp.options import PROFILES

    return [CompletionItem(name) for name in PROFILES if name.startswith(incomplete)]


def toolsets_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--toolsets`, for all commands that have it."""
    return click.option(
        "--toolsets",
        metavar="LIST",
        shell_complete=toolsets,
        help="Any of core, tabs, more, network, files, state, scenarios, raw; or all. Default: core,tabs.",
    )(function)


def hub_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--hub`, for all commands that have it."""
    return click.option(
        "--hub",
        metavar="NAME",
        help="A hub that is shared with this machine, or `local`. Default: KAPTURE_HUB, or the one that there is.",
    )(function)


def profile_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--profile`, for all commands that have it."""
    return click.option(
        "--profile",
        metavar="NAME",
        shell_complete=profiles,
        help="kapture (default), minimal, chrome or browser.",
    )(function)


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh or fish.

    \b
    bash: eval "$(kapture completion bash)"    in ~/.bashrc
    zsh:  eval "$(kapture completion zsh)"     in ~/.zshrc, after compinit
    fish: kapture completion fish > ~/.config/fish/completions/kapture.fish

    It completes commands, options, ids of connected tabs, scenarios, MCP clients and toolsets.
    """
    made = get_completion_class(shell)
    assert made is not None  # noqa: S101  click knows these three
    click.echo(made(ctx.find_root().command, {}, "kapture", _VARIABLE).source())
