"""Two clients on one person's browser: tabs of their own, one shared, one used by both as the person says."""

from __future__ import annotations

import re

import pytest
import trio

from kapture.cli.demo import demo_shop
from tests.support.patience import until
from tests.support.person import Person
from tests.support.stack import HubProcess, call, mcp_client, refusal

pytestmark = pytest.mark.e2e

_GROUPS = "chrome.tabGroups.query({}).then((groups) => groups.map(({ title }) => title).sort())"


def opened(answer: str) -> str:
    """The id of a tab that `tab_new` has opened."""
    found = re.search(r"opened tab (\w+)", answer)
    assert found is not None
    return found[1]


async def test_two_clients_do_not_step_on_each_other(hub: HubProcess, person: Person) -> None:
    with demo_shop() as shop:
        async with (
            mcp_client(hub, "--name", "orders", "--toolsets", "all") as one,
            mcp_client(hub, "--name", "returns", "--toolsets", "all") as other,
        ):
            with trio.fail_after(60):
                while "is ready" not in await call(one, "list_tabs"):  # noqa: ASYNC110  another process's state
                    await trio.sleep(0.1)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lambda: call(one, "request_tab", reason="To order a lamp.", url=shop))
                async with person.view("request.html") as window:
                    await window.says("To order a lamp.")
                    await window.press("Connect")
            await refusal(other, "snapshot")  # it was opened for the other one
            [theirs] = re.findall(r"^\s+(\w{8}),", await call(one, "list_tabs"), re.MULTILINE)

            await call(one, "tab_release", tabId=theirs)

            # A tab that is nobody's is for both; what a client opens is its own, for reading too.
            for client in (one, other):
                assert "Corner Shop" in await call(client, "snapshot", tabId=theirs)
            mine = opened(await call(one, "tab_new", tabId=theirs, url=f"{shop}?mine"))
            yours = opened(await call(other, "tab_new", tabId=theirs, url=f"{shop}?yours"))
            for client, tab, owner in ((other, mine, "orders"), (one, yours, "returns")):
                for command in ("snapshot", "tab_info", "tab_close", "logs"):
                    refused = await refusal(client, command, tabId=tab)
                    assert refused.startswith("TAB_BUSY")
                    assert f"· {owner}" in refused
            listed = await call(other, "list_tabs")
            assert listed.index(yours) < listed.index(theirs) < listed.index(mine)
            assert "· orders" in listed
            assert "?mine" not in listed

            # Chrome shows whose tabs they are.
            async def grouped() -> bool:
                titles = await person.in_worker(_GROUPS)
                return len(titles) == 2 and "· orders" in titles[0] and "· returns" in titles[1]

            await until(grouped, "a group of tabs for each client")

            shared = opened(await call(one, "tab_new", tabId=theirs, url=shop, shared=True))
            assert "Corner Shop" in await call(other, "snapshot", tabId=shared)

            # The person lets the other client in.
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lambda: call(other, "request_tab", reason="To see the order.", tabId=mine))
                async with person.view("question.html") as window:
                    text = await window.says("To see the order.")
                    assert "· returns use this tab" in text
                    assert "Allow once" not in text
                    await window.press("Let it in")
            assert "Corner Shop" in await call(other, "snapshot", tabId=mine)

            await call(one, "tab_release", tabId=mine)

            async def ungrouped() -> bool:
                return len(await person.in_worker("chrome.tabs.query({ groupId: -1 })")) >= 2

            await until(ungrouped, "the tab that was given up outside of its group")
