"""Waiting for a request to end."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, Lane, command
from kapture.commands.formatters.network import (
    ResponseAnswer,
)
from kapture.commands.network.requests import Glob, Status, matches, request_line, shown_request


@attrs.frozen(kw_only=True)
class WaitForResponse:
    """Wait until a request that matches has ended. Give `since` (a cursor taken before acting) to catch early ones."""

    url: Glob
    method: str | None = None
    status: Status = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor; default: from now.")] | None = None


@command("wait_for_response", access=Access.READ, lane=Lane.CONTROL, toolset="network", timeout_ms=SLOW_TIMEOUT_MS)
async def wait_for_response(tab: TabContext, params: WaitForResponse) -> ResponseAnswer:
    """Check past requests, then new ones. The command's own timeout limits it."""
    log = tab.page.network
    since = log.cursor if params.since is None else params.since
    while True:
        for request in log.oldest_first():
            if request.seq <= since or not request.finished:
                continue
            shown = shown_request(request, tab.page)
            if shown is not None and matches(shown, url=params.url, method=params.method, status=params.status):
                return ResponseAnswer(request=request_line(shown), cursor=log.cursor)
        await log.changed.wait()
