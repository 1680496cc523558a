"""The state of one MCP session, shared by the two implementations of the protocol: Kapture's and the SDK's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from kapture.commands.core.registry import Access
from kapture.hub import ClientKind, Hub
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import TOOLSETS, Options
from kapture.mcp.page_tools import DynamicTools
from kapture.mcp.profiles import Profile, profile_of
from kapture.mcp.session_clients import ClientInfo, SessionClients
from kapture.mcp.tool import Tool
from kapture.mcp.tool_calls import ToolCalls


class SessionState:
    """The state of one session. `shared`: one for every 2026-07-28 client of one HTTP endpoint."""

    def __init__(self, hub: Hub, options: Options, kind: ClientKind, *, shared: bool) -> None:
        self.hub = hub
        self.options = options
        self.profile: Profile = profile_of(options)
        self.clients = SessionClients(hub, kind, shared=shared)
        self._dynamic = DynamicTools(hub) if options.page_tools == "dynamic" else None  # only to notice changes
        self.tool_calls = ToolCalls(hub, options, self.profile, self.clients, dynamic=self._dynamic is not None)
        self.notifier = Notifier(hub, self._listed)

    def _listed(self) -> tuple[object, ...]:
        """A value that differs when the list of tools differs: names of the profile's tools, page tools in full."""
        own = tuple(tool.name for tool in self._usable_tools())
        of_pages = self._dynamic.tools() if self._dynamic is not None else []
        return (*own, *((tool.name, tool.description, str(tool.schema)) for tool in of_pages))

    def _usable_tools(self) -> Iterable[Tool]:
        """The tools worth listing: those of level `full` only while some tab grants it; the commands for page tools
        only while a page declares some, or for a client that wants every toolset. Of a profile with a specification of
        its own, every tool."""
        if not self.profile.lists_usable:
            return self.profile.tools
        full = self.hub.some_tab_is_full()
        declared = self.options.toolsets == TOOLSETS or self.hub.some_page_declares_tools()
        return (
            tool
            for tool in self.profile.tools
            if (tool.access < Access.FULL or full) and (not tool.for_page_tools or declared)
        )

    def list_tools(self, info: ClientInfo | None) -> list[dict[str, Any]]:
        """The answer to `tools/list` for a client: of pages only what may be shown to it."""
        structured = self.options.structured
        client = self.clients.get(info)
        with self.hub.on_behalf_of(client.client):
            of_pages = client.page_tools.tools() if self._dynamic is not None else []
        return [tool.listing(structured=structured) for tool in (*self._usable_tools(), *of_pages)]


@contextmanager
def session_state(hub: Hub, options: Options, kind: ClientKind, *, shared: bool = False) -> Iterator[SessionState]:
    """A session's state; its clients are unregistered when the block ends."""
    state = SessionState(hub, options, kind, shared=shared)
    try:
        yield state
    finally:
        state.clients.close()
