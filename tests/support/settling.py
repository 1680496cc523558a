"""Pages and answers that tests of settling share."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kapture.commands.core import page_after
from kapture.page.settling import settle
from tests.support.context import Tab
from tests.support.site import Page, Site


def slow(body: str, seconds: float) -> Callable[[str], Page]:
    def answer(_: str) -> Page:
        time.sleep(seconds)
        return Page(body)

    return answer


def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for started effects however long this machine takes: for effects that do come."""
    monkeypatch.setattr(settle, "AT_MOST_S", 30)
    monkeypatch.setattr(settle, "NOTHING_S", 3)
    monkeypatch.setattr(settle, "QUIET_S", 0.2)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 30_000)


async def at(tab: Tab, site: Site, html: str) -> None:
    site.pages["/start"] = html
    await tab("navigate", url=site.url("/start"))
