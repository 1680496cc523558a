"""Decisions on one command at one tab."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Command, get_command
from kapture.policy import Decision, Grant, Policy, Request
from kapture.policy import arguments as reach

HOME = Path("/nowhere")


INSIDE, OUTSIDE = "https://app.example.com/x", "https://evil.test/x"


# What a call of each command needs so that it reaches for nothing outside the page it is on.
ADDRESS = {name: SimpleNamespace(**dict.fromkeys(names, INSIDE)) for name, names in reach.ADDRESSES.items()}


def policy(**options: Any) -> Policy:
    return Policy(home=HOME, **options)


def grant(level: str = "full", *sites: str) -> Grant:
    return Grant.make(sites or ("example.com",), level)


def decide(
    command: Command | str,
    *,
    given_: Grant | None,
    url: str = INSIDE,
    params: Any = None,
    rules: Policy | None = None,
    client: str = "",
    inherited: str | None = None,
    widened_by: str = "",
) -> Decision:
    command = get_command(command) if isinstance(command, str) else command
    if params is None:
        params = ADDRESS.get(command.name)
    request = Request(
        command=command,
        params=params,
        client=client,
        grant=given_,
        url=url,
        inherited=inherited,
        widened_by=widened_by,
    )
    return (rules or policy()).decide(request)
