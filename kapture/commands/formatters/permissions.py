"""Permissions of a site."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from kapture.commands.core.answer import Answer

PermissionName: TypeAlias = Literal["geolocation", "notifications", "camera", "microphone", "clipboard-read"]


@attrs.frozen(kw_only=True)
class PermissionStates(Answer):
    """Each permission as the page sees it: "granted", "denied" or "prompt"."""

    origin: str
    states: dict[str, str]
    changed: PermissionName | None = None

    def text(self) -> str:
        """One line per permission."""
        lines = [f"{name}: {state}" for name, state in self.states.items()]
        if self.changed is not None:
            lines.append(f"(set for {self.origin} in this browser, until {self.changed} is set to ask)")
        return "\n".join(lines)
