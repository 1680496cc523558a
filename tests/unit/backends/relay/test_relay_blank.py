"""The reply for a page that is sent to `about:blank`, as from `Page.navigate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kapture.backends.relay.relay_transport import GoingBlank
from kapture.cdp import CdpError, PendingReply


class GoingPage:
    """A page in frame "main" that runs what takes it away."""

    def __init__(self) -> None:
        self.reply = PendingReply()
        self.run = PendingReply()
        self.going = GoingBlank("main", self.reply)
        self.going.start(self._submit)

    def _submit(self, method: str, params: Mapping[str, Any]) -> PendingReply:
        assert method == "Runtime.evaluate"
        return self.run


STARTED = ("Page.frameStartedNavigating", {"frameId": "main", "loaderId": "new"})
COMMITTED = ("Page.frameNavigated", {"frame": {"id": "main", "loaderId": "new"}})


@pytest.mark.parametrize("event", [STARTED, COMMITTED])
@pytest.mark.parametrize("event_first", [True, False])
def test_a_page_that_goes_is_answered_with_its_new_document(event: tuple[str, Any], event_first: bool) -> None:
    page = GoingPage()
    if event_first:
        page.going.deliver(*event)
    page.run.resolve({"result": {"value": True}})
    if not event_first:
        assert not page.reply.done
        page.going.deliver(*event)
    assert page.reply.value() == {"frameId": "main", "loaderId": "new"}


def test_a_frame_of_the_page_that_navigates_answers_nothing() -> None:
    page = GoingPage()
    page.run.resolve({"result": {"value": True}})
    page.going.deliver("Page.frameStartedNavigating", {"frameId": "other", "loaderId": "x"})
    page.going.deliver("Page.frameNavigated", {"frame": {"id": "other", "loaderId": "x"}})
    assert not page.reply.done


def test_a_page_that_stays_answers_as_the_browser_does() -> None:
    prevented = GoingPage()
    prevented.run.resolve({"result": {"value": False}})
    assert prevented.reply.value() == {"frameId": "main", "errorText": "net::ERR_ABORTED"}
    kept = GoingPage()
    kept.run.resolve({"result": {"value": True}})
    kept.going.deliver("Page.javascriptDialogClosed", {"result": False})
    assert kept.reply.value() == {"frameId": "main", "errorText": "net::ERR_ABORTED"}


def test_a_page_that_cannot_be_followed_answers_the_error() -> None:
    page = GoingPage()
    page.run.fail(CdpError("Runtime.evaluate", "gone"))
    with pytest.raises(CdpError, match="gone"):
        page.reply.value()
