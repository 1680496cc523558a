"""The official Python client over each of the hub's transports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import trio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.message import SessionMessage
from trio_websocket import ConnectionClosed, open_websocket_url

from kapture.pairing import key_file
from tests.support.stack import HubProcess, mcp_client

TRANSPORTS = ["stdio", "websocket", "http"]
ERAS = ["legacy", "2026-07-28"]
PAIRS = [("stdio", "2026-07-28"), ("websocket", "legacy"), ("http", "legacy"), ("http", "2026-07-28")]
"""Each transport and each era; over HTTP, where sessions differ, both."""


@asynccontextmanager
async def websocket_transport(hub: HubProcess, query: str = "") -> AsyncIterator[Any]:
    """The streams of a WebSocket to `/mcp`: the SDK has no transport of its own for it."""
    token = key_file.read(hub.home).clientToken
    async with open_websocket_url(
        f"ws://127.0.0.1:{hub.port}/mcp?{query}",
        subprotocols=["mcp"],
        extra_headers=[(b"Authorization", f"Bearer {token}".encode())],
        max_message_size=64 * 1024 * 1024,
    ) as socket:
        to_client, from_server = anyio.create_memory_object_stream[Any](0)
        to_server, from_client = anyio.create_memory_object_stream[Any](0)

        async def receive() -> None:
            async with to_client:
                while True:
                    try:
                        text = await socket.get_message()
                        await to_client.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text)))
                    except (ConnectionClosed, anyio.BrokenResourceError):
                        return  # one end has gone

        async def send() -> None:
            async for item in from_client:
                await socket.send_message(item.message.model_dump_json(by_alias=True, exclude_unset=True))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(receive)
            nursery.start_soon(send)
            yield from_server, to_server
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def http_client(hub: HubProcess, query: str = "", **options: Any) -> AsyncIterator[Client]:
    """The client over Streamable HTTP."""
    token = key_file.read(hub.home).clientToken
    listens = trio.Event()

    async def answered(response: httpx2.Response) -> None:
        if response.request.method == "GET":  # a session that has ended by then refuses it
            listens.set()

    async with create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http:
        http.event_hooks = {"response": [answered]}
        url = f"http://127.0.0.1:{hub.port}/mcp" + (f"?{query}" if query else "")
        async with Client(streamable_http_client(url, http_client=http), **options) as client:
            if options.get("mode") == "legacy":  # its client opens the stream of notifications by the way
                with trio.fail_after(30):
                    await listens.wait()
            yield client


def connect(
    transport: str, hub: HubProcess, *, toolsets: str = "core,tabs", **options: Any
) -> AbstractAsyncContextManager[Client]:
    """The client over the transport of this name."""
    if transport == "stdio":
        return mcp_client(hub, "--toolsets", toolsets, **options)
    if transport == "http":
        return http_client(hub, f"toolsets={toolsets}", **options)
    return Client(websocket_transport(hub, f"toolsets={toolsets}"), **options)
