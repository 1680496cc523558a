"""Streams over real sockets: order, backpressure, errors, cancellation."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from kapture import eager_stream
from kapture.eager_stream import EagerStream, WholeStream

if_eager = pytest.mark.skipif(not eager_stream.AVAILABLE, reason="sockets have no file descriptors here")
each_stream = pytest.mark.parametrize("stream", [pytest.param(EagerStream, marks=if_eager), WholeStream])
MORE_THAN_FITS = b"0123456789" * 500_000


@asynccontextmanager
async def connected(stream: type[WholeStream]) -> AsyncIterator[tuple[WholeStream, trio.SocketStream]]:
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listeners[0].socket.getsockname()[1]
        theirs = await trio.open_tcp_stream("127.0.0.1", port)
        ours = await listeners[0].accept()
        await listeners[0].aclose()
        async with ours, theirs:
            yield stream(ours), theirs
        nursery.cancel_scope.cancel()


@if_eager
async def test_what_fits_is_sent_without_giving_way() -> None:
    async with connected(EagerStream) as (ours, theirs):
        with trio.testing.assert_no_checkpoints():
            await ours.send_all(b"at once")
        assert await theirs.receive_some(100) == b"at once"


@each_stream
async def test_what_is_not_taken_at_once_is_sent_before_what_follows(stream: type[WholeStream]) -> None:
    async with connected(stream) as (ours, theirs), trio.open_nursery() as nursery:
        with trio.testing.assert_no_checkpoints():
            assert not ours.send_now(MORE_THAN_FITS)
            assert not ours.send_now(b"second")

        async def send() -> None:
            await ours.send_all(b"third")
            await ours.send_eof()

        nursery.start_soon(send)
        received = b"".join([bytes(part) async for part in theirs])
        assert received[len(MORE_THAN_FITS) :] == b"secondthird"
        assert received[: len(MORE_THAN_FITS)] == MORE_THAN_FITS


@each_stream
async def test_what_does_not_fit_is_sent_as_the_other_end_reads_and_in_order(stream: type[WholeStream]) -> None:
    async with connected(stream) as (ours, theirs), trio.open_nursery() as nursery:
        sent = trio.Event()

        async def send() -> None:
            await ours.send_all(MORE_THAN_FITS)
            sent.set()
            await ours.send_eof()

        nursery.start_soon(send)
        await trio.testing.wait_all_tasks_blocked()
        assert not sent.is_set()
        received = b"".join([bytes(part) async for part in theirs])
        assert received == MORE_THAN_FITS


@each_stream
async def test_a_read_waits_for_bytes_and_returns_no_more_than_asked(stream: type[WholeStream]) -> None:
    async with connected(stream) as (ours, theirs):
        with trio.move_on_after(0) as waited:
            await ours.receive_some(10)
        assert waited.cancelled_caught
        await theirs.send_all(b"0123456789ab")
        assert await ours.receive_some(10) == b"0123456789"
        assert await ours.receive_some(10) == b"ab"
        await theirs.aclose()
        assert await ours.receive_some(10) == b""


@each_stream
async def test_a_connection_that_the_other_end_resets_has_broken(stream: type[WholeStream]) -> None:
    async with connected(stream) as (ours, theirs):
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        await theirs.aclose()
        with pytest.raises(trio.BrokenResourceError):
            await ours.receive_some(10)
        with pytest.raises(trio.BrokenResourceError):
            await ours.send_all(b"to nobody")


@if_eager
async def test_sending_at_once_fails_if_the_connection_has_broken_or_is_closed() -> None:
    async with connected(EagerStream) as (ours, theirs):
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        await theirs.aclose()
        with pytest.raises(trio.BrokenResourceError):
            await ours.receive_some(10)
        with pytest.raises(trio.BrokenResourceError):
            ours.send_now(b"to nobody")
        await ours.aclose()
        with pytest.raises(trio.ClosedResourceError):
            ours.send_now(b"late")


@each_stream
async def test_a_closed_stream_can_neither_be_read_nor_written(stream: type[WholeStream]) -> None:
    async with connected(stream) as (ours, _), trio.open_nursery() as nursery:

        async def read() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await ours.receive_some(10)

        nursery.start_soon(read)
        await trio.testing.wait_all_tasks_blocked()
        await ours.aclose()
        await read()
        with pytest.raises(trio.ClosedResourceError):
            await ours.send_all(b"late")


@each_stream
async def test_the_next_send_completes_a_cancelled_one(stream: type[WholeStream]) -> None:
    async with connected(stream) as (ours, theirs), trio.open_nursery() as nursery:
        for data in (MORE_THAN_FITS, b"never begun"):
            with trio.CancelScope() as scope:
                async with trio.open_nursery() as sending:
                    sending.start_soon(ours.send_all, data)
                    await trio.testing.wait_all_tasks_blocked()
                    scope.cancel()

        async def close() -> None:
            await ours.send_all(b"close")
            await ours.send_eof()

        nursery.start_soon(close)
        received = b"".join([bytes(part) async for part in theirs])
        assert received[len(MORE_THAN_FITS) :] == b"close"
        assert received[: len(MORE_THAN_FITS)] == MORE_THAN_FITS
