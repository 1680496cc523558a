"""Completion of arguments of prompts and resource templates: tab ids, and names of scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mcp_types as types

from kapture.hub import Client, Hub

_TAB_ARGUMENTS = frozenset({"tabId", "id"})
_SCENARIO_PROMPT = "run_scenario"
_MAX_VALUES = 100


async def complete(
    hub: Hub,
    client: Client,
    about: types.PromptReference | types.ResourceTemplateReference,
    argument: types.CompletionArgument,
) -> dict[str, Any]:
    """The values that start with what was typed; after them tabs whose title or URL contains it, and scenarios whose
    name contains it."""
    found: list[str] = []
    if argument.name in _TAB_ARGUMENTS:
        with hub.on_behalf_of(client):
            found = _tabs(hub, argument.value.casefold())
    elif isinstance(about, types.PromptReference) and about.name == _SCENARIO_PROMPT and argument.name == "name":
        found = _containing(argument.value.casefold(), await hub.scenario_names(client))
    return {"values": found[:_MAX_VALUES], "total": len(found), "hasMore": len(found) > _MAX_VALUES}


def _tabs(hub: Hub, typed: str) -> list[str]:
    return [
        str(row["tabId"])
        for row in hub.tab_rows()  # only what may be shown to the client
        if str(row["tabId"]).casefold().startswith(typed) or typed in f"{row['title']}\n{row['url']}".casefold()
    ]


def _containing(typed: str, names: Sequence[str]) -> list[str]:
    fitting = [name for name in names if typed in name.casefold()]
    return sorted(fitting, key=lambda name: not name.casefold().startswith(typed))
