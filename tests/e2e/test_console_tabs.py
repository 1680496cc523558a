"""The Console's actions on a connected tab, by the menu of its card: its access, and that it is connected."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.cli.demo import demo_shop
from tests.support.console import ConsolePage, console_page
from tests.support.person import person_at_browser
from tests.support.stack import hub_process, launch_process, mcp_client, refusal

pytestmark = pytest.mark.e2e


async def choose_in_menu(console: ConsolePage, label: str) -> None:
    """Open the card's menu by its button, and press one of its rows."""
    await console.press("one('kc-menu')?.renderRoot.querySelector('button')")
    row = f"all('[role=menuitem]').find((row) => row.textContent.trim() === {label!r} && row.checkVisibility())"
    await console.press(row)


async def leave_reading(console: ConsolePage) -> None:
    """Take away all but reading."""
    await choose_in_menu(console, "Reduce access…")
    await console.press("one('kc-narrow')?.renderRoot.querySelector('[value=read]')")
    await console.press("one('kc-narrow')?.renderRoot.querySelector('[type=submit]')")
    await console.until("!one('kc-narrow') && one('article k-badge')?.textContent === 'read'", "what is left")
    await console.until("one('kc-menu').renderRoot.activeElement?.ariaHasPopup === 'menu'", "the focus at the menu")


async def test_a_launched_tab_says_how_its_access_is_changed_and_is_let_go(tmp_path: Path, browser: int) -> None:
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop, launch_process(hub, [shop]) as launched:
        async with console_page(hub, browser) as console, mcp_client(hub) as client:
            await choose_in_menu(console, "Change access…")
            await console.until("textOf(one('kc-tab-card')).includes('run `kapture launch --level')", "what to run")
            await leave_reading(console)
            assert "POLICY_DENIED" in await refusal(client, "click", tabId=launched.rows[0]["tabId"], target="body")
            await choose_in_menu(console, "Disconnect")
            await console.until("all('kc-tab-card').length === 0", "the wall without the tab")
            why = await refusal(client, "get_text", tabId=launched.rows[0]["tabId"])
            assert "The person disconnected tab" in why
            assert "in the Console" in why
            assert console.problems == []


async def test_a_persons_tab_gets_other_access_by_asking_them_and_is_disconnected(tmp_path: Path, browser: int) -> None:
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        async with (
            person_at_browser(hub.home, tmp_path / "theirs", shop) as person,
            person.panel() as panel,
            console_page(hub, browser) as console,
        ):
            await panel.says("Corner Shop")
            await panel.press("Connect")
            await console.until("one('article k-badge')?.textContent === 'interact'", "the tab")
            await leave_reading(console)
            await panel.says("Read on 127.0.0.1")
            await choose_in_menu(console, "Change access…")
            async with person.view("request.html") as window:
                await window.says("Kapture Console asks you to change what is allowed on a tab\nCorner Shop")
                await window.click("input[value=interact]")
                await window.press("Allow this")
            await person.gone("request.html")  # or the next question could be looked for in this window
            await console.until(
                "one('article k-badge')?.textContent === 'interact'", "the access that the person has chosen"
            )
            await panel.says("Interact on 127.0.0.1")
            await choose_in_menu(console, "Change access…")
            async with person.view("request.html") as window:
                await window.press("Leave as it is")
            await console.until("textOf(one('kc-tab-card')).includes('was not changed')", "what the person did")
            await choose_in_menu(console, "Disconnect")
            await console.until("all('kc-tab-card').length === 0", "the wall without the tab")
            await panel.says("Connect")
            assert console.problems == []
