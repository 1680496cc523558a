from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import pytest
import trio
from mcp import Client

from kapture.mcp.options import Options
from kapture.mcp.session import open_session
from tests.support.fake_hub import FakeHub


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def connect(hub: FakeHub) -> Connect:
    """An official client over a pair of streams in memory."""

    @asynccontextmanager
    async def open_client(options: Options | None = None, **settings: Any) -> AsyncIterator[Client]:
        @asynccontextmanager
        async def transport() -> AsyncIterator[Any]:
            to_server, from_client = anyio.create_memory_object_stream[Any](0)
            to_client, from_server = anyio.create_memory_object_stream[Any](0)
            async with (
                open_session(hub, options or Options(), "websocket") as session,  # type: ignore[arg-type]
                trio.open_nursery() as nursery,
            ):
                nursery.start_soon(
                    session.server.run, from_client, to_client, session.server.create_initialization_options()
                )
                yield from_server, to_server
                nursery.cancel_scope.cancel()

        async with Client(transport(), **settings) as client:
            yield client

    return open_client
