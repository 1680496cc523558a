from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import trio

import kapture.commands  # noqa: F401  registers the commands
from kapture.client.connection import ConnectionClosedError, HubConnection
from kapture.client.mcp_client import McpClient, open_client
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
