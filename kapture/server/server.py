"""A hub on its port: composes the hub, MCP and the pages, and decides who may use which path."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import attrs
import trio
from trio_websocket import WebSocketRequest

from kapture.commands.core.described import described_commands
from kapture.endpoints.browsers import BrowsersEndpoint
from kapture.endpoints.console import Checks, ConsoleEndpoint
from kapture.endpoints.grants import GrantsEndpoint
from kapture.endpoints.proven_socket import accept_with_proof
from kapture.endpoints.relay import RelayEndpoint
from kapture.endpoints.release import ReleaseEndpoint, RotateKeyEndpoint
from kapture.errors import ErrorCode, KaptureError
from kapture.group.group import joined
from kapture.hub import Credentials, Hub
from kapture.hub.sockets import Secrets
from kapture.mcp.endpoint import Known, McpEndpoint, mcp_endpoint
from kapture.pairing import Pairing
from kapture.pairing.access import Caller, Door, Who
from kapture.policy.audit import AuditLog
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.library import Library
from kapture.scenarios.record.recorder import Recorder
from kapture.scenarios.record.recorder_widgets import RecorderWidgets
from kapture.scenarios.secrets.secret_store import SecretStore
from kapture.server.admission import FurtherCallers, Refusal
from kapture.server.authentication import AuthenticatingRequest, Gate
from kapture.server.endpoint_routes import cdp_routes, relay_routes
from kapture.server.listener import Listener, open_port
from kapture.server.request_head import RequestHead
from kapture.server.routes import HttpRoute, RouteTable, ServeWebSocket, Upgrade, WebSocketRoute
from kapture.server.shares import Shares
from kapture.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


async def _no_checks(status: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return []


def route_table(
    hub: Hub, mcp: McpEndpoint, checks: Checks = _no_checks, rotate_key: Callable[[], None] = lambda: None
) -> RouteTable:
    """Every path of the port. The first route that matches a path is used."""
    html = _pages()
    live = ConsoleEndpoint(hub, checks=checks, commands=described_commands)
    own = RouteTable(
        websockets=[
            WebSocketRoute(Door.TAB, _tabs(hub)),
            WebSocketRoute(Door.MCP, _mcp(mcp)),
            WebSocketRoute(Door.BROWSERS, _request(BrowsersEndpoint(hub).serve)),
            WebSocketRoute(Door.ROTATE_KEY, _request(RotateKeyEndpoint(hub, rotate_key).serve)),
            WebSocketRoute(Door.SHARE, Shares(hub, mcp, make_listener).serve),
            WebSocketRoute(Door.RELEASE, _request(ReleaseEndpoint(hub).serve)),
            WebSocketRoute(Door.GRANTS, _request(GrantsEndpoint(hub).serve)),
            WebSocketRoute(Door.LIVE, _request(live.serve)),
        ],
        http=[
            HttpRoute(Door.MCP, mcp.serve_http),
            HttpRoute(Door.HOME, html),
            HttpRoute(Door.HEALTH, html),
            HttpRoute(Door.CONSOLE, html),
        ],
    )
    return own.with_routes(cdp_routes(hub))


def _request(serve: Callable[[WebSocketRequest], Awaitable[None]]) -> ServeWebSocket:
    return lambda upgrade: serve(upgrade.request)


def _mcp(mcp: McpEndpoint) -> ServeWebSocket:
    async def serve(upgrade: Upgrade) -> None:
        request = upgrade.request

        def known() -> Known:
            if isinstance(request, AuthenticatingRequest):
                return Known(console=request.who is Who.SESSION, session=request.session)
            return Known(console=upgrade.who is Who.SESSION)

        await mcp.serve_websocket(request, known)

    return serve


def _tabs(hub: Hub) -> ServeWebSocket:
    """Serve tabs of the extension, and tabs that execute commands themselves. A bearer token has been checked."""

    async def serve(upgrade: Upgrade) -> None:
        if (socket := await accept_with_proof(upgrade.request, hub)) is not None:
            credentials = Credentials(extension=upgrade.caller is Caller.EXTENSION, token=upgrade.who is Who.CLIENT)
            await hub.serve_tab(socket, credentials, on_admitted=upgrade.connection.prove)

    return serve


def _pages() -> ASGIApp:
    """The pages: made in a thread for the first request, because they are slow to import."""
    app: ASGIApp | None = None

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal app
        if app is None:
            app = await trio.to_thread.run_sync(_import_pages)
        await app(scope, receive, send)

    return serve


def _import_pages() -> ASGIApp:
    from kapture.server.pages import pages

    return pages()


@attrs.frozen
class Server:
    """A running hub on its port."""

    hub: Hub
    pairing: Pairing
    listener: Listener

    def rotate_key(self) -> None:
        """Make new secrets and close every connection: none is authenticated any more.

        `UNAUTHORIZED`, with nothing changed, if they cannot be written to the data folder.
        """
        self.pairing.rotate()
        self.listener.drop_all()
        self.hub.state.records.key_rotated()


@asynccontextmanager
async def open_server(
    settings: Settings, listeners: list[trio.SocketListener], *, checks: Checks = _no_checks
) -> AsyncIterator[Server]:
    """Serve a hub on these listeners, which have the port `settings.port`. Everything ends with the block.

    `checks` are those of `kapture doctor`, which the Console shows.

    The caller writes the key file once it handles signals, and removes it at the end.
    """
    pairing = Pairing(settings.home)
    recorder = Recorder(
        ScenarioFolder(settings.home),
        SecretStore(settings.home),
        lambda tab_id, title, detail: hub.confirm(tab_id, title, detail),
    )
    widgets = RecorderWidgets(recorder)
    async with (
        AuditLog.open(settings.home) as audit,
        Hub.open(
            settings,
            pairing=pairing,
            audit=audit,
            open_page=widgets.open_page,
            recorder=recorder,
            scenarios=Library(settings.home),
        ) as hub,
        joined(hub, settings),
        mcp_endpoint(hub, port=settings.port, prove=pairing.client_proof) as mcp,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(widgets.follow_tabs, hub)
        table = route_table(hub, mcp, checks, lambda: server.rotate_key())
        relay_allowed = None
        if settings.relay:
            relay = RelayEndpoint(hub, settings.relay_port or settings.port)
            relay_allowed = relay.allowed
            hub.choice.open_in_relay = relay.open_tab
            if settings.relay_port:
                own = make_listener(hub, relay_routes(relay), port=settings.relay_port, relay_allowed=relay_allowed)
                nursery.start_soon(own.serve, await _relay_port(settings.relay_port))
            else:
                table = table.with_routes(relay_routes(relay))
        listener = make_listener(hub, table, port=settings.port, relay_allowed=relay_allowed)
        server = Server(hub, pairing, listener)
        nursery.start_soon(listener.serve, listeners)
        yield server
        nursery.cancel_scope.cancel()


async def _relay_port(port: int) -> list[trio.SocketListener]:
    try:
        return await open_port(port)
    except OSError as error:
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            f"The relay's port {port} cannot be used: {error.strerror or error}.",
            hint="Stop the program that uses it, or set RELAY_PORT to another port.",
        ) from error


_MOST_OF_A_SHARE, _MOST_UNPROVEN_OF_A_SHARE = 128, 32


def make_listener(
    hub: Hub,
    table: RouteTable,
    *,
    port: int,
    relay_allowed: Callable[[str], bool] | None = None,
    secrets: Secrets | None = None,
) -> Listener:
    """The listener for one of the hub's ports. `relay_allowed`: see `Gate`. `secrets`: of a share, where only they
    admit anybody."""
    records, settings = hub.state.records, hub.state.settings
    if secrets is not None:  # it gets only a part of the files that the hub may have open
        most = min(settings.limits.connections, _MOST_OF_A_SHARE)
        limits = attrs.evolve(settings.limits, connections=most, unproven_connections=_MOST_UNPROVEN_OF_A_SHARE)
        settings = attrs.evolve(settings, no_pairing=False, limits=limits)

    def record_refusal(refusal: Refusal, head: RequestHead) -> None:
        records.connection_refused(refusal.reason, path=head.path, origin=head.one(b"origin"))

    return Listener(
        table,
        port=port,
        limits=settings.limits,
        gate=Gate(secrets or hub.state.pairing, settings, record_refusal, relay_allowed or (lambda _: False)),
        further_callers=FurtherCallers(
            origins=frozenset(settings.allow_origins),
            extensions=settings.relay,
            own_ids=settings.extension_ids,
        ),
    )
