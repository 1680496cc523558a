"""`kapture attach` when the hub is lost, or the network without a word: tabs keep their ids."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.e2e.test_backends_attach import page, tab_ids, tab_of
from tests.support.attached import attach
from tests.support.patience import until
from tests.support.stack import call, hub_process, mcp_client, text_of

pytestmark = pytest.mark.e2e
__all__ = ["page"]


async def test_tabs_keep_their_ids_when_the_hub_is_killed_and_another_one_started(
    browser: int, page: str, tmp_path: Path
) -> None:
    with hub_process(tmp_path / "home") as first, attach(first, f"http://127.0.0.1:{browser}") as attached:
        theirs = tab_of(attached.rows, page)
        async with mcp_client(first, "--structured") as client:
            opened = await client.call_tool("kapturemcp_tab_new", {"tabId": theirs, "url": page})
            assert opened.structured_content is not None, text_of(opened)
            ours = opened.structured_content["tabId"]
        attached.process.send_signal(signal.SIGSTOP)  # it would start a hub, which the test would not know of
        first.kill()
        with hub_process(tmp_path / "home", first.port) as second:
            attached.process.send_signal(signal.SIGCONT)
            async with mcp_client(second, "--structured") as client:

                async def back() -> bool:
                    return {theirs, ours} <= await tab_ids(client)

                await until(back, "the tabs")
                assert 'button "Go"' in await call(client, "snapshot", tabId=theirs)
                await call(client, "tab_close", tabId=ours)  # it is known still that Kapture opened it
