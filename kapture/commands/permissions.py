"""Permissions of a site: camera, location, notifications."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.in_the_way import PERMISSIONS
from kapture.commands.core.params import missing_parameter
from kapture.commands.core.registry import Access, command

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
            lines.append(
                "If the browser is asking the person already, that is not answered: reload the page, and ask again."
            )
        elif "prompt" in self.states.values():
            lines.append(
                "prompt: the browser asks the person when the page wants it. Whether it is asking cannot be known."
            )
        return "\n".join(lines)


@attrs.frozen(kw_only=True)
class Permissions:
    """Show the permissions of the page's site, or set one."""

    name: Annotated[PermissionName | None, Meta(description="Permission to set; default: show all.")] = None
    setting: Annotated[Literal["allow", "block", "ask"] | None, Meta(description="ask: the browser's default.")] = None


@command("permissions", access=Access.FULL, toolset="state", idempotent=True)
async def permissions(tab: TabContext, params: Permissions) -> PermissionStates:
    """Set a permission if requested, then query the page's own Permissions API."""
    if (params.name is None) is not (params.setting is None):
        raise missing_parameter("setting" if params.setting is None else "name", "set a permission")
    if params.name is not None and params.setting is not None:
        tab.page.frames.main.check_granted()  # it may have gone elsewhere since the call was admitted
        await tab.browser.permission(params.name, params.setting)
    found = await tab.page.frames.main.call("permissionStates", {"names": PERMISSIONS})
    return PermissionStates(origin=found["origin"], states=found["states"], changed=params.name)
