"""Inspecting elements."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.commands.elements import Elements, Found, Surroundings, elements
from tests.support.one_document import OneDocument


def match(number: int) -> dict[str, Any]:
    """What the agent says of an element."""
    identity = {"ref": number, "role": "button", "name": "Go", "tag": "button"}
    return {**identity, "text": "Go", "box": [number, 0, 40, 20], "visible": True, "inViewport": True}


class Tab:
    """The part of a command's context that these commands use."""

    def __init__(self, nursery: Any) -> None:
        self.browser = browser = OneDocument()
        self.page = browser.page(nursery)

    async def elements(self, most: int) -> Found:
        tab: Any = self
        return await elements(tab, Elements(selector="button", max=most))


@pytest.fixture
def tab(nursery: Any) -> Tab:
    return Tab(nursery)


async def test_the_matches_of_a_page_are_found_and_described_in_one_round_trip(tab: Tab) -> None:
    tab.browser.answers["inspect"] = {"matches": [match(1), match(2)], "total": 3}
    found = await tab.elements(2)
    assert [(one.ref, one.box) for one in found.elements] == [("e1", (1, 0, 40, 20)), ("e2", (2, 0, 40, 20))]
    assert found.total == 3
    assert tab.browser.called == ["inspect"]


async def test_no_more_matches_are_shown_than_asked_for_and_frames_beyond_are_not_measured(tab: Tab) -> None:
    tab.browser.add_frame("https://a.example/inner")
    tab.browser.answers["inspect"] = {"matches": [match(1)], "total": 1}
    found = await tab.elements(1)
    assert ([one.ref for one in found.elements], found.total) == (["e1"], 2)
    assert "outOfFrame" not in tab.browser.called


async def test_what_is_around_an_element_is_one_of_its_facts(tab: Tab) -> None:
    around = {"neighbours": ["Lamp"], "within": ["main"]}
    tab.browser.answers["inspect"] = {"matches": [{**match(1), "surroundings": around}, match(2)], "total": 2}
    found = await tab.elements(2)
    assert [one.surroundings for one in found.elements] == [Surroundings(neighbours=["Lamp"], within=["main"]), None]
