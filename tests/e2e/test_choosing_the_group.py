"""A tab is for the agents of the group's other machines once its person says so, and until they take it back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio
from mcp import Client

from kapture.cli.demo import demo_shop
from kapture.group.key import new_key
from tests.support.console import console_page
from tests.support.panel import Panel
from tests.support.patience import until
from tests.support.person import person_at_browser
from tests.support.redis_server import redis_server
from tests.support.stack import HubProcess, call, hub_process, mcp_client

pytestmark = pytest.mark.e2e


@contextmanager
def machines(*names: str) -> Iterator[list[HubProcess]]:
    """The hubs of machines of one group."""
    with TemporaryDirectory(prefix="kapture-", dir="/tmp") as folder, redis_server(Path(folder, "redis")) as server:
        new_key("team", key := Path(folder, "team.key"))
        joined = ["--join", server.url, "--group-key-file", str(key)]
        with (
            hub_process(Path(folder, names[0]), arguments=[*joined, "--machine", names[0]]) as one,
            hub_process(Path(folder, names[1]), arguments=[*joined, "--machine", names[1]]) as other,
        ):
            yield [one, other]


async def lists(agent: Client, words: str) -> str:
    """What `list_tabs` answers once these words are in it."""

    async def listed() -> str | None:
        text = await call(agent, "list_tabs")
        return text if words in text else None

    return await until(listed, f"{words} among the tabs")


async def answer(panel: Panel, question: str, button: str) -> None:
    """Answer a question as a person does."""
    await panel.says("wants to work on localhost")
    await panel.says(question)
    await panel.press(button)


async def test_tab_is_for_the_group_as_long_as_its_person_says(tmp_path: Path, browser: int) -> None:
    with demo_shop() as shop, machines("laptop", "devhost") as (laptop, devhost):
        async with (
            person_at_browser(laptop.home, tmp_path, shop) as person,
            person.panel() as panel,
            mcp_client(devhost) as agent,
        ):
            await panel.says("Only agents on this machine can use it.")
            await panel.press("Connect")
            await panel.says("For agents on this machine only")
            assert "Corner Shop" not in await call(agent, "list_tabs")
            await panel.press("Also for team")
            await panel.says("For agents on every machine of team")
            assert "laptop" in await lists(agent, "Corner Shop")
            await call(agent, "snapshot")
            await panel.says("@devhost")
            async with trio.open_nursery() as nursery:  # the person here is asked for what the agent there wants
                nursery.start_soon(answer, panel, "@devhost (team)", "Allow once")
                elsewhere = shop.replace("127.0.0.1", "localhost")
                assert 'heading "Corner Shop' in await call(agent, "navigate", url=elsewhere, snapshot="full")
                await call(agent, "navigate", url=shop)
            async with console_page(devhost, browser) as console:
                await console.show("status")
                await console.until("textOf(one('kc-group')).includes('Corner Shop')", "the tab of another machine")
            await panel.press("Only here")

            async def gone() -> bool:
                return "Corner Shop" not in await call(agent, "list_tabs")

            await until(gone, "the end of it")
