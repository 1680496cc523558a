"""WebSockets at `/browsers`: a program has the hub launch a browser, or attach to one, for as long as it is connected.

The messages are in `kapture.wire.browsers`. Only holders of the key are admitted; what is granted is what the
person wrote on the program's command line.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.backends.chromium.endpoint import Endpoint
from kapture.backends.chromium.target import KnownTarget, TabIds
from kapture.changed import Changed
from kapture.endpoints.proven_socket import send, serve_program
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Hub
from kapture.hub.browsers import LaunchOptions
from kapture.hub.narrowings import CommandLineGrants
from kapture.policy import Grant
from kapture.wire import browsers as wire
from kapture.wire.messages import WireGrant

_DECODER: msgspec.json.Decoder[wire.FromProgram] = msgspec.json.Decoder(wire.FromProgram)


class BrowsersEndpoint:
    """Serves the programs that connect to one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one authenticated program until it closes the socket or its browser has ended."""
        await serve_program(request, self._hub, _DECODER, self._fulfil)

    async def _fulfil(self, socket: WebSocketConnection, wanted: wire.FromProgram) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_until_closed, socket, nursery.cancel_scope)
            grant = Grant.make(wanted.grant.sites, wanted.grant.level)
            if wanted.group and self._hub.state.group.elsewhere is None:
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    "The hub is in no group whose agents could use these tabs.",
                    hint="Leave out --group, or run `kapture stop` and then `kapture serve --join URL`.",
                )
            if isinstance(wanted, wire.Launch):
                await self._launch(socket, wanted, grant)
            else:
                await self._attach(socket, wanted, grant)
            nursery.cancel_scope.cancel()

    async def _launch(self, socket: WebSocketConnection, wanted: wire.Launch, grant: Grant) -> None:
        options = LaunchOptions(
            headless=wanted.headless,
            browser=wanted.browser,
            profile=wanted.profile,
            urls=wanted.urls,
            extra=wanted.extra,
            environment=wanted.environment,
        )
        async with self._hub.browsers.launched(options, grant, for_group=wanted.group) as opened:
            await send(socket, self._connected(opened.tab_ids, opened.problems))
            await opened.ended.wait()
        raise KaptureError(ErrorCode.NO_BACKEND, "The browser has ended.")

    async def _attach(self, socket: WebSocketConnection, wanted: wire.Attach, grant: Grant) -> None:
        outgoing, messages = trio.open_memory_channel[wire.FromHub](16)

        def offer(message: wire.FromHub) -> None:
            try:
                outgoing.send_nowait(message)
            except trio.WouldBlock:
                return  # a program that does not read misses messages

        async def write() -> None:
            async for message in messages:
                await send(socket, message)

        ids, narrowed = _known(wanted.kept), self._hub.state.command_line_grants
        for tab in () if wanted.kept is None else wanted.kept.tabs:
            if tab.grant is not None:
                narrowed.keep(tab.tab_id, Grant.make(tab.grant.sites, tab.grant.level))

        async def keep(changed: Changed) -> None:
            while True:
                upcoming = changed.upcoming
                await send(socket, _kept(ids, narrowed))
                await upcoming.wait()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            nursery.start_soon(keep, ids.changed)
            nursery.start_soon(keep, narrowed.changed)
            await self._hub.browsers.attach(
                Endpoint(wanted.endpoint, wanted.headers, wanted.certificates),
                grant,
                ids,
                on_connected=lambda tab_ids: offer(self._connected(tab_ids)),
                on_lost=lambda error, pause_ms: offer(wire.Lost(error.message, pause_ms)),
                for_group=wanted.group,
            )

    def _connected(self, tab_ids: Sequence[str], problems: Sequence[str] = ()) -> wire.Connected:
        rows = {row["tabId"]: dict(row) for row in self._hub.tab_rows()}
        return wire.Connected([rows[tab_id] for tab_id in tab_ids if tab_id in rows], list(problems))


def _known(kept: wire.Kept | None) -> TabIds:
    if kept is None:
        return TabIds()
    return TabIds(
        kept.owner,
        [
            KnownTarget(target_id=tab.target, tab_id=tab.tab_id, opened=tab.opened, let_go=tab.let_go)
            for tab in kept.tabs
        ],
    )


def _kept(ids: TabIds, narrowed: CommandLineGrants) -> wire.Kept:
    tabs = []
    for one in ids.known:
        left = narrowed.left(one.tab_id)
        grant = None if left is None else msgspec.convert(left.to_json(), WireGrant)
        tabs.append(wire.KeptTab(one.target_id, one.tab_id, one.opened, one.let_go, grant))
    return wire.Kept(ids.owner, tabs)


async def _until_closed(socket: WebSocketConnection, scope: trio.CancelScope) -> None:
    try:
        while True:
            await socket.get_message()
    except ConnectionClosed:
        scope.cancel()
