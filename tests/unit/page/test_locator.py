"""Errors of searches without a result: near matches, and frames that were not searched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import PendingReply
from kapture.errors import ElementNotFound, PolicyDenied
from kapture.page.highlight import Highlight
from kapture.page.locator import resolve
from kapture.page.target import TargetSpec, frame_part
from tests.support.one_document import OneDocument
from tests.unit.page.frame_world import World

NOTHING = {"matches": [], "total": 0, "near": []}


@pytest.fixture
async def browser() -> OneDocument:
    browser = OneDocument()
    browser.load()
    browser.outside = "https://pay.example/form?card=4111"
    browser.add_frame(browser.outside)
    browser.answers = {"locate": NOTHING}
    return browser


async def test_a_search_says_which_frames_it_left_out_and_how_to_get_at_them(browser: OneDocument) -> None:
    with pytest.raises(ElementNotFound) as failure:
        await resolve(browser.frames, TargetSpec(role="button", name="Pay")).find_one()
    error = failure.value
    assert "The frames of https://pay.example were not searched" in error.message
    assert '"frame": "f1"' in error.hint
    assert error.data["notSearched"] == [{"frame": "f1", "origin": "https://pay.example"}]
    assert "4111" not in json.dumps([error.message, error.hint, error.data])


async def test_frame_of_extension_is_never_asked_for() -> None:
    browser = OneDocument()
    browser.load()
    browser.outside = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/inner.html"
    browser.add_frame(browser.outside)
    browser.answers = {"locate": NOTHING}
    with pytest.raises(ElementNotFound) as failure:
        await resolve(browser.frames, TargetSpec(role="button", name="Pay")).find_one()
    assert "chrome-extension://abcdefghijklmnopabcdefghijklmnop were not searched" in failure.value.message
    assert "grant" not in failure.value.hint


async def test_similar_text_of_page_is_not_given_as_hint(browser: OneDocument) -> None:
    browser.answers = {"locate": {**NOTHING, "near": ['button "Send me the cookies"']}}
    with pytest.raises(ElementNotFound) as failure:
        await resolve(browser.frames, TargetSpec(text="Pay")).find_one()
    assert "Send me the cookies" in failure.value.message
    assert "cookies" not in failure.value.hint


async def test_a_frame_that_leaves_the_grant_meanwhile_does_not_keep_the_others_from_being_searched(
    browser: OneDocument,
) -> None:
    browser.outside = ""
    locator = resolve(browser.frames, TargetSpec(text="Pay"))
    browser.outside = browser.frames.get("f1").url
    assert (await locator.find_all()).total == 0
    assert browser.called == ["locate"], "of the main frame"


async def test_a_search_in_one_granted_frame_says_nothing_of_others(browser: OneDocument) -> None:
    with pytest.raises(ElementNotFound) as failure:
        await resolve(browser.frames, TargetSpec(text="Pay", frame="main")).find_one()
    assert "not searched" not in failure.value.message
    assert "notSearched" not in failure.value.data


@pytest.mark.parametrize("target", [TargetSpec(ref="f1e3"), TargetSpec(text="Pay", frame="f1")])
async def test_a_target_in_a_frame_outside_the_grant_is_denied_by_its_origin(
    browser: OneDocument, target: TargetSpec
) -> None:
    with pytest.raises(PolicyDenied) as failure:
        resolve(browser.frames, target)
    error = failure.value
    assert error.message == "Frame f1 is at https://pay.example, which this tab's grant does not cover."
    assert "4111" not in json.dumps([error.message, error.hint, error.data])


# How a recorded target says which frame its element is in, so that a later run finds it there and nowhere else.


CARD = "https://pay.example/field.html"


@pytest.fixture
def world() -> World:
    return World()


def part(world: World, frame_id: str) -> dict[str, str]:
    frame = world.tree.by_id(frame_id)
    assert frame is not None
    found = frame_part(frame, world.tree)
    assert not found or world.tree.find(found["frame"]) is frame
    return found


def open_frames(world: World, **urls: str) -> None:
    for frame_id, url in urls.items():
        world.attach(frame_id)
        world.navigate(frame_id, url)


def test_a_frame_goes_by_site_and_path(world: World) -> None:
    open_frames(world, A="https://pay.example/card?session=4f2a", B="https://ads.example/")
    assert part(world, "A") == {"frame": "pay.example/card"}
    assert part(world, "M") == {}


def test_frames_of_same_page_are_told_apart_by_named_parameter(world: World) -> None:
    session = "session=4f2ac81"
    open_frames(world, A=f"{CARD}?{session}&field=number#v=a", B=f"{CARD}?{session}&field=expiry#v=b")
    assert part(world, "A") == {"frame": "field=number"}
    assert part(world, "B") == {"frame": "field=expiry"}


def test_a_frame_that_nothing_tells_from_others_is_not_named(world: World) -> None:
    open_frames(world, A=f"{CARD}?session=4f2ac81", B=f"{CARD}?session=19bb02e", C="about:blank")
    assert [part(world, frame) for frame in "ABC"] == [{}, {}, {}]


# The mark of an element, which may be taken away while it is still being set.


class Document(OneDocument):
    """One whose overlay is switched on late."""

    def __init__(self) -> None:
        super().__init__()
        self.load()
        self.answers = {"box": [10, 20, 30, 40]}
        self.enabled = PendingReply()
        self.marked = False
        self.highlight = Highlight(self.connection.root, self.frames)

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method in ("Overlay.highlightQuad", "Overlay.hideHighlight"):
            self.marked = "quad" in params
        return self.enabled if method == "Overlay.enable" else super()._reply(method, params, session_id)


async def test_a_mark_that_is_taken_away_while_it_is_set_does_not_stay(nursery: trio.Nursery) -> None:
    document = Document()
    nursery.start_soon(document.highlight.show, "e4")
    await wait_all_tasks_blocked()
    document.highlight.hide()
    document.enabled.resolve({})
    await wait_all_tasks_blocked()
    assert not document.marked
