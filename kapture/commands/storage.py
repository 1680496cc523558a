"""Entries of localStorage and sessionStorage."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import missing_parameter
from kapture.commands.core.registry import Access, command


@attrs.frozen(kw_only=True)
class Stored(Answer):
    """Entries that were read, or how many were changed. `cut` counts characters left out of long values."""

    action: str
    origin: str
    entries: dict[str, str] | None = None
    changed: int = 0
    cut: int = 0

    def text(self) -> str:
        """One line per entry, or one line on what was changed."""
        if self.entries is not None:
            lines = [f"{key}: {value}" for key, value in self.entries.items()] or [f"{self.origin} has no entries"]
            return "\n".join(lines) + (f"\n({self.cut} characters left out)" if self.cut else "")
        done = {"set": "set", "remove": "removed", "clear": "cleared"}[self.action]
        return f"{done} {self.changed} entr{'y' if self.changed == 1 else 'ies'} of {self.origin}"


MAX_STORAGE_CHARS = 100_000


@attrs.frozen(kw_only=True)
class Storage:
    """Read, set, remove or clear entries of localStorage or sessionStorage."""

    action: Literal["get", "set", "remove", "clear"] = "get"
    area: Literal["local", "session"] = "local"
    key: Annotated[str | None, Meta(description="Default for get: all keys.")] = None
    value: Annotated[str | None, Meta(description="For set.")] = None
    frame: Annotated[str | None, Meta(description="Frame whose storage is meant: f2, or part of its URL.")] = None


@command("storage", access=Access.FULL, toolset="state", destructive=True, long=True)
async def storage(tab: TabContext, params: Storage) -> Stored:
    """Read or change the storage of one frame's origin."""
    if params.action in ("set", "remove") and params.key is None:
        raise missing_parameter("key", f"{params.action} an entry")
    if params.action == "set" and params.value is None:
        raise missing_parameter("value", "set an entry")
    frame = tab.page.frames.main if params.frame is None else tab.page.frames.find(params.frame)
    found = await frame.call(
        "storage",
        {
            "action": params.action,
            "area": params.area,
            "key": params.key,
            "value": params.value,
            "limit": MAX_STORAGE_CHARS,
        },
    )
    return Stored(
        action=params.action,
        origin=found["origin"],
        entries=found.get("entries"),
        changed=found.get("changed", 0),
        cut=found.get("cut", 0),
    )
