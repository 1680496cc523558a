"""What a page evaluates, and in which document."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.errors import PolicyDenied
from kapture.page import Page
from tests.support.one_document import OneDocument


async def test_nothing_is_evaluated_in_a_document_outside_the_grant(nursery: Any) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://secret.example/", "loaderId": "L"}})
    browser.load()
    with pytest.raises(PolicyDenied):
        await page.evaluate("document.title", world="kapture")
    assert browser.evaluated == []
