"""The state of one MCP session, shared by its two implementations of the protocol: ours and the SDK's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from kapture.commands.core.registry import Access
from kapture.hub import ClientKind, Hub
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile, profile_of
from kapture.mcp.session_clients import SessionClients
from kapture.mcp.tool import Tool
from kapture.mcp.tool_calls import ToolCalls


class SessionState:
    """The state of one session. `shared`: one for every 2026-07-28 client of one HTTP endpoint."""

    def __init__(self, hub: Hub, options: Options, kind: ClientKind, *, shared: bool) -> None:
        self.hub = hub
        self.options = options
        self.profile: Profile = profile_of(options)
        self.clients = SessionClients(hub, kind, shared=shared)
        self.tool_calls = ToolCalls(hub, options, self.profile, self.clients)
        self.notifier = Notifier(hub, lambda: tuple(tool.name for tool in self._usable_tools()))

    def _usable_tools(self) -> Iterable[Tool]:
        """The tools worth listing: those of access `full` only while some tab grants it, those for the tools of pages
        only while a page declares some."""
        tabs = self.hub.tabs.values()
        full = any(tab.level >= Access.FULL for tab in tabs)
        declared = any(tab.page_tools for tab in tabs)
        return (
            tool
            for tool in self.profile.tools
            if (tool.access < Access.FULL or full) and (not tool.for_page_tools or declared)
        )

    def list_tools(self) -> list[dict[str, Any]]:
        """As `tools/list` answers them now."""
        structured = self.options.structured
        return [tool.listing(structured=structured) for tool in self._usable_tools()]


@contextmanager
def session_state(hub: Hub, options: Options, kind: ClientKind, *, shared: bool = False) -> Iterator[SessionState]:
    """A session's state; leaving the block lets its clients go."""
    state = SessionState(hub, options, kind, shared=shared)
    try:
        yield state
    finally:
        state.clients.close()
