"""What most end-to-end tests start from: one browser or one hub for all tests of a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.support.agent_page import AgentPage
from tests.support.direct import direct_page
from tests.support.shared_browser import shared_browser
from tests.support.site import Site, serving
from tests.support.stack import HubProcess, hub_process


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A headless browser without the extension; its debugging port."""
    with shared_browser(tmp_path_factory.mktemp("profile")) as port:
        yield port


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """`kapture serve` in a process and a data folder of its own."""
    with hub_process(tmp_path_factory.mktemp("hub") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site without pages, which tests give it. A file whose tests share some has a fixture of its own."""
    with serving({}) as served:
        yield served


@pytest.fixture
async def page(browser: int) -> AsyncIterator[AgentPage]:
    """An empty page with the agent in it, whose functions tests call by themselves."""
    async with direct_page(browser) as connection:
        yield await AgentPage.attach(connection)
