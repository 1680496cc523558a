"""The least that a bridge and a hub can be: two processes that pass lines on to a worker, and look at nothing.

`python -m bench.least_chain hub` prints the port on which it waits for the worker and for one bridge;
`python -m bench.least_chain bridge PORT` passes on the lines of its standard input, and the answers back.
"""

from __future__ import annotations

import sys
from functools import partial

import trio

from bench.least_worker import WorkerSocket, upgraded

_READ_BYTES = 65_536


class Lines:
    """Lines of a stream."""

    def __init__(self, stream: trio.abc.ReceiveStream, received: bytes = b"") -> None:
        self._stream = stream
        self._received = received

    async def next(self) -> bytes:
        """The next line, with its end; b"" at the end of the stream."""
        while b"\n" not in self._received:
            if not (data := await self._stream.receive_some(_READ_BYTES)):
                return b""
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        return line + b"\n"


async def _hub() -> None:
    workers: list[WorkerSocket] = []
    connected = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        first = bytes(await stream.receive_some(_READ_BYTES))
        if first.startswith(b"GET "):
            if (worker := await upgraded(stream, first)) is not None:
                workers.append(worker)
                connected.set()
                await trio.sleep_forever()
        elif first:
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
            lines = Lines(stream, first)
            await connected.wait()
            while line := await lines.next():
                await stream.send_all(await workers[0].ask(line.rstrip()) + b"\n")

    async with trio.open_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        print(listener.socket.getsockname()[1], flush=True)


async def _bridge(port: int) -> None:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    theirs, answers = Lines(trio.lowlevel.FdStream(0)), Lines(stream)
    out = trio.lowlevel.FdStream(1)
    while line := await theirs.next():
        await stream.send_all(line)
        await out.send_all(await answers.next())


if __name__ == "__main__":
    if sys.argv[1] == "hub":
        trio.run(_hub)
    else:
        trio.run(_bridge, int(sys.argv[2]))
