"""Shared fixtures of end-to-end tests: one browser or one hub for all tests of a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.support.agent_page import AgentPage
from tests.support.own_loop import on_own_loop
from tests.support.person import Person, person_at_browser
from tests.support.shared_browser import SharedBrowser, shared_browser
from tests.support.shared_panel import SharedPanel
from tests.support.shared_tab import SharedTab
from tests.support.site import Site, serving
from tests.support.stack import HubProcess, hub_process


@pytest.fixture(scope="session")
def browser_of_all_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedBrowser]:
    """The browser behind `browser`, which tests take."""
    with shared_browser(lambda: tmp_path_factory.mktemp("profile")) as shared:
        yield shared


@pytest.fixture(scope="module")
def browser(browser_of_all_files: SharedBrowser) -> int:
    """A headless browser without the extension, as new for each file; its debugging port."""
    return browser_of_all_files.port()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """`kapture serve` in a process and a data folder of its own."""
    with hub_process(tmp_path_factory.mktemp("hub") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def shared_person(hub: HubProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """The browser behind `person`, which tests take."""
    with on_own_loop(person_at_browser(hub.home, tmp_path_factory.mktemp("person"))) as person:
        yield person


@pytest.fixture(scope="module")
def shared_panel(shared_person: Person) -> SharedPanel:
    """The DevTools that tests of `person` share, if they want to."""
    return SharedPanel(shared_person)


@pytest.fixture
async def person(shared_person: Person, shared_panel: SharedPanel) -> Person:
    """A person's browser whose extension is paired with `hub`. It shows an empty tab; whatever a test opens in it is
    closed before the next, but for the window of `shared_panel`."""
    await shared_panel.reset()
    return shared_person


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site without pages, which tests give it. A file whose tests share some has a fixture of its own."""
    with serving({}) as served:
        yield served


@pytest.fixture(scope="module")
def tab_of_documents(browser: int) -> SharedTab:
    """The tab behind `page`, which tests take."""
    return SharedTab(browser)


@pytest.fixture
async def page(tab_of_documents: SharedTab) -> AsyncIterator[AgentPage]:
    """An empty page with the agent in it, whose functions tests call by themselves."""
    async with tab_of_documents.blank() as connection:
        yield await AgentPage.attach(connection)
