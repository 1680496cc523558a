"""The panel in DevTools, pressed as a person presses it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import trio
from mcp import Client

from kapture.cli.demo import demo_shop
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.shared_panel import SharedPanel
from tests.support.stack import HubProcess, call, free_port, mcp_client, refusal

pytestmark = pytest.mark.e2e

_FOCUSED = """
(() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused.className;
})()
"""


async def none_connected(client: Client) -> None:
    """Wait until the hub knows that the tabs of earlier tests are gone."""

    async def none() -> bool:
        return "No tab is connected" in await call(client, "list_tabs")

    await until(none, "the end of all tabs")


async def test_pressing_connect_in_devtools_gives_the_tab_to_a_client(
    hub: HubProcess, person: Person, shared_panel: SharedPanel
) -> None:
    with demo_shop() as shop:
        async with mcp_client(hub) as client, shared_panel.on(shop) as panel:
            await none_connected(client)
            await panel.says("Corner Shop")
            await panel.press("Connect")
            text = await panel.says("Connected\nDisconnect")
            tab_id = text.partition("Tab id\n")[2][:8]
            assert len(await person.attached_tabs()) == 1
            assert f"{tab_id},Corner Shop," in await call(client, "list_tabs")
            assert "Corner Shop" in await call(client, "snapshot", tabId=tab_id)
            await panel.press("Activity")
            await panel.says("snapshot")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(panel.press, "Deny")  # the grant is for this site: the person is asked
                denied = await refusal(client, "navigate", tabId=tab_id, url="http://localhost:9/")
            assert "POLICY_DENIED" in denied
            await panel.press("Disconnect")
            await panel.says("Not connected\nConnect")
            gone = await refusal(client, "snapshot", tabId=tab_id)
            assert "TAB_DISCONNECTED" in gone


async def test_a_key_typed_into_something_else_answers_no_question(
    hub: HubProcess, person: Person, shared_panel: SharedPanel
) -> None:
    with demo_shop() as shop:
        async with mcp_client(hub) as client, shared_panel.on(shop) as panel:
            await panel.says("Corner Shop")
            await panel.press("Connect")
            tab_id = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
            await panel.press("Change")
            await panel.click("input[value=list]")
            await panel.click(".sites")
            answers: list[str] = []

            async def leave() -> None:
                answers.append(await refusal(client, "navigate", tabId=tab_id, url="http://localhost:9/"))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(leave)
                await panel.says("Allow once")
                for key, text in (("Enter", "\r"), (" ", " "), ("y", "y")):
                    for kind in ("keyDown", "keyUp"):
                        press = {"type": kind, "key": key, "text": text if kind == "keyDown" else ""}
                        await panel.page.root.send("Input.dispatchKeyEvent", press)
                assert await evaluate(panel.page, _FOCUSED) == "sites"
                await panel.says("Allow once")
                assert answers == []
                await panel.press("Deny")
            assert "POLICY_DENIED" in answers[0]


async def test_pressing_connect_starts_a_hub_where_none_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("KAPTURE_PORT", str(free_port()))
    with demo_shop() as shop:
        async with person_at_browser(home, tmp_path / "profile", shop) as person, person.panel() as panel:
            try:
                await panel.says("Corner Shop")
                await panel.press("Connect")
                await panel.says("Connected\nDisconnect")
            finally:
                if (home / "hub.json").exists():
                    os.kill(json.loads((home / "hub.json").read_text())["pid"], signal.SIGTERM)


async def test_a_browser_that_was_never_paired_says_so_and_touches_nothing_of_the_tab(tmp_path: Path) -> None:
    with demo_shop() as shop:
        async with person_at_browser(tmp_path / "home", tmp_path / "profile", shop, paired=False) as person:
            async with person.panel() as panel:
                await panel.says("Corner Shop")
                await panel.press("Connect")
                await panel.says("not paired")
            assert await person.attached_tabs() == []
