"""A mistake of ours in one MCP call ends that call: not its session, and never the hub. On every transport."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import mcp_types as types
import pytest
import trio
from mcp.shared.exceptions import MCPError

from kapture.cli.serve import serve
from kapture.mcp import session
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile, profile_of
from kapture.mcp.progress import Reporter
from kapture.mcp.tool import PlannedCall, Tool
from kapture.settings import Settings
from tests.support.forked import ForkedProcess
from tests.support.mcp_transports import ERAS, TRANSPORTS, connect
from tests.support.stack import HubProcess, text_of

SECRET = "what the formatter was about to show"


def _raise(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError(SECRET)


def _status(arguments: Mapping[str, Any]) -> PlannedCall:
    return PlannedCall(command="status", arguments={})


def _with_broken_tools(options: Options) -> Profile:
    profile = profile_of(options)
    status = profile.tool("kapturemcp_status")
    broken: tuple[Tool, ...] = (
        attrs.evolve(status, name="broken_show", plan=_status, show=_raise, output=None),
        attrs.evolve(status, name="broken_plan", plan=_raise, output=None),
    )
    return attrs.evolve(profile, tools=(*profile.tools, *broken))


@asynccontextmanager
async def running_hub(home: Path) -> AsyncIterator[HubProcess]:
    """A hub in this process, so that its tools can be broken."""
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve, Settings(home=home, port=0, idle_exit_ms=0))
        process = cast("ForkedProcess", SimpleNamespace(pid=os.getpid()))
        yield HubProcess(home, port, process)
        nursery.cancel_scope.cancel()


async def _answer_form(context: Any, params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("forms", [False, True], ids=["plain", "with forms"])
async def test_a_tool_that_fails_by_a_bug_ends_its_own_call_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str, era: str, forms: bool
) -> None:
    monkeypatch.setattr(session, "profile_of", _with_broken_tools)
    monkeypatch.setattr(Reporter, "pulse", trio.sleep_forever)
    options: dict[str, Any] = {"mode": era, **({"elicitation_callback": _answer_form} if forms else {})}
    with trio.fail_after(60):
        async with running_hub(tmp_path / "home") as hub:
            async with connect(transport, hub, **options) as client:
                for tool in ("broken_show", "broken_plan"):
                    answer = await client.call_tool(tool, {})
                    assert answer.is_error
                    assert f"{tool} failed because of a bug in Kapture (ZeroDivisionError)." in text_of(answer)
                    assert SECRET not in text_of(answer)
                again = await client.call_tool("kapturemcp_list_tabs", {})
                assert not again.is_error, "the session goes on"
            async with connect("websocket", hub) as other:
                assert not (await other.call_tool("kapturemcp_list_tabs", {})).is_error, "the hub goes on"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_progress_that_cannot_be_sent_does_not_undo_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str, era: str
) -> None:
    async def pulse(reporter: Reporter) -> None:
        await reporter(1, 2, "half")

    async def note(progress: float, total: float | None, message: str | None) -> None:
        return

    monkeypatch.setattr("mcp.server.session.ServerSession.report_progress", _raise)
    monkeypatch.setattr(Reporter, "pulse", pulse)
    with trio.fail_after(60):
        async with running_hub(tmp_path / "home") as hub, connect(transport, hub, mode=era) as client:
            for _ in range(2):
                answer = await client.call_tool("kapturemcp_status", {}, progress_callback=note)
                assert not answer.is_error
                assert "hub" in text_of(answer)


@pytest.mark.parametrize("era", ERAS)
async def test_an_http_session_that_fails_by_a_bug_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    """What watches the hub for the first session fails at the first event, that is when the next client comes."""
    run = Notifier.run
    notifiers: list[Notifier] = []

    async def run_or_fail(notifier: Notifier) -> None:
        notifiers.append(notifier)
        if len(notifiers) > 1:
            await run(notifier)
        monkeypatch.setattr(notifier, "_notify", _raise)
        await run(notifier)

    monkeypatch.setattr(Notifier, "run", run_or_fail)
    with trio.fail_after(60):
        async with running_hub(tmp_path / "home") as hub:
            with suppress(MCPError, ExceptionGroup):
                async with connect("http", hub, mode=era) as client:
                    await client.call_tool("kapturemcp_list_tabs", {})
                    async with connect("websocket", hub):
                        await client.call_tool("kapturemcp_list_tabs", {})
            async with connect("http", hub, mode=era) as client:
                assert not (await client.call_tool("kapturemcp_list_tabs", {})).is_error
