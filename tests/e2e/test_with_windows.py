"""Features that only a browser with windows shows: the popup's bubble, where question windows stand, the debugging bar.

On a display of its own, where Xvfb is installed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from mcp import Client

from kapture.cli.demo import demo_shop
from tests.support.direct import targets
from tests.support.display import SIZE, Display, virtual_display
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.stack import call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

OUTSIDE = "http://localhost:9/pay"
MAX_POPUP_HEIGHT = 600  # of Chrome
QUESTION_WIDTH = 440
SIZES = "[[document.body.scrollWidth, document.documentElement.scrollHeight], [innerWidth, innerHeight]]"


@attrs.frozen
class Scene:
    """A browser with a window that shows the shop, and a client; nothing is connected yet."""

    display: Display
    person: Person
    client: Client
    shop: str

    @asynccontextmanager
    async def popup(self) -> AsyncIterator[Panel]:
        """The popup, opened as by a press on Kapture's button; closed at the end."""
        await self.person.in_worker("chrome.action.openPopup()")
        async with self.person.view("popup.html") as popup:
            yield popup
            await evaluate(popup.page, "setTimeout(close)")

        async def closed() -> bool:
            return not any("popup.html" in target["url"] for target in await targets(self.person.port))

        await until(closed, "the end of the popup")  # a question would be shown in it

    async def connect(self) -> str:
        """Connect the shop's tab in the popup; its id."""
        async with self.popup() as popup:
            await popup.press("Connect")
            return (await popup.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]

    async def windows(self) -> list[dict[str, Any]]:
        """The browser's windows, as `chrome.windows` has them."""
        found = await self.person.in_worker("chrome.windows.getAll().then(JSON.stringify)")
        return list(json.loads(found))


@asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[Scene]:
    with virtual_display(folder / "display") as display, hub_process(folder / "home") as hub, demo_shop() as shop:
        async with (
            person_at_browser(hub.home, folder / "profile", shop, display=display.name) as person,
            mcp_client(hub, "--toolsets", "core,tabs") as client,
        ):
            yield Scene(display, person, client, shop)


async def test_the_popup_is_as_large_as_what_it_shows_and_connects_the_tab(tmp_path: Path) -> None:
    async with scene(tmp_path) as there, there.popup() as popup:
        for words in ("Not connected\nConnect", "Connected\nDisconnect"):
            if words.startswith("Connected"):
                await popup.press("Connect")
            await popup.says(words)

            async def as_large() -> bool:
                (width, height), (inner_width, inner_height) = await evaluate(popup.page, SIZES)
                return bool(width == inner_width and abs(height - inner_height) <= 1)  # parts of a pixel are rounded up

            await until(as_large, "a bubble of the size of its page")
            assert await evaluate(popup.page, "innerHeight") <= MAX_POPUP_HEIGHT


async def move_over_the_edge(there: Scene) -> None:
    """Move the shop's window so that part of it is on no screen."""
    bounds = {"left": SIZE[0] - 500, "top": 200, "width": 900, "height": 700}
    (window,) = await there.windows()
    await there.person.in_worker(f"chrome.windows.update({window['id']}, {json.dumps(bounds)})")

    async def moved() -> bool:
        (window,) = await there.windows()
        return bool(window["left"] == bounds["left"])

    await until(moved, "a window that is partly on no screen")


async def test_a_question_has_a_window_of_its_own_size_within_the_screen(tmp_path: Path) -> None:
    async with scene(tmp_path) as there:
        tab_id = await there.connect()
        await move_over_the_edge(there)
        async with trio.open_nursery() as nursery:

            async def look_and_deny() -> None:
                async with there.person.view("question.html") as question:
                    await question.says(OUTSIDE)

                    async def placed() -> bool:
                        # Where exactly is the window manager's to say: a program only asks for it.
                        (window,) = [one for one in await there.windows() if one["type"] == "popup"]
                        right, bottom = window["left"] + window["width"], window["top"] + window["height"]
                        within = min(window["left"], window["top"]) >= 0 and right <= SIZE[0] and bottom <= SIZE[1]
                        return within and (window["width"], window["state"]) == (QUESTION_WIDTH, "normal")

                    await until(placed, "a window of that size within the screen")
                    await question.press("Deny")

            nursery.start_soon(look_and_deny)
            assert "did not allow it" in await refusal(there.client, "navigate", tabId=tab_id, url=OUTSIDE)


def cancel_button(display: Display) -> tuple[int, int] | None:
    """The middle of the one filled button in the upper part of the screen: Cancel in Chrome's debugging bar."""
    columns: list[int] = []
    lines: list[int] = []
    for y, row in enumerate(display.rows()[:220]):
        blue = [x for x in range(len(row) // 4) if row[x * 4] > 180 and row[x * 4 + 1] < 150 and row[x * 4 + 2] < 70]
        if len(blue) >= 30:
            lines.append(y)
            columns += (blue[0], blue[-1])
    return ((min(columns) + max(columns)) // 2, (lines[0] + lines[-1]) // 2) if len(lines) >= 16 else None


async def test_cancel_in_the_debugging_bar_disconnects_all_tabs_and_one_press_connects_them_again(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as there:
        await there.connect()
        await there.person.open(f"{there.shop}?second")
        tab_id = await there.connect()
        assert "Corner Shop" in await call(there.client, "snapshot", tabId=tab_id)
        last: tuple[int, int] | None = None

        async def at_rest() -> tuple[int, int] | None:
            nonlocal last
            before, last = last, await trio.to_thread.run_sync(cancel_button, there.display)
            return last if last == before else None  # the bar slides in

        async def cancelled() -> bool:
            if not await there.person.attached_tabs():
                return True
            if (button := await at_rest()) is not None:  # pressed again where it was on its way after all
                there.display.click(*button)
            return False

        await until(cancelled, "the end of the debugging by Cancel in the bar")
        why = await refusal(there.client, "snapshot", tabId=tab_id)
        assert f"The person ended the debugging of tab {tab_id} with Cancel in the browser's bar" in why
        async with there.popup() as popup:
            assert "Cancel in its bar disconnects every tab" in await popup.says("Chrome ended debugging")
            await popup.press("Reconnect 2 tabs")
            await popup.says("Connected\nDisconnect")
        assert len(await there.person.attached_tabs()) == 2
        assert "Corner Shop" in await call(there.client, "snapshot", tabId=tab_id)
