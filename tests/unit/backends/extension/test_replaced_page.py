"""Commands during which the browser puts another page into the tab."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import attrs
import pytest
import trio

from kapture.backends.backend import Address
from kapture.backends.extension.extension import REPLACED, ReplaceablePage
from kapture.backends.tab_page import TabPage
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import get_command
from kapture.commands.navigation import arrived
from kapture.errors import Detached, ErrorCode

ERROR = Detached(ErrorCode.DETACHED, "Replaced.", data={"reason": REPLACED})


@attrs.frozen
class _Call:
    command: Any


class _Page:
    """`ends` are what the runs of commands do, in order; None: the browser replaces the page."""

    def __init__(self, *ends: str | None, to: str = "https://a.example/bill.pdf", back: bool = True) -> None:
        self.ran: list[Any] = []
        self.url = "https://a.example/"
        self.attached = SimpleNamespace(now=object(), come_back=self._come_back)
        self.replaced: Callable[[Detached], None] = lambda _: None
        self._ends, self._to, self._back = list(ends), to, back

    def address(self, known: Address) -> Address:
        return Address(url=self.url, title="")

    async def run(self, call: TabContext, browser: object) -> str:
        self.ran.append(call.command.handler)
        if (end := self._ends.pop(0)) is not None:
            return end
        self.attached.now = None
        self.replaced(ERROR)
        await trio.sleep_forever()
        raise AssertionError

    async def _come_back(self) -> None:
        if not self._back:
            await trio.sleep_forever()
        self.attached.now, self.url = object(), self._to


async def run(page: _Page, name: str) -> CallResult:
    replaceable = ReplaceablePage(cast("TabPage", page))
    page.replaced = replaceable.replaced
    return await replaceable.run(cast("TabContext", _Call(get_command(name))), cast("Any", None))


async def test_uninterrupted_command_is_answered() -> None:
    assert cast("Any", await run(_Page("done"), "click")) == "done"


@pytest.mark.parametrize("name", ["navigate", "reload", "go_back"])
async def test_a_navigation_that_ends_in_another_page_says_where_it_has_led(name: str) -> None:
    page = _Page(None, "there")
    assert cast("Any", await run(page, name)) == "there"
    assert page.ran == [get_command(name).handler, arrived]


async def test_a_page_that_is_replaced_once_more_is_waited_for_again() -> None:
    assert cast("Any", await run(_Page(None, None, "there"), "navigate")) == "there"


async def test_navigate_begins_again_if_the_page_that_it_was_to_leave_is_the_one_that_came() -> None:
    page = _Page(None, "navigated", to="https://a.example/")
    assert cast("Any", await run(page, "navigate")) == "navigated"
    assert page.ran == [get_command("navigate").handler] * 2


@pytest.mark.parametrize(("name", "to"), [("click", "https://b.example/"), ("go_back", "https://a.example/")])
async def test_possibly_effective_command_is_neither_repeated_nor_reported_done(name: str, to: str) -> None:
    page = _Page(None, to=to)
    with pytest.raises(Detached, match="It may have taken effect") as caught:
        await run(page, name)
    assert caught.value.data["reason"] == REPLACED
    assert len(page.ran) == 1


async def test_a_tab_that_gets_no_page_any_more_fails_with_the_reason(autojump_clock: Any) -> None:
    with pytest.raises(Detached) as caught:
        await run(_Page(None, back=False), "navigate")
    assert caught.value is ERROR
