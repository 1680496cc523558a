from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import memory_stream_pair, wait_all_tasks_blocked
from trio_websocket import ConnectionClosed

from kapture.backends.chromium.process import PipeSocket

ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="browsers have no debugging pipe here")
TEXTS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=5)


@given(texts=TEXTS, cut=st.integers(1, 9))
def test_messages_come_whole_however_the_bytes_are_cut(texts: list[str], cut: int) -> None:
    async def main() -> None:
        ours, theirs = memory_stream_pair()
        socket = PipeSocket(ours, ours)
        content = b"".join(text.encode() + b"\0" for text in texts)
        async with trio.open_nursery() as nursery:

            async def write() -> None:
                for start in range(0, len(content), cut):
                    await theirs.send_all(content[start : start + cut])

            nursery.start_soon(write)
            assert [await socket.get_message() for _ in texts] == texts

    trio.run(main)


async def test_the_end_of_the_pipe_is_a_closed_connection() -> None:
    ours, theirs = memory_stream_pair()
    socket = PipeSocket(ours, ours)
    await theirs.send_all(b"half a message")
    await theirs.aclose()
    with pytest.raises(ConnectionClosed):
        await socket.get_message()
    with pytest.raises(ConnectionClosed):
        await socket.send_message("{}")


@pytest.fixture
async def pipe() -> AsyncIterator[tuple[PipeSocket, PipeSocket]]:
    """Two sockets over pipes of the system, as between hub and browser."""
    ends = [os.pipe() for _ in range(2)]
    (there_in, here_out), (here_in, there_out) = ends
    here = PipeSocket(trio.lowlevel.FdStream(here_in), trio.lowlevel.FdStream(here_out))
    there = PipeSocket(trio.lowlevel.FdStream(there_in), trio.lowlevel.FdStream(there_out))
    yield here, there
    await here.aclose()
    await there.aclose()


@ON_POSIX
async def test_closing_a_pipe_ends_the_wait_for_a_message(pipe: tuple[PipeSocket, PipeSocket]) -> None:
    here, _ = pipe

    async def wait() -> None:
        with pytest.raises(ConnectionClosed):
            await here.get_message()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        await here.aclose()
