"""Blocking and mocking requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
import msgspec
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.formatters.network import (
    RoutesAnswer,
)
from kapture.commands.network.requests import Glob
from kapture.errors import ErrorCode, KaptureError
from kapture.page.network.routes import Route


@attrs.frozen(kw_only=True)
class RouteParams:
    """Block or mock requests by URL pattern. action: block, mock, list, remove."""

    action: Literal["block", "mock", "list", "remove"]
    url: Glob | None = None
    status: Annotated[int, Meta(ge=100, le=599, description="Of the mocked response.")] = 200
    body: Annotated[str | dict[str, Any] | list[Any], Meta(description="Of the mocked response: text, or JSON.")] = ""
    headers: Annotated[dict[str, str], Meta(description="Of the mocked response.")] = attrs.field(factory=dict)
    id: Annotated[str | None, Meta(description="Route to remove; default: all.")] = None


@command("route", access=Access.FULL, toolset="network", reads_page=False)
async def route(tab: TabContext, params: RouteParams) -> RoutesAnswer:
    """Set, list or remove routes. Mocking changes what a page receives, hence access `full`."""
    routes = tab.page.routes
    done = ""
    if params.action == "remove":
        gone = await routes.remove(params.id)
        done = f"removed {gone}"
    elif params.action in {"block", "mock"}:
        if params.url is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"To {params.action} requests, say which: url is missing.",
                hint="Give a glob such as https://example.com/api/*.",
            )
        made = await (routes.add(params.url) if params.action == "block" else routes.add(params.url, **_mock(params)))
        done = f"{made.id}: {params.action} {params.url}"
    return RoutesAnswer(done=done, routes=[_route_line(each) for each in routes])


def _mock(params: RouteParams) -> dict[str, Any]:
    headers = dict(params.headers)
    if isinstance(params.body, str):
        body = params.body.encode()
        default = "text/plain; charset=utf-8"
    else:
        body = msgspec.json.encode(params.body)
        default = "application/json"
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = default
    return {"status": params.status, "body": body, "headers": headers}


def _route_line(each: Route) -> str:
    what = "block" if each.blocks else f"mock {each.status}"
    return f"{each.id} {what} {each.pattern} hits={each.hits}"
