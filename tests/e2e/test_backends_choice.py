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
from tests.support.stack import hub_process, launch_process, launched_beside, mcp_client, text_of

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


async def test_launch_can_be_preferred(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home", arguments=["--prefer", "launch"]) as hub:
        async with remote_tab(hub, "theirs"), mcp_client(hub, "--profile", "chrome") as client:
            assert await chosen(client) == "extension"
            async with launched_beside(hub, ["data:text/html,launched"]):

                async def launched_is_chosen() -> bool:
                    return await chosen(client) == "cdp"

                # A tab that has just been opened may take longer to answer than a preferred one has.
                await until(launched_is_chosen, "the launched browser, as soon as it answers in time")


async def test_a_browser_is_launched_when_no_tab_answers_and_ends_with_the_hub(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home", arguments=["--fallback", "launch"]) as hub:
        async with mcp_client(hub, "--profile", "chrome") as client:
            result = await client.call_tool("navigate", {"url": "data:text/html,<title>on demand</title>"})
            assert "on demand" in text_of(result)
        async with mcp_client(hub) as client:
            assert "on demand" in text_of(await client.call_tool("kapturemcp_snapshot", {}))
        hub.process.send_signal(signal.SIGKILL)
        nothing_stays(hub.home)


async def test_the_browser_that_is_launched_keeps_its_profile_in_the_folder_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "theirs" / "cdp-profile"
    monkeypatch.setenv("CHROME_MCP_USERDATA", str(kept))
    with hub_process(tmp_path / "home", arguments=["--fallback", "launch"]) as hub:
        async with mcp_client(hub, "--profile", "chrome") as client:
            result = await client.call_tool("navigate", {"url": "data:text/html,<title>on demand</title>"})
            assert "on demand" in text_of(result)
    assert (kept / "Default").is_dir()  # made at the start; other files come late, or never if it is killed
    assert not list((tmp_path / "home").glob("browsers/tmp-*"))


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


async def test_the_chrome_profile_answers_failures_in_its_own_shapes(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub, launch_process(hub, ["data:text/html,<p>page"]):
        async with mcp_client(hub, "--profile", "chrome", "--structured") as client:
            threw = await client.call_tool("eval", {"expression": "nope.nope"})
            assert not threw.is_error
            assert threw.structured_content is not None
            assert threw.structured_content["ok"] is False
            assert "nope is not defined" in threw.structured_content["error"]
            for awaits, value, kind in ((True, 7, "number"), (False, {}, "Object")):
                arguments = {"expression": "Promise.resolve(7);", "awaitPromise": awaits}
                answered = (await client.call_tool("eval", arguments)).structured_content
                assert answered == {"ok": True, "value": value, "type": kind}
            ran_out = await client.call_tool("wait_for", {"selector": "#never", "timeoutMs": 200})
            assert ran_out.structured_content is not None
            assert ran_out.structured_content["matched"] is False
            assert ran_out.structured_content["waitedMs"] > 0
            opened = await client.call_tool("tab_new", {"url": "about:blank"})
            assert opened.structured_content is not None
            assert opened.structured_content["index"] == 1
            assert text_of(await client.call_tool("click", {"selector": "#none"})).startswith("SELECTOR_NOT_FOUND")
            assert text_of(await client.call_tool("get_text", {"tabId": "gone"})).startswith("STALE_TAB")
