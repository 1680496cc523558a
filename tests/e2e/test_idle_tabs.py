"""The debugger leaves a tab on which nobody works, and the next command finds it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client

from kapture.cli.demo import demo_shop
from tests.support.patience import until
from tests.support.person import Person, person_at_browser
from tests.support.stack import call, hub_process, mcp_client

pytestmark = pytest.mark.e2e

GRANT = {"sites": ["127.0.0.1"], "level": "full"}


async def attached(person: Person, part: str) -> bool:
    """Whether a tab whose address contains this has a debugger."""
    return any(part in url for url in await person.attached_tabs())


async def left(person: Person, part: str) -> None:
    """Wait until the debugger has left it."""

    async def look() -> bool:
        return not await attached(person, part)

    await until(look, f"the debugger to leave {part}")


async def tab_of(client: Client, part: str) -> str:
    """The id of the connected tab whose address contains this."""

    async def look() -> str | None:
        lines = (await call(client, "list_tabs")).splitlines()
        return next((line.split(",")[0].strip() for line in lines if part in line), None)

    return await until(look, part)


async def test_idle_tab_is_detached_and_the_next_command_attaches(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with hub_process(home, arguments=["--idle-detach", "1s"]) as hub, demo_shop() as shop:
        async with (
            person_at_browser(home, tmp_path / "profile", f"{shop}?one", grant=GRANT) as person,
            mcp_client(hub) as client,
        ):
            one = await tab_of(client, "?one")
            await person.open(f"{shop}?two")
            two = await tab_of(client, "?two")
            await call(client, "emulate", tabId=two, color_scheme="dark")
            assert "Corner Shop" in await call(client, "snapshot", tabId=one)
            await left(person, "?one")
            assert "idle" in await call(client, "list_tabs")
            assert await attached(person, "?two"), "what is emulated needs the debugger"
            assert "Corner Shop" in await call(client, "snapshot", tabId=one)
            await left(person, "?one")
            await call(client, "navigate", tabId=one, url=f"{shop}?three")
            await left(person, "?three")
            await call(client, "tab_close", tabId=one)
            await call(client, "emulate", tabId=two, reset=True)
            await left(person, "?two")
