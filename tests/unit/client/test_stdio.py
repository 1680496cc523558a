"""The bridge's own pipes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.client.stdio import Stdio, read_lines

LARGE = bytes(300_000)


@contextmanager
def pipes() -> Iterator[tuple[Stdio, int, int]]:
    """The pipes; what is written to the first descriptor is read, what is written is read from the second."""
    stdin, to_stdin = os.pipe()
    from_stdout, stdout = os.pipe()
    try:
        yield Stdio(stdin, stdout), to_stdin, from_stdout
    finally:
        for end in (stdin, to_stdin, from_stdout, stdout):
            os.close(end)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that ran in threads."""
    used: list[str] = []
    run_sync = trio.to_thread.run_sync

    async def counted(function: object, *arguments: object, **options: object) -> object:
        used.append(getattr(function, "__name__", ""))
        return await run_sync(function, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(trio.to_thread, "run_sync", counted)
    return used


async def test_messages_pass_pipes_without_a_thread(threads: list[str]) -> None:
    with pipes() as (stdio, to_stdin, from_stdout):
        os.write(to_stdin, b"question\n")
        assert await stdio.read_some() == b"question\n"
        await stdio.write_all(b"answer\n")
        assert os.read(from_stdout, 100) == b"answer\n"
    assert threads == []


@pytest.mark.parametrize("rest", [b"\n", b"\r\n", b""])
async def test_a_byte_order_mark_is_passed_over_at_the_beginning_only(rest: bytes) -> None:
    parts = [b"\xef\xbb", b"\xbf{}\n\xef\xbb\xbf[]", rest]

    class Pipes(Stdio):
        async def read_some(self) -> bytes:
            await trio.lowlevel.checkpoint()
            return parts.pop(0) if parts else b""

    assert [line async for line in read_lines(Pipes())] == [b"{}", b"\xef\xbb\xbf[]"]


async def test_pipes_stay_blocking_for_their_other_users() -> None:
    stdin, to_stdin = os.pipe()
    try:
        stdio = Stdio(stdin, to_stdin)
        await stdio.write_all(b"x")
        assert await stdio.read_some() == b"x"
        assert os.get_blocking(stdin)
        assert os.get_blocking(to_stdin)
    finally:
        os.close(stdin)
        os.close(to_stdin)


async def test_a_message_larger_than_the_pipe_is_written_whole_while_others_go_on(threads: list[str]) -> None:
    with pipes() as (stdio, _, from_stdout):
        received = bytearray()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stdio.write_all, LARGE)
            await wait_all_tasks_blocked()
            while len(received) < len(LARGE):
                await trio.lowlevel.wait_readable(from_stdout)
                received += os.read(from_stdout, 65_536)
        assert received == LARGE
    assert threads == []


async def test_a_message_that_was_begun_is_written_whole_though_its_writer_is_cancelled() -> None:
    with pipes() as (stdio, _, from_stdout):
        received = bytearray()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stdio.write_all, LARGE)
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                while len(received) < len(LARGE):
                    await trio.lowlevel.wait_readable(from_stdout)
                    received += os.read(from_stdout, 65_536)
        assert received == LARGE


async def test_a_reader_that_has_gone_breaks_the_pipe() -> None:
    stdin, to_stdin = os.pipe()
    from_stdout, stdout = os.pipe()
    os.close(from_stdout)
    try:
        with pytest.raises(BrokenPipeError):
            await Stdio(stdin, stdout).write_all(b"x")
    finally:
        for end in (stdin, to_stdin, stdout):
            os.close(end)
