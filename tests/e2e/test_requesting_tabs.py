"""An agent that finds no tab asks for one, and the person answers in the extension's own window."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from mcp import Client

from kapture.cli.demo import demo_shop
from tests.support.patience import until
from tests.support.person import Person, person_at_browser
from tests.support.stack import HubProcess, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e


async def ready(client: Client, hub: HubProcess) -> str:
    """Return the answer of `list_tabs` once the extension has connected."""
    with trio.fail_after(60):
        while "is ready" not in (text := await call(client, "list_tabs")):  # noqa: ASYNC110  another process's state
            await trio.sleep(0.1)
    return text


async def test_the_tab_that_the_person_gives_is_the_answer(hub: HubProcess, person: Person) -> None:
    with demo_shop() as shop:
        await person.open(shop)
        async with mcp_client(hub) as client:
            assert "request_tab" in await ready(client, hub)
            given: list[str] = []

            async def ask() -> None:
                given.append(await call(client, "request_tab", reason="To order a lamp.", url=f"{shop}?wanted"))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask)
                async with person.view("request.html") as window:
                    text = await window.says("To order a lamp.")
                    assert f"A new tab: {shop}?wanted" in text
                    assert await person.in_worker("chrome.action.getBadgeText({})") == "?"
                    await person.open(f"{shop}?later")  # the person may open the page to give only now
                    await window.says("This tab: ")
                    await window.press("Connect")
            assert "The person connected tab" in given[0]
            assert "?wanted" in given[0]

            async def shown() -> bool:
                return "Corner Shop" in await call(client, "snapshot")

            await until(shown, "the page of the new tab")


async def test_a_no_of_the_person_is_a_denial_and_connects_nothing(tmp_path: Path) -> None:
    """With a hub of its own, which asks nobody again for a while."""
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", shop) as person,
            mcp_client(hub) as client,
        ):
            await ready(client, hub)
            refused: list[str] = []

            async def ask() -> None:
                refused.append(await refusal(client, "request_tab", reason="To order a lamp."))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask)
                async with person.view("request.html") as window:
                    await window.says("To order a lamp.")
                    await window.press("Deny")
            assert refused[0].startswith("POLICY_DENIED")
            assert await person.attached_tabs() == []


async def test_a_window_that_is_closed_leaves_the_question_unanswered(hub: HubProcess, person: Person) -> None:
    with demo_shop() as shop:
        await person.open(shop)
        async with mcp_client(hub) as client:
            await ready(client, hub)
            refused: list[str] = []

            async def ask() -> None:
                refused.append(await refusal(client, "request_tab", reason="To order a lamp."))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask)
                await close_window(person)
            assert refused[0].startswith("NO_BACKEND: The question was closed without an answer.")


async def close_window(person: Person) -> None:
    """Close the window of the request, as a person does, once it shows it."""
    async with person.view("request.html") as window:
        await window.says("To order a lamp.")
    shown = "tabs.find(({ url }) => url.includes('request.html')).id"
    await person.in_worker(f"chrome.tabs.query({{}}).then((tabs) => chrome.tabs.remove({shown}))")
