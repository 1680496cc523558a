"""Which browser a call goes to that names no tab: by preference, by who answers, and launched when nobody does."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from mcp import Client

from tests.e2e.test_backends_launch import nothing_stays
from tests.support.patience import until
from tests.support.remote_tab import remote_tab
from tests.support.stack import hub_process, launched_beside, mcp_client, text_of

pytestmark = pytest.mark.e2e


async def chosen(client: Client) -> str:
    """The backend of the tab that a call without a tab goes to."""
    await client.call_tool("get_text", {})
    status = json.loads(unfenced(text_of(await client.call_tool("chrome_status", {}))))
    return str(status["backend"])


def unfenced(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "page-content" not in line)


async def test_the_preferred_kind_is_chosen_anew_for_each_call(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        async with (
            mcp_client(hub, "--profile", "chrome") as client,
            launched_beside(hub, ["data:text/html,launched"]),
        ):
            assert await chosen(client) == "cdp"
            async with remote_tab(hub, "theirs"):

                async def theirs_is_chosen() -> bool:
                    return await chosen(client) == "extension"

                # This process answers for it, and may take longer than a preferred tab has.
                await until(theirs_is_chosen, "the preferred tab, as soon as it answers in time")


async def test_a_browser_is_launched_when_no_tab_answers_and_ends_with_the_hub(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home", arguments=["--fallback", "launch"]) as hub:
        async with mcp_client(hub, "--profile", "chrome") as client:
            result = await client.call_tool("navigate", {"url": "data:text/html,<title>on demand</title>"})
            assert "on demand" in text_of(result)
        async with mcp_client(hub) as client:
            assert "on demand" in text_of(await client.call_tool("kapturemcp_snapshot", {}))
        hub.process.send_signal(signal.SIGKILL)
        nothing_stays(hub.home)


async def test_an_extension_that_does_not_answer_is_passed_over(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home", arguments=["--fallback", "launch"]) as hub:
        async with (
            remote_tab(hub, "silent", capabilities=["cdp"], grant={"sites": ["*"], "level": "full"}),
            mcp_client(hub, "--profile", "chrome") as client,
        ):
            assert await chosen(client) == "cdp"


async def test_without_any_backend_the_error_says_what_to_do(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        async with mcp_client(hub, "--profile", "chrome") as client:
            answer = text_of(await client.call_tool("get_text", {}))
            assert answer.startswith("NO_BACKEND: No tab is connected.")
            assert "kapture launch" in answer
            status = json.loads(unfenced(text_of(await client.call_tool("chrome_status", {}))))
            assert status["ready"] is False
            assert status["detail"]
