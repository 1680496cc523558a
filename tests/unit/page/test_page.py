"""What a page evaluates, and in which document."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.errors import PolicyDenied
from kapture.page import Page
from tests.support.one_document import REPORT, OneDocument


async def test_nothing_is_evaluated_in_a_document_outside_the_grant(nursery: Any) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://secret.example/", "loaderId": "L"}})
    browser.load()
    with pytest.raises(PolicyDenied):
        await page.evaluate("document.title", world="kapture")
    assert browser.evaluated == []


@pytest.mark.parametrize(
    ("opened", "said"),
    [
        ({"url": "https://a.example/", "frameId": "M"}, "your name?"),
        ({"url": "https://a.example/", "frameId": "F"}, ""),
        ({"url": "https://a.example/"}, "your name?"),
        ({"url": "https://secret.example/"}, ""),
        ({"url": "about:blank"}, ""),
    ],
    ids=["of the page", "of a frame outside", "by its address", "by an address outside", "by one that names no site"],
)
async def test_the_words_of_a_dialog_are_those_of_a_document_of_the_grant(
    nursery: Any, opened: dict[str, str], said: str
) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})
    browser.add_frame("https://secret.example/")
    page.dialogs.observe(browser.connection.root)
    dialog = {"type": "prompt", "message": "your name?", "defaultPrompt": "", "hasBrowserHandler": False, **opened}
    browser.connection.deliver("Page.javascriptDialogOpening", dialog, None)
    assert page.dialogs.current is not None
    assert page.dialogs.current.message == said


@pytest.mark.parametrize("granted", [True, False])
async def test_documents_outside_the_grant_are_not_asked_to_watch_what_an_action_causes(
    nursery: Any, granted: bool
) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: granted or "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})
    browser.load()
    browser.add_frame("https://secret.example/")
    browser.answers = {"effects": REPORT}
    async with page.acting(shows=True):
        await page.frames.main.call("platform")
    assert browser.called.count("watch") == 1 + granted
    assert browser.called.count("effects") == 1 + granted
