from __future__ import annotations

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import memory_stream_pair
from trio_websocket import ConnectionClosed

from kapture.backends.chromium.pipe import PipeSocket

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


async def test_a_message_is_ended_by_a_zero_byte() -> None:
    ours, theirs = memory_stream_pair()
    await PipeSocket(ours, ours).send_message('{"id": 1, "text": "ü"}')
    assert await theirs.receive_some() == '{"id": 1, "text": "ü"}'.encode() + b"\0"


async def test_the_end_of_the_pipe_is_a_closed_connection() -> None:
    ours, theirs = memory_stream_pair()
    socket = PipeSocket(ours, ours)
    await theirs.send_all(b"half a message")
    await theirs.aclose()
    with pytest.raises(ConnectionClosed):
        await socket.get_message()
    with pytest.raises(ConnectionClosed):
        await socket.send_message("{}")
