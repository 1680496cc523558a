"""The bridge's own pipes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

import kapture.commands  # noqa: F401  registers the commands
from kapture.client.connection import ConnectionClosedError, HubConnection
from kapture.client.json_rpc import MessageHead, Subject, read_head, read_subject
from kapture.client.mcp_client import McpClient, open_client
from kapture.client.stdio import Stdio, read_lines
from kapture.commands.core.answer import CallResult
from kapture.errors import KaptureError, NoBackend
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.fake_hub_port import listening


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


async def test_several_calls_at_once_get_their_own_answers_and_progress(home: Path, hub: FakeHub) -> None:
    async def echo(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        await progress(1, 2, arguments["pattern"])
        return result(arguments["pattern"], untrusted=False)

    hub.behaviours["logs"] = echo
    hub.connect_tab("t1")
    answers: dict[str, str] = {}
    reports: list[tuple[float, float | None, str]] = []
    async with listening(hub, home), open_client(home, name="tester") as client:

        async def call(word: str) -> None:
            done = await client.call("kapturemcp_logs", {"tabId": "t1", "pattern": word}, lambda *r: reports.append(r))
            answers[word] = done["content"][0]["text"]

        async with trio.open_nursery() as nursery:
            for word in ("a", "b", "c"):
                nursery.start_soon(call, word)
        assert [(one.name, one.kind) for one in hub.clients] == [("tester", "cli")]
    assert answers == {"a": "a", "b": "b", "c": "c"}
    assert sorted(reports) == [(1, 2, "a"), (1, 2, "b"), (1, 2, "c")]


async def test_a_cancelled_call_is_cancelled_in_the_hub(home: Path, hub: FakeHub) -> None:
    started, cancelled = trio.Event(), trio.Event()

    async def hang(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        started.set()
        try:
            await trio.sleep_forever()
        finally:
            cancelled.set()
        raise AssertionError

    hub.behaviours["logs"] = hang
    hub.connect_tab("t1")
    async with listening(hub, home), open_client(home, name="tester") as client:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.call, "kapturemcp_logs", {"tabId": "t1"})
            await started.wait()
            nursery.cancel_scope.cancel()
        with trio.fail_after(30):
            await cancelled.wait()


async def test_a_call_is_cancelled_even_if_the_hub_cannot_be_told() -> None:
    class Lost:
        """A connection that is lost after the first message."""

        def __init__(self) -> None:
            self.sent = trio.Event()

        async def send(self, message: bytes) -> None:
            if self.sent.is_set():
                raise ConnectionClosedError
            self.sent.set()

    connection = Lost()
    client = McpClient(cast("HubConnection", connection))
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.call, "kapturemcp_logs", {})
            await connection.sent.wait()
            scope.cancel()
    assert scope.cancelled_caught


async def test_a_hub_that_goes_away_during_a_call_is_an_error_of_the_call(home: Path, hub: FakeHub) -> None:
    started = trio.Event()

    async def hang(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        started.set()
        await trio.sleep_forever()
        raise AssertionError

    hub.behaviours["logs"] = hang
    hub.connect_tab("t1")
    errors: list[KaptureError] = []
    async with trio.open_nursery() as nursery:
        serving = trio.CancelScope()

        async def serve(*, task_status: trio.TaskStatus[None]) -> None:
            with serving:
                async with listening(hub, home):
                    task_status.started()
                    await trio.sleep_forever()

        await nursery.start(serve)
        async with open_client(home, name="tester") as client:

            async def call() -> None:
                with pytest.raises(NoBackend) as lost:
                    await client.call("kapturemcp_logs", {"tabId": "t1"})
                errors.append(lost.value)

            nursery.start_soon(call)
            await started.wait()
            serving.cancel()
            with trio.fail_after(30):
                await client.closed.wait()
    assert "may have taken effect" in errors[0].message


DEEP = b"[" * 3_000


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"nonsense",
        b'{"method": "\x80"}',
        b'{"id": 1.5, "method": "ping"}',
        b'{"id": ' + DEEP,
        b'{"params": ' + DEEP,
    ],
)
def test_malformed_message_has_empty_head_and_no_subject(message: bytes) -> None:
    assert read_head(message) == MessageHead()
    assert read_subject(message) == Subject()


# The bridge's own pipes.


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
