"""The `kapture` command.

Subcommands are imported on use: MCP clients start `kapture mcp` and wait for it, so it imports only what it needs.
"""

from __future__ import annotations

import importlib
from typing import Any

import click

from kapture import __version__

# name → (module, attribute, one line for --help)
_COMMANDS = {
    "setup": ("kapture.cli.setup", "setup_command", "Set everything up, step by step, until a tab is connected."),
    "serve": ("kapture.cli.serve", "serve_command", "Run the hub."),
    "status": ("kapture.cli.hub", "status_command", "Show the running hub, its tabs and its clients."),
    "stop": ("kapture.cli.hub", "stop_command", "Stop the running hub."),
    "mcp": ("kapture.cli.mcp", "mcp_command", "Run the stdio MCP server that an MCP client starts."),
    "launch": ("kapture.cli.launch", "launch_command", "Start a browser with its tabs connected."),
    "attach": ("kapture.cli.attach", "attach_command", "Connect the tabs of a browser that already runs."),
    "call": ("kapture.cli.call.call", "call_command", "Run one command and print its answer."),
    "cdp": ("kapture.cli.cdp", "cdp_command", "Print the address for Playwright, Puppeteer and other CDP clients."),
    "release": ("kapture.cli.release", "release_command", "Take a tab back from the script that holds it."),
    "grants": ("kapture.cli.grants", "grants_command", "List and revoke the standing grants of your browsers."),
    "console": ("kapture.cli.console", "console_command", "Open the Console, a web page for trying every command."),
    "install": ("kapture.cli.clients.install", "install_command", "Add Kapture to an MCP client's configuration."),
    "uninstall": (
        "kapture.cli.clients.install",
        "uninstall_command",
        "Remove Kapture from an MCP client's configuration.",
    ),
    "skill": ("kapture.cli.skill", "skill_command", "Print the skill for agents that work through a shell."),
    "install-host": (
        "kapture.cli.native_host",
        "install_host_command",
        "Install the native messaging host, which lets the extension find the hub.",
    ),
    "uninstall-host": ("kapture.cli.native_host", "uninstall_host_command", "Remove the native messaging host."),
    "extension": ("kapture.cli.extension_folder", "extension_command", "Print or copy the extension's folder."),
    "share": (
        "kapture.cli.share",
        "share_group",
        "Let agents on another machine, or in a container, use the tabs here.",
    ),
    "connect": ("kapture.cli.share", "connect_group", "Use the tabs that are connected on another machine."),
    "group": ("kapture.cli.group", "group_command", "Share tabs among machines: make a group's key."),
    "rotate-key": ("kapture.cli.rotate_key", "rotate_key_command", "Make a new key and drop every connection."),
    "policy": ("kapture.cli.policy", "policy_command", "Check a policy file and explain its decisions."),
    "scenario": ("kapture.cli.scenario.scenario", "scenario_command", "Run recorded flows, and manage their files."),
    "audit": ("kapture.cli.audit", "audit_command", "Show the audit log: what was decided and done."),
    "completion": ("kapture.cli.completion", "completion_command", "Print the shell's completion script."),
    "man": ("kapture.cli.man", "man_command", "Print the manual page."),
    "doctor": ("kapture.cli.doctor.doctor", "doctor_command", "Check the set-up and say how to fix it."),
    "tour": ("kapture.cli.tour", "tour_command", "Drive the demo shop through a real MCP client."),
}


class _LazyGroup(click.Group):
    """A group that imports a subcommand only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand, and the arguments for it. An unknown one is answered with what was meant."""
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}.{_meant(args[0])}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; an interrupt in its nurseries comes as a group, which Click would show as a traceback.
        Errors quote files and their names, which a stranger may have chosen."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from kapture.cli.terminal import harmless

            vars(error)["message"] = harmless(error.message)  # Click prints the very error that it catches
            raise
        except BaseExceptionGroup as group:
            from kapture.errors import leaves

            if all(isinstance(error, KeyboardInterrupt) for error in leaves(group)):
                raise KeyboardInterrupt from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in _COMMANDS.items()])


def _meant(name: str) -> str:
    import difflib

    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import get_command
    from kapture.errors import UnknownCommand

    try:
        return f" Did you mean `kapture call {get_command(name.replace('-', '_')).name}`?"
    except UnknownCommand:
        close = difflib.get_close_matches(name, _COMMANDS, n=1, cutoff=0.7)
        return f" Did you mean `kapture {close[0]}`?" if close else ""


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from kapture.package_files import commit
    from kapture.wire.messages import PROTOCOL_VERSION

    click.echo(f"kapture {__version__} (commit {commit()[:12] or 'unknown'}, wire version {PROTOCOL_VERSION})")
    ctx.exit()


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
def main(**_: Any) -> None:
    """Let an AI agent work in your own browser tabs."""
