"""Dialogs of granted pages are answered; those of others are dismissed, and their words are nobody's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kapture.cdp import CdpConnection, PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.dialogs import Dialog, DialogPolicy, Dialogs
from tests.support.cdp_transports import EmptyTransport

INSIDE, OUTSIDE = "https://shop.example/", "https://bank.test/"


class Browser(EmptyTransport):
    """Closes a dialog as soon as it is answered."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.connection = CdpConnection(self)
        self.dialogs = Dialogs(on_open=lambda _: None, granted=lambda _, url: url == INSIDE)
        self.dialogs.observe(self.connection.root)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.answers.append(dict(params))
        self.connection.deliver("Page.javascriptDialogClosed", {"result": params["accept"]}, None)
        return super().submit(method, params, session_id)

    def open(self, url: str, message: str = "Your PIN?") -> Dialog:
        dialog = {"url": url, "frameId": "F", "type": "prompt", "message": message, "defaultPrompt": "1234"}
        self.connection.deliver("Page.javascriptDialogOpening", dialog, None)
        return self.dialogs.seen[-1]


async def test_a_dialog_of_a_granted_page_is_accepted_with_text() -> None:
    browser = Browser()
    await browser.dialogs.answer(browser.open(INSIDE), True, "42")
    assert browser.answers == [{"accept": True, "promptText": "42"}]


@pytest.mark.parametrize(("accept", "text"), [(True, None), (True, "42"), (False, "42")])
async def test_a_dialog_of_an_ungranted_page_is_not_accepted_and_gets_no_text(accept: bool, text: str | None) -> None:
    browser = Browser()
    dialog = browser.open(OUTSIDE)
    with pytest.raises(KaptureError) as caught:
        await browser.dialogs.answer(dialog, accept, text)
    assert caught.value.code is ErrorCode.POLICY_DENIED
    assert browser.answers == []
    await browser.dialogs.answer(dialog, False)
    assert browser.answers == [{"accept": False}]


async def test_a_dialog_that_has_opened_in_place_of_another_is_not_answered() -> None:
    browser = Browser()
    first = browser.open(INSIDE)
    browser.dialogs.clear()
    browser.open(INSIDE, "Delete the account?")
    with pytest.raises(KaptureError, match="not open any more"):
        await browser.dialogs.answer(first, True)
    assert browser.answers == []


def test_the_words_of_a_dialog_of_an_ungranted_page_are_not_kept() -> None:
    browser = Browser()
    browser.open(OUTSIDE)
    blocked = browser.dialogs.blocked()
    assert blocked is not None
    assert "PIN" not in str(blocked)
    assert "1234" not in str(blocked.data)


@pytest.mark.parametrize(
    ("policy", "url", "answer"),
    [
        ("accept", INSIDE, {"accept": True, "promptText": "1234"}),
        ("accept", OUTSIDE, {"accept": False}),
        ("dismiss", INSIDE, {"accept": False}),
        ("dismiss", OUTSIDE, {"accept": False}),
    ],
)
def test_the_policy_accepts_only_dialogs_of_granted_pages(
    policy: DialogPolicy, url: str, answer: dict[str, Any]
) -> None:
    browser = Browser()
    browser.dialogs.policy = policy
    browser.open(url)
    assert browser.answers == [answer]
