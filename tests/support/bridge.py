"""`kapture mcp` as an MCP client starts it, forked from a process that has imported it.

Most of its processor time would go into importing, and tests start hundreds. `tests/e2e/test_mcp_bridge.py` starts it
as a program.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import trio
from mcp.shared.message import SessionMessage

from tests.support.forked import ForkedProcess, fork_kapture

_READ_BYTES = 65_536
_LEAVES_S = 2
"""For calls that it still waits for; the client of the MCP SDK gives a server as long."""


@asynccontextmanager
async def bridge(environment: Mapping[str, str], arguments: Sequence[str]) -> AsyncIterator[Any]:
    """The streams of a client of `kapture mcp` with these arguments, a message a line. It ends with the block."""
    process = fork_kapture(["mcp", *arguments], environment, with_stdin=True)
    assert process.stdin is not None
    stdin = trio.lowlevel.FdStream(process.stdin)
    stdout = trio.lowlevel.FdStream(os.dup(process.stdout.fileno()))
    process.stdout.close()
    to_client, from_server = anyio.create_memory_object_stream[Any](0)
    to_server, from_client = anyio.create_memory_object_stream[Any](0)

    async def receive() -> None:
        pending = b""
        async with to_client:
            while data := await stdout.receive_some(_READ_BYTES):
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    message = types.jsonrpc_message_adapter.validate_json(line)
                    try:
                        await to_client.send(SessionMessage(message))
                    except anyio.BrokenResourceError:
                        return  # the client has gone

    async def send() -> None:
        async with from_client:
            async for item in from_client:
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await stdin.send_all(line.encode() + b"\n")
                except trio.BrokenResourceError:
                    return  # the bridge has gone: `receive` ends as well

    try:
        async with stdin, stdout, trio.open_nursery() as nursery:
            nursery.start_soon(receive)
            nursery.start_soon(send)
            yield from_server, to_server
            nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(_end, process)


def _end(process: ForkedProcess) -> None:
    for stop in (process.terminate, process.kill):
        try:
            process.wait(_LEAVES_S)
        except subprocess.TimeoutExpired:
            stop()
    process.wait()
