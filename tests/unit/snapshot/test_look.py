"""An action brings the snapshot that follows it, unless the page may have gone on since."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from kapture.errors import PolicyDenied
from kapture.page.actions.choose import choose
from kapture.page.actions.click import click
from kapture.page.actions.fill import fill
from kapture.page.actions.keys import Typing, press_keys, type_into
from kapture.page.documents.look import Look
from kapture.snapshot import Tree, look_ahead, take
from kapture.snapshot.sent_tree import MOST_LOOKED_AT_BYTES
from tests.support.one_document import OneDocument

READY = {
    "status": "ready",
    "at_once": True,
    "element": {"ref": 4, "role": "button", "name": "Go", "tag": "button"},
    "point": {"x": 1, "y": 1},
}
PRESSED = {"met": True, "resting": True, "timers": 0, "transients": []}
TAKEN = {"verdict": "taken", "value": "", "arrived": True}
BEFORE, AFTER = {"root": ["document", 1, "Before"], "number": 1}, {"root": ["document", 1, "After"], "number": 2}


class Bench:
    """A page of one document, whose snapshot before the click was taken."""

    def __init__(self, nursery: Any) -> None:
        self.browser = browser = OneDocument()
        browser.answers = {"ready": READY, "afterPress": PRESSED, "snapshot": BEFORE}
        browser.look = AFTER
        self.page = browser.page(nursery)

    async def click(self) -> Look | None:
        look = look_ahead(self.page)
        async with self.page.acting(look=look):
            await click(self.page, "#go", look=look)
        return look

    async def shown(self, look: Look | None) -> str:
        tree: Tree = await take(self.page, look)
        return tree.main.title


@pytest.fixture
async def bench(nursery: Any) -> Bench:
    bench = Bench(nursery)
    await take(bench.page)
    bench.browser.called.clear()
    return bench


async def test_a_click_brings_the_snapshot_that_follows_it(bench: Bench) -> None:
    look = await bench.click()
    assert await bench.shown(look) == "After"
    assert bench.browser.called == ["ready", "afterPress"]


async def test_filling_text_brings_the_snapshot_that_follows_it(bench: Bench) -> None:
    prepared = {"how": "text", "focused": True}
    bench.browser.answers |= {"ready": {**READY, "prepared": prepared}, "finishFill": {**PRESSED, **TAKEN}}
    look = look_ahead(bench.page)
    async with bench.page.acting(look=look):
        await fill(bench.page, "#name", "Ada", look)
    assert await bench.shown(look) == "After"
    assert bench.browser.called == ["ready", "finishFill"]


async def test_choosing_an_option_brings_the_snapshot_that_follows_it(bench: Bench) -> None:
    bench.browser.answers["ready"] = {**READY, "prepared": {**PRESSED, **TAKEN, "how": "set", "wanted": "Spain"}}
    look = look_ahead(bench.page)
    async with bench.page.acting(look=look):
        await choose(bench.page, "#country", value=["Spain"], look=look)
    assert await bench.shown(look) == "After"
    assert bench.browser.called == ["ready"]


async def test_pressing_a_key_brings_the_snapshot_that_follows_it(bench: Bench) -> None:
    bench.browser.answers["settle"] = PRESSED
    look = look_ahead(bench.page)
    async with bench.page.acting(look=look):
        await press_keys(bench.page, "#name", partial(bench.page.keyboard.press_events, "a"), look)
    assert await bench.shown(look) == "After"
    assert bench.browser.called == ["ready", "settle"]


@pytest.mark.parametrize(("more", "shown"), [(False, "After"), (True, "Before")])
async def test_typing_brings_the_snapshot_that_follows_it_unless_more_is_done(
    bench: Bench, more: bool, shown: str
) -> None:
    bench.browser.answers |= {"readBack": {**PRESSED, **TAKEN}, "settle": PRESSED}
    look = look_ahead(bench.page)
    events = partial(bench.page.keyboard.type_events, "ab")
    async with bench.page.acting(look=look):
        await type_into(bench.page, "#name", Typing(events, "ab", clear=False, more=more, look=look))
    assert await bench.shown(look) == shown
    assert bench.browser.called[:2] == ["ready", "readBack"]


async def test_the_next_snapshot_is_told_from_the_one_that_the_click_brought(bench: Bench) -> None:
    await bench.shown(await bench.click())
    known = bench.page.frames.main.known_tree
    assert getattr(known, "number", None) == 2


async def test_a_snapshot_is_taken_if_the_agent_has_added_none(bench: Bench) -> None:
    bench.browser.look = None
    look = await bench.click()
    assert await bench.shown(look) == "Before"
    assert bench.browser.called[-1] == "snapshot"


async def test_a_snapshot_is_taken_if_anything_was_sent_to_the_tab_since(bench: Bench) -> None:
    look = await bench.click()
    await bench.browser.connection.root.send("Page.bringToFront")
    assert await bench.shown(look) == "Before"


async def test_a_snapshot_is_taken_if_there_is_another_document_since(bench: Bench) -> None:
    look = await bench.click()
    bench.browser.connection.deliver("Runtime.executionContextsCleared", {}, None)
    bench.browser.load()
    assert await bench.shown(look) == "Before"


async def test_a_snapshot_is_taken_if_the_tree_that_it_leaves_parts_out_of_was_dropped_since(bench: Bench) -> None:
    bench.browser.look = {**AFTER, "base": 1}
    look = await bench.click()
    bench.page.frames.main.known_tree = None
    assert await bench.shown(look) == "Before"


async def test_a_page_outside_the_grant_is_not_shown_even_if_the_click_brought_it(bench: Bench) -> None:
    look = await bench.click()
    bench.browser.granted = False
    with pytest.raises(PolicyDenied):
        await bench.shown(look)


async def test_a_snapshot_of_several_documents_is_not_taken_with_the_click(bench: Bench) -> None:
    bench.browser.add_frame("https://b.example/")
    assert look_ahead(bench.page) is None


async def test_a_large_page_is_not_read_with_the_click_because_that_may_be_in_vain(bench: Bench) -> None:
    bench.browser.answers["snapshot"] = {"root": ["document", 1, "x" * MOST_LOOKED_AT_BYTES], "number": 3}
    await take(bench.page)
    assert look_ahead(bench.page) is None


async def test_a_page_of_which_nothing_is_known_is_not_read_with_the_click(nursery: Any) -> None:
    assert look_ahead(Bench(nursery).page) is None
