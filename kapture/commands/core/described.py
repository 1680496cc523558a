"""Descriptions of all commands for forms, with the complete schemas, which `tools/list` shortens for models."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from kapture.commands.core.registry import Scope, all_commands
from kapture.commands.core.schema import input_schema


@functools.cache
def described_commands() -> Sequence[Mapping[str, Any]]:
    """One row per command, in the order of declaration."""
    return [
        {
            "name": command.name,
            "title": command.title,
            "description": command.description,
            "toolset": command.toolset,
            "level": command.access.name.lower() if command.scope is Scope.TAB else "none",
            "lane": command.lane.value,
            "scope": command.scope.value,
            "timeoutMs": command.timeout_ms,
            "acts": command.acts,
            "destructive": command.destructive,
            "schema": input_schema(command),
        }
        for command in all_commands()
    ]
