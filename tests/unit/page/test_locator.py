"""What a search says that found nothing: what comes close, and which frames were not searched."""

from __future__ import annotations

import json

import pytest

from kapture.errors import ElementNotFound, PolicyDenied
from kapture.page.locator import resolve
from kapture.page.target import TargetSpec
from tests.support.one_document import OneDocument

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


async def test_nobody_is_asked_to_grant_the_frame_of_an_extension() -> None:
    browser = OneDocument()
    browser.load()
    browser.outside = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/inner.html"
    browser.add_frame(browser.outside)
    browser.answers = {"locate": NOTHING}
    with pytest.raises(ElementNotFound) as failure:
        await resolve(browser.frames, TargetSpec(role="button", name="Pay")).find_one()
    assert "chrome-extension://abcdefghijklmnopabcdefghijklmnop were not searched" in failure.value.message
    assert "grant" not in failure.value.hint


async def test_what_comes_close_is_the_pages_text_and_so_no_hint_of_kaptures(browser: OneDocument) -> None:
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
