"""Pages and answers that tests of settling share."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.support.context import Tab
from tests.support.site import Page, Site


def slow(body: str, seconds: float) -> Callable[[str], Page]:
    def answer(_: str) -> Page:
        time.sleep(seconds)
        return Page(body)

    return answer


async def at(tab: Tab, site: Site, html: str) -> None:
    site.pages["/start"] = html
    await tab("navigate", url=site.url("/start"))
