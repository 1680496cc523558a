"""The ASGI application behind the port: admits each request, since a kept-alive connection carries many."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kapture.server.admission import NO_FURTHER_CALLERS, FurtherCallers, Refusal, identify_caller
from kapture.server.authentication import Gate
from kapture.server.connections import TooManyConnectionsError, current_connection
from kapture.server.request_body import awaiting_bodies
from kapture.server.request_head import head_of_request
from kapture.server.routes import HttpRoute, RouteTable


def http_app(
    table: RouteTable,
    port: int,
    gate: Gate,
    further_callers: FurtherCallers = NO_FURTHER_CALLERS,
) -> ASGIApp:
    """The application for these routes. `gate` admits requests, and records those that are refused."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # WebSockets have connections of their own; Hypercorn sends no lifespan events here.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        head = head_of_request(scope["method"], scope["path"], scope.get("query_string", b""), scope["headers"])
        caller = identify_caller(head, port, further_callers)
        route = caller if isinstance(caller, Refusal) else table.request(head, caller)
        try:
            if isinstance(route, HttpRoute):
                assert not isinstance(caller, Refusal)  # noqa: S101  or there is no route
                if (refusal := gate.http(route.door, head, caller)) is None:
                    await route.app(scope, receive, send)
                    return
                route = refusal
        except TooManyConnectionsError as error:
            route = Refusal(status=503, reason=str(error))
        except ClientDisconnect:  # nobody is left to answer
            gate.on_refused(Refusal(status=400, reason="The connection ended in the middle of a request's body."), head)
            return
        if route.status != 404:
            gate.on_refused(route, head)
        headers = {"WWW-Authenticate": 'Bearer realm="kapture"'} if route.status == 401 else {}
        await PlainTextResponse(f"{route.reason}\n", route.status, headers)(scope, receive, send)

    async def serve_counted(scope: Scope, receive: Receive, send: Send) -> None:
        with current_connection().serving():
            await serve(scope, receive, send)

    return awaiting_bodies(serve_counted)
