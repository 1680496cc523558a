"""`kapture policy`: checks a policy file and explains its decisions."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

import kapture.commands  # noqa: F401  declares every command
from kapture.cli.terminal import print_text
from kapture.commands.core.registry import Access, Scope, get_command
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.policy import Grant, Policy, PolicyFileError, Request
from kapture.policy.grant import LEVELS, site_of
from kapture.policy.policy import Decision
from kapture.policy.policy_file import schema


@click.group("policy")
def policy_command() -> None:
    """Check a policy file and explain its decisions."""


@policy_command.command("check")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--url", default="", help="URL of the tab's page.")
@click.option("--command", "command_name", help="A command, such as click, navigate, evaluate.")
@click.option("--argument", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument of the command.")
@click.option("--client", default="", help="Name of the MCP client.")
@click.option("--site", "sites", multiple=True, help="A site that the tab's grant names. Default: the page's own.")
@click.option("--level", default="full", type=click.Choice(list(LEVELS)), show_default=True, help="The grant's level.")
@click.option("--safe-mode", is_flag=True, help="Decide as in safe mode.")
@click.option("--json", "as_json", is_flag=True, help="Print the decision as JSON.")
def check_command(
    file: Path | None,
    url: str,
    command_name: str | None,
    arguments: tuple[str, ...],
    client: str,
    sites: tuple[str, ...],
    level: str,
    safe_mode: bool,
    as_json: bool,
) -> None:
    """Check FILE, or explain a decision.

    FILE is policy.toml in the data folder if left out. With --command it says what FILE decides about that command.

    Exit codes: 0 the file is valid and the command allowed, 1 the command is denied, 2 the file is not valid.
    """
    try:
        policy = Policy.load(data_folder(), file, safe_mode=safe_mode)
    except PolicyFileError as error:
        print_text(error.explanation, err=True)
        raise SystemExit(2) from error
    if command_name is None:
        valid = f"{policy.source} is valid." if policy.source else "There is no policy file: grants alone decide."
        click.echo(json.dumps(policy.describe()) if as_json else valid)
        return
    try:
        decision = _explain(policy, command_name, dict(map(_pair, arguments)), url, client, sites, level)
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    _show(decision, as_json)
    if not decision.allowed:
        raise SystemExit(1)


@policy_command.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of a policy file."""
    click.echo(json.dumps(schema(), indent=2))


def _explain(
    policy: Policy,
    command_name: str,
    arguments: dict[str, Any],
    url: str,
    client: str,
    sites: tuple[str, ...],
    level: str,
) -> Decision:
    command = get_command(command_name)
    own = site_of(url)
    grant = Grant.make(sites or ([own] if own else ()), level)
    request = Request(
        command=command,
        params=SimpleNamespace(**arguments),  # policy reads few of them; the rest may be missing
        client=client,
        grant=None if command.scope is Scope.HUB and command.access is Access.NONE else grant,
        url=url,
    )
    return policy.decide(request)


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _show(decision: Decision, as_json: bool) -> None:
    if as_json:
        shown = {
            "allowed": decision.allowed,
            "rule": decision.rule,
            "reason": decision.reason,
            "hint": decision.hint,
            "ask": decision.ask.to_json() if decision.ask else None,
        }
        click.echo(json.dumps(shown))
        return
    print_text(f"{'allowed' if decision.allowed else 'denied'} by {decision.rule}")
    for part in (decision.reason, decision.hint):
        if part:
            print_text(part)
