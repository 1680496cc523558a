"""What the person allows for a time connects by itself after restarts, for its client alone, until it is revoked."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import trio
from mcp import Client
from mcp_types import Implementation

from kapture.cli.demo import demo_shop
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.stack import HubProcess, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

CHOOSE = """
(([id, value]) => {
  const inside = ({ shadowRoot }) => (shadowRoot ? all(shadowRoot) : []);
  const all = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...inside(one)]);
  const select = all(document).find((one) => one.id === id);
  if (!select) return false;
  select.value = value;
  select.dispatchEvent(new Event('change'));
  return true;
})
"""


def named(name: str) -> dict[str, Implementation]:
    """The options of a client of this name."""
    return {"client_info": Implementation(name=name, version="1")}


async def choose(view: Panel, select: str, value: str) -> None:
    """Choose an option of a list."""

    async def chosen() -> bool:
        return bool(await evaluate(view.page, f"{CHOOSE}({json.dumps([select, value])})"))

    await until(chosen, select)


async def grants(hub: HubProcess, *arguments: str) -> str:
    """What `kapture grants` prints."""
    command = [sys.executable, "-m", "kapture", "grants", *arguments]
    ended = await trio.run_process(command, env=hub.environment, capture_stdout=True, cwd=Path.cwd())
    return ended.stdout.decode()


async def give(client: Client, person: Person, client_name: str, days: str) -> None:
    """The person gives the tab that a client asks for, and allows its site for a time."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: call(client, "request_tab", reason="To order a lamp."))
        async with person.view("request.html") as window:
            await window.says("To order a lamp.")
            await choose(window, "days", days)
            await choose(window, "client", client_name)
            await window.press("Connect")


async def connected(client: Client, count: int = 1) -> str:
    """What `list_tabs` says once as many tabs are connected."""

    async def listed() -> str | None:
        text = await call(client, "list_tabs")
        return text if f"tabs[{count}]" in text else None

    return await until(listed, "the tabs that connect by themselves")


async def test_standing_grant_connects_after_restarts_until_it_is_revoked(tmp_path: Path) -> None:
    home, profile = tmp_path / "home", tmp_path / "profile"
    with demo_shop() as shop:
        with hub_process(home) as hub:
            async with (
                person_at_browser(home, profile, shop) as person,
                mcp_client(hub, **named("lamp agent")) as client,
            ):
                await until_ready(client)
                await give(client, person, "lamp agent", "30")
                await connected(client)
        with hub_process(home) as hub:  # all three begin anew
            async with (
                person_at_browser(home, profile, shop) as person,
                mcp_client(hub, **named("another")) as other,
            ):
                await until_ready(other)
                assert await person.attached_tabs() == []
                async with mcp_client(hub, **named("lamp agent")) as client:
                    await connected(client)
                    assert "Corner Shop" in await call(client, "snapshot")
                    assert "POLICY_DENIED" in await refusal(other, "snapshot")
                    await ends_what_runs(hub, client)
                    await person.open(f"{shop}?again")
                    await person.target("?again")
                    assert await person.attached_tabs() == []


async def ends_what_runs(hub: HubProcess, client: Client) -> None:
    """Revoke the only standing grant while a command runs."""
    (line,) = (await grants(hub)).splitlines()
    assert "interact on 127.0.0.1" in line
    assert "only lamp agent" in line
    ended: list[str] = []
    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            ended.append(await refusal(client, "wait_for", text="This never comes", timeout=30_000))

        nursery.start_soon(wait)

        async def runs() -> bool:
            return "wait_for" in await call(client, "status")

        await until(runs, "the command that runs")
        assert line in await grants(hub, "revoke", line.split()[0])
    assert "TAB_DISCONNECTED" in ended[0]
    assert "standing grant" in ended[0]
    assert "No browser" in await grants(hub)


async def until_ready(client: Client) -> None:
    """Wait until the extension has connected."""

    async def ready() -> bool:
        return "is ready" in await call(client, "list_tabs")

    await until(ready, "the extension")
