"""The ASGI application behind the port: admits each request, since a kept-alive connection carries many."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kapture.server.admission import NO_FURTHER_CALLERS, FurtherCallers, Refusal, identify_caller
from kapture.server.connections import TooManyConnectionsError, current_connection
from kapture.server.request_body import awaiting_bodies
from kapture.server.request_head import RequestHead, head_of_request
from kapture.server.routes import HttpRoute, RouteTable


def http_app(
    table: RouteTable,
    port: int,
    on_refused: Callable[[Refusal, RequestHead], None],
    further_callers: FurtherCallers = NO_FURTHER_CALLERS,
) -> ASGIApp:
    """The application for these routes. `on_refused` is called for each refused request."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # WebSockets have connections of their own; Hypercorn sends no lifespan events here.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        head = head_of_request(scope["method"], scope["path"], scope.get("query_string", b""), scope["headers"])
        caller = identify_caller(head, port, further_callers)
        route: HttpRoute | Refusal = caller if isinstance(caller, Refusal) else table.request(head, caller)
        if isinstance(route, Refusal):
            if route.status != 404:
                on_refused(route, head)
            await PlainTextResponse(f"{route.reason}\n", route.status)(scope, receive, send)
        else:
            try:
                await route.app(scope, receive, send)
            except TooManyConnectionsError as error:
                on_refused(Refusal(status=503, reason=error.message), head)
                await PlainTextResponse(f"{error}\n", 503)(scope, receive, send)
            except ClientDisconnect:  # nobody is left to answer
                on_refused(Refusal(status=400, reason="The connection ended in the middle of a request's body."), head)

    async def serve_counted(scope: Scope, receive: Receive, send: Send) -> None:
        with current_connection().serving():
            await serve(scope, receive, send)

    return awaiting_bodies(serve_counted)
