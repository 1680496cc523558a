"""A person at a page that is being recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs

from kapture.page import Page
from kapture.page.actions.click import click
from tests.support.context import Tab, open_tab
from tests.support.recorded import Recorded, recording
from tests.support.site import Site


@attrs.define
class Person:
    """Input that comes from no command: as a person's does."""

    page: Page
    recorded: Recorded

    async def click(self, selector: str, count: int = 1) -> None:
        await click(self.page, selector, count=count)

    async def type(self, text: str) -> None:
        await self.page.keyboard.type(text)

    async def press(self, key: str) -> None:
        await self.page.keyboard.press(key)


@asynccontextmanager
async def person_at(browser: int, site: Site, html: str) -> AsyncIterator[tuple[Tab, Person, Recorded]]:
    site.pages["/start"] = "<!doctype html>" + html
    async with open_tab(browser, site.url("/start")) as tab, recording(tab.page) as recorded:
        yield tab, Person(tab.page, recorded), recorded
