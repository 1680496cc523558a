"""Relay extensions: WebSockets at `/ws/browser-relay?token=…`, and `/api/browser-relay/config`, which reports both.

The paths, and the token in the URL, are the Alma browser relay's. The token is made for this alone, gives access to
nothing else, and is never logged.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.backends.relay.relay_browser import KnownRelays, RelayBrowser, RelayTabInfo, new_relay_token, read_tabs
from kapture.hub import Hub
from kapture.hub.consent import EVERYTHING
from kapture.hub.sockets import close_socket
from kapture.hub.tab_registration import serve_direct_tab
from kapture.pairing.proof import same
from kapture.split_url import split_url
from kapture.wire.codec import decode_json

_FIRST_LIST_S = 5.0
_FIRST_LIST = json.dumps({"id": "first", "method": "tabs.list", "params": {}})


class RelayEndpoint:
    """Serves the relay extensions of one hub. `port` is the port that they are told to connect to."""

    def __init__(self, hub: Hub, port: int) -> None:
        self._hub = hub
        self._port = port
        self._token = hub.state.settings.relay_token or new_relay_token()
        self._known = KnownRelays()
        self._connected: list[RelayBrowser] = []

    def config(self) -> bytes:
        """The configuration, as JSON."""
        return msgspec.json.encode({"port": self._port, "token": self._token})

    def allowed(self, target: str) -> bool:
        """Whether a request's target has the right token, compared in constant time."""
        tokens = parse_qs(split_url(target).query).get("token", [])
        return len(tokens) == 1 and same(self._token, tokens[0])

    async def open_tab(self) -> str | None:
        """Open an empty tab in a connected browser; returns its id, or None when no browser is connected."""
        for browser in reversed(self._connected):
            return await browser.open_tab("about:blank", active=False)
        return None

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one extension, whose token has been checked, until its socket closes."""
        socket = await request.accept()
        try:
            first = await _first_list(socket)
        except (ConnectionClosed, trio.TooSlowError):
            await close_socket(socket, 1008, "no answer to tabs.list")
            return
        tabs = self._known.find(first)
        tabs.in_use = True
        limits = self._hub.state.settings.limits
        browser = RelayBrowser(
            socket,
            tabs,
            folder=self._hub.state.settings.home / "browsers" / "fetched",
            limit_bytes=limits.buffered_bytes,
            open_page=self._hub.state.open_page,
            room=lambda: self._hub.state.router.room,
            serve=lambda tab: serve_direct_tab(self._hub.state, tab, kind="relay", grant=EVERYTHING),
        )
        self._connected.append(browser)
        try:
            await browser.run()
        finally:
            self._connected.remove(browser)
            tabs.in_use = False


async def _first_list(socket: WebSocketConnection) -> list[RelayTabInfo]:
    """The browser's tabs, by which a browser is recognised whose extension's worker was restarted."""
    with trio.fail_after(_FIRST_LIST_S):
        await socket.send_message(_FIRST_LIST)
        async for message in _messages(socket):
            if message.get("id") == "first":
                return read_tabs(message.get("result"))
    return []


async def _messages(socket: WebSocketConnection) -> AsyncIterator[dict[str, object]]:
    while True:
        try:
            message = decode_json(await socket.get_message())
        except (msgspec.MsgspecError, RecursionError):
            continue
        if isinstance(message, dict):
            yield message
