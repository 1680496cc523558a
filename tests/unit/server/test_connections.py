"""How many connections there may be, and which one goes when there are too many."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.server.connections import Connection, Connections, TooManyConnectionsError, current_connection
from kapture.settings import Limits

LIMITS = Limits(connections=3, unproven_connections=2, unproven_idle_ms=5_000)


class Port:
    """Connections that stay open until they are closed from either side."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.connections = Connections(LIMITS)
        self.ended: list[str] = []
        self._nursery = nursery

    async def connect(self, name: str, *, proven: bool = False, serving: bool = False) -> Connection:
        connection: Connection = await self._nursery.start(self._serve, name)
        if proven:
            connection.prove()
        if serving:
            self._nursery.start_soon(self._request, connection)
        await wait_all_tasks_blocked()
        return connection

    async def _serve(self, name: str, *, task_status: trio.TaskStatus[Connection]) -> None:
        with self.connections.open() as connection:
            task_status.started(connection)
            await trio.sleep_forever()
        self.ended.append(name)

    async def _request(self, connection: Connection) -> None:
        with connection.serving():
            await trio.sleep_forever()


async def test_a_new_unproven_connection_replaces_the_oldest(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        for name in ("a", "b", "c", "d"):
            await port.connect(name)
        assert port.ended == ["a", "b"]
        assert len(port.connections) == 2
        nursery.cancel_scope.cancel()


async def test_no_number_of_unproven_connections_ends_a_proven_one(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        await port.connect("client", proven=True)
        for number in range(20):
            await port.connect(f"{number}")
        await port.connect("another client", proven=True)
        assert {"client", "another client"}.isdisjoint(port.ended)
        nursery.cancel_scope.cancel()


async def test_an_unproven_connection_that_serves_nothing_for_5_s_ends(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        idle, client = await port.connect("idle"), await port.connect("client")
        with idle.serving(), client.serving():
            await trio.sleep(60)  # a request may take longer
        client.prove()
        await trio.sleep(4.9)
        assert port.ended == []
        await trio.sleep(0.2)
        assert port.ended == ["idle"]
        await trio.sleep(3_600)
        assert port.ended == ["idle"], "a proven one may be idle"
        nursery.cancel_scope.cancel()


async def test_the_newest_proven_connection_gets_in_in_the_place_of_an_idle_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        await port.connect("busy", proven=True, serving=True)
        for name in ("b", "c", "d"):
            await port.connect(name, proven=True)
        assert port.ended == ["b"]
        nursery.cancel_scope.cancel()


async def test_a_proven_connection_too_many_ends_when_none_is_idle(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        for name in ("a", "b", "c"):
            await port.connect(name, proven=True, serving=True)
        more = await port.connect("d")
        with pytest.raises(TooManyConnectionsError) as failure:
            more.prove()
        assert failure.value.message == "The hub has 3 connections, as many as max_connections allows."
        assert "--max-connections" in failure.value.hint
        assert "KAPTURE_MAX_CONNECTIONS" in failure.value.hint
        assert port.ended == [], "it is told first"
        await trio.sleep(2)
        assert port.ended == ["d"]
        nursery.cancel_scope.cancel()


async def test_a_connection_too_many_that_asks_again_is_refused_again_and_counted(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        for name in ("a", "b", "c"):
            await port.connect(name, proven=True, serving=True)
        more = await port.connect("d")
        for _ in range(2):  # two requests over one connection
            with more.serving(), pytest.raises(TooManyConnectionsError):
                more.prove()
        assert not more.proven
        assert len(port.connections) == 4
        await trio.sleep(6)
        assert port.ended == ["d"]
        nursery.cancel_scope.cancel()


async def test_closing_all_spares_none(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        await port.connect("a", proven=True, serving=True)
        await port.connect("b")
        port.connections.close_all()
        await wait_all_tasks_blocked()
        assert sorted(port.ended) == ["a", "b"]
        assert len(port.connections) == 0
        nursery.cancel_scope.cancel()


async def test_the_tasks_of_a_connection_know_it() -> None:
    connections = Connections(LIMITS)
    seen: list[Connection] = []
    with ExitStack() as stack:
        connection = stack.enter_context(connections.open())
        async with trio.open_nursery() as nursery:

            async def task() -> None:
                seen.append(current_connection())

            nursery.start_soon(task)
    assert seen == [connection]
