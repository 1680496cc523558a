"""Completion of what a person types into a prompt or a resource template: tab ids."""

from __future__ import annotations

from typing import Any

import mcp_types as types

from kapture.hub import Hub

_TAB_ARGUMENTS = frozenset({"tabId", "id"})
_MAX_VALUES = 100


def complete(hub: Hub, argument: types.CompletionArgument) -> dict[str, Any]:
    """The values that begin with what was typed; for tabs also those whose title or URL contains it."""
    if argument.name not in _TAB_ARGUMENTS:
        return {"values": [], "total": 0, "hasMore": False}
    typed = argument.value.casefold()
    found = [
        str(row["tabId"])
        for row in hub.tab_rows()  # which hold only what the grants show
        if str(row["tabId"]).casefold().startswith(typed) or typed in f"{row['title']}\n{row['url']}".casefold()
    ]
    return {"values": found[:_MAX_VALUES], "total": len(found), "hasMore": len(found) > _MAX_VALUES}
