"""The state of the hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import HubContext
from kapture.commands.core.registry import Access, Lane, Scope, command


@attrs.frozen(kw_only=True)
class HubStatus(Answer):
    """The hub's status; docs/PROTOCOL.md describes its parts."""

    status: dict[str, Any]

    def text(self) -> str:
        """Indented lines, nested parts below their names."""
        return "\n".join(_lines(self.status, ""))


def _lines(value: Any, indent: str) -> list[str]:
    lines: list[str] = []
    if isinstance(value, Mapping):
        for key, held in value.items():
            if held is None or held == [] or held == {}:
                continue
            if isinstance(held, Mapping) or _is_list_of_parts(held):
                lines.append(f"{indent}{key}:")
                lines += _lines(held, indent + "  ")
            else:
                lines.append(f"{indent}{key}: {_inline(held)}")
    elif _is_list_of_parts(value):
        for part in value:
            inner = _lines(part, indent + "  ")
            if inner:
                lines.append(f"{indent}- {inner[0].strip()}")
                lines += inner[1:]
    return lines


def _is_list_of_parts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and any(isinstance(v, Mapping) for v in value)


def _inline(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(str(part) for part in value)
    return str(value)


@attrs.frozen(kw_only=True)
class Status:
    """Show the state of the hub: tabs, queues, last errors, versions."""


@command("status", access=Access.NONE, scope=Scope.HUB, lane=Lane.CONTROL, idempotent=True, open_world=False)
async def status(hub: HubContext, params: Status) -> HubStatus:
    """Ask the hub."""
    await hub.hub.look_elsewhere()
    return HubStatus(status=dict(hub.hub.status()))
