"""Panel and badge show the true state of a tab: each state is produced and compared with the hub's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import attrs
import pytest
from mcp import Client

from kapture.cli.demo import demo_shop
from tests.support.direct import attached
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.shared_panel import SharedPanel
from tests.support.stack import HubProcess, call, hub_process, mcp_client, refusal, text_of

pytestmark = pytest.mark.e2e


@attrs.frozen
class Scene:
    """A tab connected for its own site, with the panel shown."""

    hub: HubProcess
    person: Person
    client: Client
    panel: Panel
    tab_id: str
    shop: str

    async def go(self, url: str) -> None:
        """The person types an address."""
        async with attached(await self.person.target(self.shop)) as page:
            await page.root.send("Page.navigate", {"url": url})

    async def until_badge(self, text: str) -> None:
        """Wait until a tab's button shows this."""
        of_each = "tabs.map(({ id }) => chrome.action.getBadgeText({ tabId: id }))"
        badges = f"globalThis.chrome?.tabs?.query({{}}).then((tabs) => Promise.all({of_each})) ?? []"

        async def shown() -> bool:
            return text in await self.person.in_worker(badges)

        await until(shown, f"the badge {text!r}")

    async def until_listed(self, words: str) -> None:
        """Wait until `list_tabs` says so."""

        async def listed() -> bool:
            return words in await call(self.client, "list_tabs")

        await until(listed, f"{words!r} in list_tabs")

    async def until_shop_is_read(self, client: Client | None = None) -> None:
        """Wait until a client can read the tab: the panel knows of a change before the hub has its message."""

        async def read() -> bool:
            result = await (client or self.client).call_tool("kapturemcp_snapshot", {"tabId": self.tab_id})
            return "Corner Shop" in text_of(result)

        await until(read, "the shop in a snapshot")


@asynccontextmanager
async def connected(
    hub: HubProcess, person: Person, shop: str, opening: AbstractAsyncContextManager[Panel]
) -> AsyncIterator[Scene]:
    async with mcp_client(hub) as client, opening as panel:
        await panel.says("Corner Shop")
        await panel.press("Connect")
        tab_id = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
        yield Scene(hub, person, client, panel, tab_id, shop)


@pytest.fixture
async def scene(hub: HubProcess, person: Person, shared_panel: SharedPanel) -> AsyncIterator[Scene]:
    """With the hub and the browser that tests share."""
    with demo_shop() as shop:
        async with connected(hub, person, shop, shared_panel.on(shop)) as scene:
            yield scene


@pytest.fixture
async def own_scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """With a hub and a browser of its own, whose hub or worker a test may end."""
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", shop) as person,
            connected(hub, person, shop, person.panel()) as scene,
        ):
            yield scene


async def test_outside_the_grant_the_person_reads_that_the_agent_sees_nothing_and_can_allow_the_site(
    scene: Scene,
) -> None:
    await scene.until_badge("on")
    elsewhere = scene.shop.replace("127.0.0.1", "localhost")
    await scene.go(elsewhere)
    await scene.panel.says("The agent sees nothing on this page.")
    await scene.until_badge("–")
    await scene.panel.press("Allow this site too")
    await scene.panel.says("Connected\nDisconnect")
    await scene.until_badge("on")
    await scene.until_listed("localhost")
    await scene.until_shop_is_read()


async def test_a_tab_that_registers_outside_the_grant_is_worked_on_as_soon_as_the_person_allows_the_site(
    own_scene: Scene,
) -> None:
    await own_scene.go(own_scene.shop.replace("127.0.0.1", "localhost"))
    await own_scene.panel.says("The agent sees nothing on this page.")
    own_scene.hub.kill()
    await own_scene.panel.says("Reconnecting…\nDisconnect")
    with hub_process(own_scene.hub.home, own_scene.hub.port) as again:
        await own_scene.panel.says("Outside the grant\nDisconnect")
        await own_scene.panel.press("Allow this site too")
        await own_scene.panel.says("Connected\nDisconnect")
        async with mcp_client(again) as client:
            await own_scene.until_shop_is_read(client)


async def test_on_a_page_that_chrome_keeps_closed_the_tab_is_paused_and_comes_back_by_itself(scene: Scene) -> None:
    await scene.go("chrome://version/")
    await scene.panel.says("Paused\nDisconnect")
    await scene.panel.says("Kapture resumes by itself")
    await scene.until_badge("❚❚")
    await scene.until_listed("comes back by itself")
    refused = await refusal(scene.client, "snapshot", tabId=scene.tab_id)
    assert refused.startswith(("DETACHED", "POLICY_DENIED")), refused
    async with attached(await scene.person.target("chrome://version")) as page:
        await page.root.send("Page.navigate", {"url": scene.shop})
    await scene.panel.says("Connected\nDisconnect")
    await scene.until_shop_is_read()


async def test_a_worker_that_the_browser_ends_comes_back_with_what_its_tabs_do(own_scene: Scene) -> None:
    await own_scene.person.in_worker("chrome.alarms.clear('reconnect')")  # which would wake it within half a minute
    worker = await own_scene.person.target("worker/main.js")
    await own_scene.person.stop_worker()
    async with attached(await own_scene.person.target(own_scene.shop)) as page:
        await evaluate(page, "console.log('still here')")

    async def another() -> bool:
        return bool((await own_scene.person.target("worker/main.js"))["id"] != worker["id"])

    await until(another, "another worker")
    await own_scene.until_badge("on")
    await own_scene.until_shop_is_read()


async def test_while_the_hub_is_gone_the_person_sees_it_and_the_tab_is_back_with_the_hub(own_scene: Scene) -> None:
    own_scene.hub.kill()
    await own_scene.panel.says("Reconnecting…\nDisconnect")
    await own_scene.until_badge("!")
    with hub_process(own_scene.hub.home, own_scene.hub.port) as again:
        await own_scene.panel.says("Connected\nDisconnect")
        async with mcp_client(again) as client:
            assert own_scene.tab_id in await call(client, "list_tabs")
