"""Runs any MCP server over stdio, with a timeout for each call, and ends it with all processes that it started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, Any, TypeVar

import msgspec
import trio

from bench.mcp_client import Lines, McpClient
from bench.peers.adapter import Tool
from bench.process_tree import Running, descendants, kill
from bench.timing import SideFailedError
from kapture.background import running_beside

START_S = 120.0
"""The timeout of the handshake: `npx` may have to download the server first."""
_LEAVES_S = 5.0
_PAGES = 100
_SHOWN = 300


class _Result(msgspec.Struct):
    isError: bool = False  # noqa: N815  as MCP spells it
    content: msgspec.Raw = msgspec.Raw(b"[]")


class _Listed(msgspec.Struct):
    name: str
    inputSchema: dict[str, Any] = {}  # noqa: N815


class _List(msgspec.Struct):
    tools: list[_Listed]
    nextCursor: str | None = None  # noqa: N815


class _Part(msgspec.Struct):
    type: str = ""
    text: str = ""


_Kind = TypeVar("_Kind", _Result, _List)


def text_of(content: bytes) -> str:
    """The text of an answer's content; `SideFailedError` if it is none that MCP allows."""
    try:
        parts = msgspec.json.decode(content, type=list[_Part])
    except (ValueError, RecursionError) as error:
        raise SideFailedError(f"the server sent an invalid content: {error}") from error
    return "\n".join(part.text for part in parts if part.type == "text")


class Peer:
    """A running server. A failed call raises `SideFailedError`; after a timeout all further calls do."""

    def __init__(self, process: trio.Process, log: IO[bytes]) -> None:
        self.tools: list[Tool] = []
        self._process = process
        self._client = McpClient(Lines(process))
        self._log = log
        self._gone: str | None = None
        self._waiting: trio.CancelScope | None = None
        self._started: set[Running] = set()

    async def read(self) -> None:
        """Pass answers to their calls until the server exits. Its children may keep its output open for longer."""
        async with running_beside(self._read_answers):
            await self._process.wait()
        self._fail(f"the server exited{self._stderr_end()}")

    async def _read_answers(self) -> None:
        try:
            await self._client.read()
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            self._fail(f"the server exited{self._stderr_end()}")
        except (ValueError, RecursionError) as error:  # of msgspec, and of text that is not UTF-8
            self._fail(f"the server sent a message that is not JSON-RPC: {error}")

    def _fail(self, reason: str) -> None:
        """Fail the current call and all further ones, for this reason."""
        self._gone = self._gone or reason
        if self._waiting is not None:
            self._waiting.cancel()

    async def begin(self) -> None:
        """Do the handshake and get the list of tools."""
        await self._bounded("initialize", START_S, self._client.initialize)
        params: dict[str, str] = {}
        for _ in range(_PAGES):
            listed = await self._request("tools/list", params, START_S, _List)
            self.tools += [Tool(tool.name, tool.inputSchema) for tool in listed.tools]
            if not listed.nextCursor:
                return
            params = {"cursor": listed.nextCursor}

    async def call(self, tool: str, arguments: Mapping[str, Any], timeout_s: float) -> bytes:
        """Call a tool; returns the content of its answer, as JSON."""
        params = {"name": tool, "arguments": arguments}
        result = await self._request("tools/call", params, timeout_s, _Result, tool)
        if result.isError:
            raise SideFailedError(f"{tool} answered with an error: {text_of(result.content)[:_SHOWN]}")
        return bytes(result.content)

    def remember_processes(self) -> None:
        """Note the current descendants, which `end` kills even if the server has exited before."""
        self._started.update(descendants(self._process.pid))

    async def end(self) -> None:
        """Shut the server down as MCP specifies (close its input, then signals), and kill its descendants."""
        self._gone = "the server was shut down"
        self.remember_processes()
        if sys.platform == "win32":
            end = ["taskkill", "/T", "/F", "/PID", str(self._process.pid)]
            await trio.run_process(end, capture_stdout=True, capture_stderr=True, check=False)
        if self._process.stdin is not None:
            await self._process.stdin.aclose()
        for signal_it in (self._process.terminate, self._process.kill):
            with trio.move_on_after(_LEAVES_S):
                await self._process.wait()
            self.remember_processes()
            signal_it()
        await self._process.wait()
        if self._process.stdout is not None:
            await self._process.stdout.aclose()
        kill(self._started)

    async def _request(
        self, method: str, params: Mapping[str, Any], timeout_s: float, kind: type[_Kind], what: str = ""
    ) -> _Kind:
        answer = await self._bounded(what or method, timeout_s, lambda: self._client.request(method, params))
        try:
            return msgspec.json.decode(answer, type=kind)
        except (ValueError, RecursionError) as error:
            raise SideFailedError(f"{what or method} returned an invalid MCP result: {error}") from error

    async def _bounded(self, what: str, timeout_s: float, request: Callable[[], Awaitable[Any]]) -> Any:
        if self._gone is None:
            with trio.move_on_after(timeout_s) as self._waiting:
                try:
                    return await request()
                except (trio.ClosedResourceError, trio.BrokenResourceError):
                    self._fail(f"the server exited{self._stderr_end()}")
                except RuntimeError as error:  # an error of JSON-RPC
                    raise SideFailedError(str(error)[:_SHOWN]) from error
            self._gone = self._gone or f"{what} was not answered within {timeout_s:g} s"
        raise SideFailedError(self._gone)

    def _stderr_end(self) -> str:
        """The end of the server's standard error, to append to a reason."""
        self._log.seek(0)
        written = self._log.read().decode(errors="replace").strip()[-_SHOWN:]
        return f", with this on its standard error: {written}" if written else ""


@asynccontextmanager
async def started_peer(command: Sequence[str], environment: Mapping[str, str]) -> AsyncIterator[Peer]:
    """Start a server over stdio, for the duration of the block; `SideFailedError` if that fails."""
    program = shutil.which(command[0], path=environment.get("PATH"))
    if program is None:
        raise SideFailedError(f"{command[0]} is not a program on the PATH")
    with tempfile.TemporaryFile("a+b") as log:
        process = await trio.lowlevel.open_process(
            [program, *command[1:]],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=os.name == "posix",  # Ctrl-C interrupts us only, and we shut it down
        )
        peer = Peer(process, log)
        try:
            async with running_beside(peer.read):
                await peer.begin()
                yield peer
        finally:
            with trio.CancelScope(shield=True):
                await peer.end()
