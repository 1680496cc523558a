"""What the main frame waits for, by the browser's events."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from kapture.cdp import CdpConnection
from kapture.page.documents.awaited_document import AwaitedDocument
from tests.support.cdp_transports import SilentTransport

URL = "https://a.example/slow"


class Waiting:
    """A main frame "M", whose events the test sends."""

    def __init__(self) -> None:
        self.connection = CdpConnection(SilentTransport())
        frames = SimpleNamespace(known=True, main=SimpleNamespace(id="M"))
        self.document = AwaitedDocument(cast("Any", frames))
        self.document.observe(self.connection.root)

    def event(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def asks(self, frame: str = "M", kind: str = "Document", request: str = "R1", url: str = URL) -> None:
        self.event("Network.requestWillBeSent", requestId=request, frameId=frame, type=kind, request={"url": url})


ENDS = {
    "its document is there": ("Page.frameNavigated", {"frame": {"id": "M", "url": URL}}),
    "it failed, was cancelled, or has no content": ("Network.loadingFailed", {"requestId": "R1"}),
    "it was stopped": ("Page.frameStoppedLoading", {"frameId": "M"}),
    "it is a download": ("Page.downloadWillBegin", {"guid": "G"}),
    "the page crashed": ("Inspector.targetCrashed", {}),
}


@pytest.mark.parametrize(("method", "params"), ENDS.values(), ids=ENDS)
async def test_a_document_is_awaited_until(method: str, params: dict[str, Any], nursery: trio.Nursery) -> None:
    waiting = Waiting()
    waiting.asks()
    over = trio.Event()

    async def wait() -> None:
        await waiting.document.over()
        over.set()

    nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    assert not over.is_set()
    waiting.event(method, **params)
    await trio.testing.wait_all_tasks_blocked()
    assert over.is_set()
    assert waiting.document.url is None


def test_a_document_outside_the_grant_is_awaited_whose_request_is_not_reported() -> None:
    waiting = Waiting()
    went = {"frameId": "M", "url": URL, "loaderId": "R1"}
    waiting.event("Page.frameStartedNavigating", **went, navigationType="sameDocument")
    assert waiting.document.url is None
    waiting.event("Page.frameStartedNavigating", **went, navigationType="differentDocument")
    assert waiting.document.url == URL
    waiting.event("Page.frameStoppedLoading", frameId="M")
    assert waiting.document.url is None


def test_a_redirect_is_awaited_under_its_new_address() -> None:
    waiting = Waiting()
    waiting.asks()
    waiting.asks(url="https://b.example/")
    assert waiting.document.url == "https://b.example/"


def test_what_frames_and_scripts_ask_for_or_what_becomes_of_that_does_not_count() -> None:
    waiting = Waiting()
    waiting.asks(frame="F")
    waiting.asks(kind="Fetch")
    assert waiting.document.url is None
    waiting.asks()
    waiting.event("Network.loadingFailed", requestId="R2")
    waiting.event("Page.frameStoppedLoading", frameId="F")
    waiting.event("Page.frameNavigated", frame={"id": "F", "parentId": "M", "url": URL})
    assert waiting.document.url == URL


async def test_a_document_that_has_been_left_is_not_waited_for(autojump_clock: MockClock) -> None:
    waiting = Waiting()
    with waiting.document.asked_in_time() as asked:
        await trio.sleep(60)  # nothing has been asked of a server: the document itself may take its time
        waiting.asks()
        began = trio.current_time()
        await trio.sleep_forever()
    assert asked.cancelled_caught
    assert trio.current_time() - began == pytest.approx(1)


async def test_what_is_asked_of_a_document_that_is_being_left_already_is_not_waited_for(
    autojump_clock: MockClock,
) -> None:
    waiting = Waiting()
    waiting.asks()
    with trio.fail_after(5), waiting.document.asked_in_time() as asked:
        await trio.sleep_forever()
    assert asked.cancelled_caught


async def test_a_document_that_is_not_left_after_all_may_take_its_time(autojump_clock: MockClock) -> None:
    waiting = Waiting()
    with waiting.document.asked_in_time() as asked:
        waiting.asks()
        waiting.event("Network.loadingFailed", requestId="R1")
        await trio.sleep(60)
    assert not asked.cancelled_caught
