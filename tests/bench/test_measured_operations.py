"""Operations on a server whose browser is no more than what a page would report."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio_websocket import ConnectionClosed

from bench.peers.adapter import plan
from bench.peers.compare import Bench, Cell, Row, compare
from bench.peers.operations import OPERATIONS, PAGES, Operation
from bench.peers.peer import Peer, started_peer, text_of
from bench.peers.reporting_site import ReportingSite, reporting_site
from bench.peers.sides import McpServer
from bench.timing import SideFailedError

PATIENCE_S = 60.0
CLICK, EVALUATE = (
    next(operation for operation in OPERATIONS if operation.name == name) for name in ("click", "evaluate")
)


def fake(*fault: str) -> list[str]:
    return [sys.executable, "-m", "tests.support.fake_peer", *fault]


@asynccontextmanager
async def one_server(*fault: str) -> AsyncIterator[tuple[McpServer, ReportingSite]]:
    async with reporting_site(PAGES) as site, started_peer(fake(*fault), os.environ) as peer:
        yield McpServer("fake", peer, "tab", PATIENCE_S), site


async def measured(server: McpServer, operation: Operation, site: ReportingSite) -> Cell:
    return (await compare(operation, [server], site, runs=2)).cells[0]


async def test_each_operation_has_its_effect_on_a_sound_server() -> None:
    async with one_server() as (server, site):
        cells = {operation.label: await measured(server, operation, site) for operation in OPERATIONS}
    assert {label: cell.problem or cell.unsupported for label, cell in cells.items()} == dict.fromkeys(cells)
    assert all(cell.effect and cell.median_ms is not None and cell.calls >= 1 for cell in cells.values())
    assert not any(cell.partial for cell in cells.values())


async def test_what_has_no_effect_in_the_page_is_not_taken_for_done() -> None:
    async with one_server("idle", "browser_click") as (server, site):
        cell = await measured(server, CLICK, site)
        assert cell.problem == "no effect: the page saw 0 clicks of 2 calls"
        assert (cell.effect, cell.median_ms, cell.ratio) == (False, None, None)


async def test_a_server_without_the_tool_is_not_measured_and_the_reason_is_given() -> None:
    async with one_server("without", "browser_click") as (server, site):
        cell = await measured(server, CLICK, site)
        assert (cell.unsupported, cell.problem) == ("it has no tool for this", None)
        assert (await measured(server, EVALUATE, site)).effect


async def test_a_tool_that_fails_is_reported_and_the_other_operations_go_on() -> None:
    async with one_server("failing", "browser_click") as (server, site):
        cell = await measured(server, CLICK, site)
        assert cell.problem == "browser_click answered with an error: cannot do that"
        assert (await measured(server, EVALUATE, site)).effect


async def test_a_server_that_ends_is_reported_and_the_others_go_on() -> None:
    async with (
        one_server("ending", "browser_click") as (ending, site),
        started_peer(fake(), os.environ) as sound,
    ):
        others = McpServer("sound", sound, "other", PATIENCE_S)
        rows = [await compare(operation, [ending, others], site, runs=1) for operation in (CLICK, EVALUATE)]
    for row in rows:
        assert re.search("the server exited.*: out of luck", row.cells[0].problem or "")
        assert row.cells[1].effect


async def test_a_call_is_bounded_and_after_one_that_hangs_none_is_made() -> None:
    async with started_peer(fake("hanging", "browser_click"), os.environ) as peer:
        for _ in range(2):  # the second would otherwise wait for its own bound
            with pytest.raises(SideFailedError, match=r"browser_click was not answered within 0\.1 s"):
                await peer.call("browser_click", {"target": "e-go"}, 0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in its file system")
@pytest.mark.parametrize("ends_before", [False, True])
async def test_what_a_server_started_is_ended_with_it(tmp_path: Path, ends_before: bool) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)

    async def until_ended() -> None:
        opened = await trio.to_thread.run_sync(held.open)
        with opened:
            started.set()
            assert await trio.to_thread.run_sync(opened.read) == ""  # nobody holds it any more

    started = trio.Event()
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(until_ended)
            async with started_peer(fake("ending", "browser_click"), {**os.environ, "HELD": str(held)}) as peer:
                await started.wait()
                peer.remember_processes()
                if ends_before:
                    await refused(peer)


async def refused(peer: Peer) -> None:
    with pytest.raises(SideFailedError):
        await peer.call(plan("click", peer.tools).tool, {"target": "e-go"}, PATIENCE_S)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["no-such-program-here"], "no-such-program-here is not a program on the PATH"),
        ([sys.executable, "-c", "raise SystemExit('no browser here')"], "the server exited.*: no browser here"),
        (
            [sys.executable, "-c", 'import os; os.write(1, b\'{"method": "\\xff"}\\n\'); input(); input()'],
            "a message that is not JSON-RPC",
        ),
    ],
)
async def test_a_server_that_does_not_start_says_why(command: list[str], reason: str) -> None:
    with pytest.raises(SideFailedError, match=reason):
        async with started_peer(command, os.environ):
            raise AssertionError("it is not there")


@pytest.mark.parametrize("content", [b"{}", b"null", b"[1]", b'[{"type": "text", "text": "\xff"}]'])
def test_an_answer_that_mcp_does_not_allow_ends_its_server_only(content: bytes) -> None:
    with pytest.raises(SideFailedError, match="an invalid content"):
        text_of(content)


async def test_a_page_that_goes_during_its_handshake_leaves_the_site_to_the_others() -> None:
    async def gone() -> None:
        raise ConnectionClosed(None)

    site = ReportingSite()
    request: Any = SimpleNamespace(path=site.address("/", "tab"), accept=gone)
    await site.serve(request)


def test_a_problem_of_several_operations_is_listed_once() -> None:
    rows = [
        Row(label=label, cells=[Cell(side="peer", problem="it has ended"), Cell(side="kapture", effect=True)])
        for label in ("click", "hover")
    ]
    result = Bench(sides=["raw", "kapture", "peer"], rows=rows)
    assert result.problems("peer") == ["click, hover: it has ended"]
    assert result.problems("kapture") == []
