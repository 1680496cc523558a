"""A tab that is connected through the extension, and what happens to it meanwhile: it keeps its id."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
from mcp import Client

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.cli.extension_browser import FULL_GRANT
from kapture.package_files import extension_folder
from kapture.pairing.host_manifest import write_host_manifest
from tests.support.direct import attached, devtools_port
from tests.support.framing_extension import framing_extension
from tests.support.own_loop import on_own_loop
from tests.support.patience import until
from tests.support.person import Person, person_at_browser
from tests.support.site import Page, Site, serving
from tests.support.stack import HubProcess, call, hub_process, mcp_client, text_of

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    pages = {
        "/": "<title>First</title><button onclick=\"document.title = 'Pressed'\">Press</button><a href=/next>Next</a>",
        "/next": "<title>Next</title><h1>The next page</h1>",
    }
    with serving(pages) as served:
        yield served


@attrs.frozen
class Scene:
    person: Person
    client: Client
    tab: str

    async def answers(self, tool: str, words: str, **arguments: object) -> None:
        """Wait until a call on the tab is answered, with these words."""

        async def look() -> bool:
            result = await self.client.call_tool(f"kapturemcp_{tool}", {"tabId": self.tab, **arguments})
            return not result.is_error and words in text_of(result)

        await until(look, f"{words!r} from {tool}")

    async def fails(self, tool: str, words: str, **arguments: object) -> None:
        """Wait until a call on the tab is refused, with these words."""

        async def look() -> bool:
            result = await self.client.call_tool(f"kapturemcp_{tool}", {"tabId": self.tab, **arguments})
            return bool(result.is_error) and words in text_of(result)

        await until(look, f"{words!r} from {tool}")


async def tab_at(client: Client, url: str) -> str:
    """The id of the tab with this page, once it is connected."""

    async def look() -> str | None:
        found = re.search(rf"^  (\w{{8}}),.*{re.escape(url)}", await call(client, "list_tabs"), re.MULTILINE)
        return found[1] if found else None

    return await until(look, "the tab")


@asynccontextmanager
async def person_whose_tabs_connect(hub: HubProcess, profile: Path) -> AsyncIterator[Person]:
    """Their browser, once its empty tab is connected: a worker debugged while it starts may lack Chrome APIs."""
    async with person_at_browser(hub.home, profile, grant=FULL_GRANT) as person:
        async with mcp_client(hub) as client:
            await tab_at(client, "about:blank")
        yield person


@pytest.fixture(scope="module")
def shared_person(hub: HubProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """The browser behind `person`: its tabs connect by themselves."""
    with on_own_loop(person_whose_tabs_connect(hub, tmp_path_factory.mktemp("person"))) as person:
        yield person


@asynccontextmanager
async def connected(hub: HubProcess, person: Person, url: str) -> AsyncIterator[Scene]:
    """One tab on a page, beside an empty one. The hub has lost those of earlier tests."""
    async with mcp_client(hub, "--toolsets", "all") as client:

        async def lost() -> bool:
            return "http:" not in await call(client, "list_tabs")

        await until(lost, "the end of all other tabs")
        await person.open(url)
        yield Scene(person, client, await tab_at(client, url))


@asynccontextmanager
async def connected_beside(extension: Path, folder: Path, url: str) -> AsyncIterator[Scene]:
    """One tab on a page, in a browser of its own that has another extension too."""
    with hub_process(folder / "home") as hub:
        write_host_manifest(folder / "profile" / "NativeMessagingHosts", home=hub.home, launch_grant=FULL_GRANT)
        launch = Launch(
            profile=folder / "profile",
            headless=True,
            urls=(url,),
            extra=("--remote-debugging-port=0", f"--load-extension={extension_folder()},{extension}"),
        )
        async with running(launch), mcp_client(hub, "--toolsets", "all") as client:
            person = Person(await devtools_port(folder / "profile"))
            yield Scene(person, client, await tab_at(client, url))


async def test_a_crashed_page_is_reported_and_the_tab_goes_on_with_the_next_one(
    hub: HubProcess, person: Person, site: Site
) -> None:
    async with connected(hub, person, site.url("/")) as scene:
        async with attached(await scene.person.target(site.url("/"))) as page:
            page.root.submit("Page.crash")
            await scene.fails("get_text", "crashed")
        await scene.person.restart_worker()
        await scene.fails("get_text", "crashed")
        assert "The page has crashed." in await call(scene.client, "list_tabs")
        assert "/next" in await call(scene.client, "tab_new", tabId=scene.tab, url="/next")
        await call(scene.client, "navigate", tabId=scene.tab, url=site.url("/next"))
        assert "The next page" in await call(scene.client, "snapshot", tabId=scene.tab)


async def test_the_tabs_of_an_extension_whose_process_is_killed_come_back_with_their_ids(
    hub: HubProcess, person: Person, site: Site
) -> None:
    async with connected(hub, person, site.url("/")) as scene:
        await scene.person.kill_extension()
        await scene.person.open(site.url("/next"))  # like any event it starts the worker before the alarm does
        await scene.answers("get_text", "Press")


async def test_a_tab_that_the_browser_puts_to_sleep_wakes_with_its_id(
    hub: HubProcess, person: Person, site: Site
) -> None:
    async with connected(hub, person, site.url("/")) as scene:
        await call(scene.client, "tab_new", tabId=scene.tab, url=site.url("/next"), active=True)
        asleep = "chrome.tabs.query({}).then((tabs) => chrome.tabs.discard(tabs.find(({url}) => url.endsWith('/')).id))"
        await scene.person.in_worker(f"{asleep}.then(() => true)")
        await scene.fails("get_text", "sleep")
        await scene.person.restart_worker()
        await scene.fails("get_text", "sleep")
        assert f"{scene.tab},First," in await call(scene.client, "list_tabs")
        assert "/next" in await call(scene.client, "tab_new", tabId=scene.tab, url="/next")
        await call(scene.client, "tab_activate", tabId=scene.tab)
        await scene.answers("snapshot", "Press")


async def test_a_page_that_was_to_be_prerendered_is_followed_like_any_other(
    hub: HubProcess, person: Person, site: Site
) -> None:
    rules = {"prerender": [{"urls": ["/next"], "eagerness": "immediate"}]}
    site.pages["/before"] = (
        "<title>Before</title><a href=/next>Next</a><script>function prerender() { document.head.append(Object.assign("
        f"document.createElement('script'), {{ type: 'speculationrules', text: '{json.dumps(rules)}' }})) }}</script>"
    )
    async with connected(hub, person, site.url("/before")) as scene:
        await call(scene.client, "evaluate", tabId=scene.tab, code="prerender()")
        await call(scene.client, "wait_for", tabId=scene.tab, network_idle=True)
        assert "navigated to" in await call(scene.client, "click", tabId=scene.tab, target={"text": "Next"})
        assert "The next page" in await call(scene.client, "snapshot", tabId=scene.tab)
        await call(scene.client, "go_back", tabId=scene.tab)
        await scene.answers("tab_info", "Before")


def add_prerendered(site: Site) -> None:
    """`/speculating`, whose link leads to a page that the browser has prerendered once `/is-ready` was asked for."""
    rules = {"prerender": [{"urls": ["/prerendered"], "eagerness": "immediate"}]}
    site.pages["/speculating"] = (
        "<title>Speculating</title><a href=/prerendered>Next</a>"
        f"<script type=speculationrules>{json.dumps(rules)}</script>"
    )
    site.pages["/prerendered"] = (
        "<title>Prerendered</title><h1></h1><button onclick=\"document.title = 'Pressed'\">Press</button><script>"
        "document.querySelector('h1').textContent = document.prerendering ? 'Made ready before' : 'Loaded now';"
        "fetch('/is-ready')</script>"
    )
    site.requests.clear()


async def until_prerendered(site: Site) -> None:
    """Wait until the page is there."""

    async def ready() -> bool:
        return "/is-ready" in site.requests

    await until(ready, "the prerendered page")


async def test_a_page_that_was_prerendered_before_its_tab_was_connected_is_followed_when_it_takes_the_tab_over(
    tmp_path: Path, site: Site
) -> None:
    add_prerendered(site)
    home, profile = tmp_path / "home", tmp_path / "profile"
    async with person_at_browser(home, profile, site.url("/speculating"), grant=FULL_GRANT) as person:
        await until_prerendered(site)
        with hub_process(home) as hub:
            async with mcp_client(hub, "--toolsets", "core,tabs") as client:

                async def found() -> str | None:
                    listed = re.search(r"^  (\w{8}),Speculating", await call(client, "list_tabs"), re.MULTILINE)
                    return listed[1] if listed else None

                tab = await until(found, "the tab")
                assert "navigated to" in await call(client, "click", tabId=tab, target={"text": "Next"})
                assert "Made ready before" in await call(client, "snapshot", tabId=tab)
                await call(client, "click", tabId=tab, target={"text": "Press"})
                await Scene(person, client, tab).answers("tab_info", "Pressed")
                await call(client, "navigate", tabId=tab, url=site.url("/next"))
                assert "The next page" in await call(client, "snapshot", tabId=tab)


async def test_a_prerendered_page_that_takes_the_tab_over_beside_devtools_leaves_it_connected(
    tmp_path: Path, site: Site
) -> None:
    add_prerendered(site)
    with hub_process(tmp_path / "home") as hub:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", site.url("/speculating")) as person,
            mcp_client(hub) as client,
            person.panel() as panel,
        ):
            await panel.says("Speculating")
            await until_prerendered(site)
            await panel.press("Connect")
            tab = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
            scene = Scene(person, client, tab)
            # Chrome ends the session meanwhile, so that the click may be answered with an error.
            await client.call_tool("kapturemcp_click", {"tabId": tab, "target": {"text": "Next"}})
            await scene.answers("snapshot", "Made ready before")
            await call(client, "click", tabId=tab, target={"text": "Press"})


async def test_a_page_from_the_back_forward_cache_is_used_like_any_other(
    hub: HubProcess, person: Person, site: Site
) -> None:
    async with connected(hub, person, site.url("/")) as scene:
        await call(scene.client, "evaluate", tabId=scene.tab, code="window.kept = 'kept'")
        await call(scene.client, "navigate", tabId=scene.tab, url=site.url("/next"))
        await call(scene.client, "go_back", tabId=scene.tab)
        await call(scene.client, "click", tabId=scene.tab, target={"text": "Press"})
        await scene.answers("tab_info", "Pressed")


async def test_devtools_that_are_opened_leave_the_tab_connected(hub: HubProcess, person: Person, site: Site) -> None:
    async with connected(hub, person, site.url("/")) as scene:
        target = await scene.person.target(site.url("/"))
        async with attached(target) as frontend:  # what DevTools do: a second debugger beside Kapture's
            await frontend.root.send("Runtime.enable")
            await frontend.root.send("DOM.enable")
            await call(scene.client, "click", tabId=scene.tab, target={"text": "Press"})
        await scene.answers("tab_info", "Pressed")


@pytest.fixture
def framer(tmp_path: Path) -> Path:
    """Another extension, that puts a frame of its own into pages at `/framed`."""
    return framing_extension(tmp_path / "framer")


async def test_a_tab_resumes_when_the_frame_that_closed_it_is_gone(tmp_path: Path, site: Site, framer: Path) -> None:
    taken_out = threading.Event()
    site.pages["/framed"] = (
        "<title>Framed</title><h1>With a frame</h1>"
        "<script>fetch('/take-out').then(() => document.querySelector('iframe').remove())</script>"
    )
    site.pages["/take-out"] = Page(wait=taken_out)
    async with connected_beside(framer, tmp_path, site.url("/")) as scene:
        await scene.client.call_tool("kapturemcp_navigate", {"tabId": scene.tab, "url": site.url("/framed")})
        await scene.fails("get_text", "Another extension has put a frame into this page")
        taken_out.set()
        await scene.answers("snapshot", "With a frame")
        assert f"{scene.tab},Framed," in await call(scene.client, "list_tabs")
