"""A TCP proxy with the faults of a network, chosen by a seed: the same seed does the same to the same bytes."""

from __future__ import annotations

import random
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import attrs
import trio
import trio.lowlevel

_CHANCES = {"delay": 6, "split": 6, "duplicate": 1, "truncate": 1, "stall": 1, "reset": 1}
_ENDS = frozenset({"truncate", "stall", "reset"})
_READ_BYTES = 65_536
_MOST_DELAY_S = 0.02
_LINGER = struct.pack("ii", 1, 0)  # close() sends RST


@attrs.define(eq=False)
class FaultyProxy:
    """Forwards `port` to another port. Each chunk that passes meets a fault with the chance `rate`.

    `injected` counts the faults by their names.
    """

    port: int
    rate: float
    injected: Counter[str] = attrs.field(factory=Counter)
    _random: random.Random = attrs.field(factory=random.Random)

    async def serve(self, client: trio.SocketStream, target: int) -> None:
        """One connection, to its end."""
        with suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            async with await trio.open_tcp_stream("127.0.0.1", target) as server, trio.open_nursery() as nursery:
                chosen = random.Random(self._random.random())
                end = partial(self._pump, nursery.cancel_scope, chosen)
                nursery.start_soon(end, client, server)
                nursery.start_soon(end, server, client)

    async def _pump(
        self, scope: trio.CancelScope, chosen: random.Random, source: trio.SocketStream, sink: trio.SocketStream
    ) -> None:
        with suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            while data := await source.receive_some(_READ_BYTES):
                fault = ""
                if chosen.random() < self.rate:
                    (fault,) = chosen.choices(list(_CHANCES), list(_CHANCES.values()))
                if fault:
                    self.injected[fault] += 1
                await self._pass(fault, chosen, bytes(data), source, sink)
                if fault in _ENDS:
                    break
        scope.cancel()

    async def _pass(
        self, fault: str, chosen: random.Random, data: bytes, source: trio.SocketStream, sink: trio.SocketStream
    ) -> None:
        match fault:
            case "delay":
                await trio.sleep(chosen.uniform(0, _MOST_DELAY_S))
                await sink.send_all(data)
            case "split":
                middle = chosen.randrange(len(data) + 1)
                await sink.send_all(data[:middle])
                await trio.lowlevel.checkpoint()
                await sink.send_all(data[middle:])
            case "duplicate":
                await sink.send_all(data + data)
            case "truncate":
                await sink.send_all(data[: chosen.randrange(len(data))])
            case "stall":  # half-open: both ends believe that they are connected
                await trio.sleep_forever()
            case "reset":
                for stream in (source, sink):
                    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
            case _:
                await sink.send_all(data)


@asynccontextmanager
async def faulty_proxy(target: int, *, seed: int, rate: float = 0.1) -> AsyncIterator[FaultyProxy]:
    """A proxy to this port, until the block ends."""
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        proxy = FaultyProxy(listeners[0].socket.getsockname()[1], rate, random=random.Random(seed))
        nursery.start_soon(trio.serve_listeners, partial(_serve, proxy, target), listeners)
        yield proxy
        nursery.cancel_scope.cancel()


async def _serve(proxy: FaultyProxy, target: int, client: trio.SocketStream) -> None:
    await proxy.serve(client, target)
    await trio.aclose_forcefully(client)
