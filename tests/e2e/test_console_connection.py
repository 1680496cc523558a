"""The Console signs in, and says what has become of its hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.console import console_page
from tests.support.stack import hub_process, launch_process

pytestmark = pytest.mark.e2e


async def test_without_a_ticket_it_says_how_to_sign_in(tmp_path: Path, browser: int) -> None:
    with hub_process(tmp_path / "home") as hub:
        async with console_page(hub, browser, f"http://127.0.0.1:{hub.port}/console/") as console:
            await console.until("textOf(document.body).includes('kapture console')", "the way in")


async def test_a_restarted_hub_is_explained(tmp_path: Path, browser: int) -> None:
    with hub_process(tmp_path / "home") as hub, launch_process(hub):
        async with console_page(hub, browser) as console:
            await console.show("commands")
            await console.choose("wait_for")
            await console.js("one('kc-app').app.runner.edit('kapturemcp_wait_for', { text: 'never there' })")
            await console.press_run()
            await console.until("one('kc-app').app.live.calls.load(one('kc-app').app.tabId).running.length", "the call")
            hub.kill()
            await console.until("one('kc-app').app.connection.state === 'lost'", "that the hub has gone")
            await console.until("one('kc-app').app.history.runs[0]?.error.code === 'CONNECTION_LOST'", "the call's end")
            with hub_process(tmp_path / "home", hub.port):
                await console.until("textOf(document.body).includes('has been restarted')", "what has happened")
