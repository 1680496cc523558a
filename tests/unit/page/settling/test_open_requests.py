"""Requests whose answers the page does not read: the browser does not report their end."""

from __future__ import annotations

import pytest
from trio.testing import MockClock

from kapture.page.network.short_answers import is_short
from kapture.page.settling.open_requests import UNREAD_BOUND_S
from kapture.page.settling.settle import REQUESTS_BOUND_S
from tests.unit.page.settling.conftest import Tab


async def test_a_short_answer_that_is_not_read_is_not_waited_for(tab: Tab, autojump_clock: MockClock) -> None:
    tab.request("save")
    tab.answer("save", {"Content-Length": "53"})
    assert await tab.settle() == pytest.approx(UNREAD_BOUND_S)
    assert tab.watch.outcome.unanswered == frozenset()


async def test_an_answer_that_is_read_is_waited_for_until_then(tab: Tab, autojump_clock: MockClock) -> None:
    tab.request("save")
    tab.answer("save", {"Content-Length": "53"})
    tab.respond("save")
    assert await tab.settle() == 0


@pytest.mark.parametrize("headers", [{}, {"content-length": "9000000"}], ids=["of any length", "long"])
async def test_an_answer_that_may_go_on_is_waited_for(
    tab: Tab, headers: dict[str, str], autojump_clock: MockClock
) -> None:
    tab.request("save")
    tab.request("text")
    tab.answer("save", {"content-length": "2"})
    tab.answer("text", headers)
    assert await tab.settle() == pytest.approx(REQUESTS_BOUND_S)
    assert tab.watch.outcome.unanswered == {(None, "text")}


async def test_a_redirect_asks_again(tab: Tab, autojump_clock: MockClock) -> None:
    tab.request("save")
    tab.answer("save", {"content-length": "0"})
    tab.request("save")
    assert await tab.settle() == pytest.approx(REQUESTS_BOUND_S)
    assert tab.watch.outcome.requests == 1
    assert tab.watch.outcome.unanswered == {(None, "save")}


@pytest.mark.parametrize("length", ["", "-1", "4e3", "٣", "9" * 5000])
def test_a_length_that_is_none_says_nothing(length: str) -> None:
    assert not is_short({"content-length": length})
