"""A proxy that speaks TLS with its clients and forwards what they say to a port without it, as grids have one."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue

import attrs
import trio


@attrs.frozen
class _Running:
    port: int
    token: trio.lowlevel.TrioToken
    scope: trio.CancelScope


@contextmanager
def tls_proxy(target: int, tls: ssl.SSLContext) -> Iterator[int]:
    """Runs in a thread of its own until the block ends, so that tests may block meanwhile; its port."""
    started = SimpleQueue[_Running]()
    thread = threading.Thread(target=trio.run, args=(_serve, target, tls, started), daemon=True)
    thread.start()
    running = started.get(timeout=30)
    try:
        yield running.port
    finally:
        running.token.run_sync_soon(running.scope.cancel)
        thread.join(30)


async def _serve(target: int, tls: ssl.SSLContext, started: SimpleQueue[_Running]) -> None:
    async with trio.open_nursery() as nursery:
        start = partial(
            trio.serve_ssl_over_tcp, partial(_forward, target), 0, tls, host="127.0.0.1", https_compatible=True
        )
        (listener,) = await nursery.start(start)
        port = listener.transport_listener.socket.getsockname()[1]
        started.put(_Running(port, trio.lowlevel.current_trio_token(), nursery.cancel_scope))


async def _forward(target: int, client: trio.abc.Stream) -> None:
    server = await trio.open_tcp_stream("127.0.0.1", target)
    try:
        async with trio.open_nursery() as nursery:
            for source, sink in ((client, server), (server, client)):
                nursery.start_soon(_pump, source, sink, nursery.cancel_scope)
    finally:
        for end in (client, server):
            await trio.aclose_forcefully(end)


async def _pump(source: trio.abc.Stream, sink: trio.abc.Stream, scope: trio.CancelScope) -> None:
    try:
        async for data in source:
            await sink.send_all(data)
    except trio.BrokenResourceError:
        pass  # as when it ends: also a client that does not trust the certificate
    scope.cancel()
