"""Pages and answers that tests of settling share."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kapture.commands.core import later_effects, page_after
from kapture.page.settling import settle
from tests.support.context import Tab
from tests.support.site import Page, Site


def slow(body: str, seconds: float) -> Callable[[str], Page]:
    def answer(_: str) -> Page:
        time.sleep(seconds)
        return Page(body)

    return answer


def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an action starts is waited for however long this machine takes: for effects that do come."""
    monkeypatch.setattr(settle, "REQUESTS_BOUND_S", 30)
    monkeypatch.setattr(settle, "REPORT_BOUND_S", 30)
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 30)
    monkeypatch.setattr(later_effects, "FURTHER_CHANGE_S", 30)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 30_000)


async def at(tab: Tab, site: Site, html: str) -> None:
    site.pages["/start"] = html
    await tab("navigate", url=site.url("/start"))
