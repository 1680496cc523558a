"""Pressing and typing travel as one message, with what is asked afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from kapture.errors import PolicyDenied
from kapture.page.actions.keys import Typing, press_keys
from tests.support.one_document import OneDocument

EVALUATE, KEY = "Runtime.evaluate", "Input.dispatchKeyEvent"
READY = {
    "status": "ready",
    "at_once": True,
    "element": {"ref": 4, "role": "textbox", "name": "Name", "tag": "input"},
    "point": {"x": 1, "y": 1},
    "prepared": {"focused": True},
}
TYPED = {"verdict": "taken", "value": "ab", "arrived": True}


class Bench:
    """A page of one document, and the messages that are sent to it."""

    def __init__(self, nursery: Any) -> None:
        self.browser = browser = OneDocument()
        browser.answers = {"ready": READY, "readBack": TYPED}
        self.page = browser.page(nursery)

    def press(self, target: str | None) -> Any:
        return press_keys(self.page, target, partial(self.page.keyboard.press_events, "a"))

    def typing(self) -> Typing:
        return Typing(partial(self.page.keyboard.type_events, "ab"), "ab", clear=False)

    @property
    def messages(self) -> Sequence[Sequence[str]]:
        return [[method for method, _ in batch] for batch in self.browser.batches]


@pytest.fixture
async def bench(nursery: Any) -> Bench:
    return Bench(nursery)


async def test_with_a_frame_outside_the_grant_the_focus_is_looked_at_before_the_key(bench: Bench) -> None:
    bench.browser.outside = "https://b.example/"
    bench.browser.add_frame(bench.browser.outside)
    await bench.press("#name")
    called = bench.browser.called
    assert called.index("ready") < called.index("focusedFrame") < called.index("refuseInput")
    assert bench.messages == [[KEY], [KEY]]
    assert called.count("focusedFrame") == 3  # and before each event


async def test_no_key_is_sent_once_the_focus_is_outside_the_grant(bench: Bench) -> None:
    bench.browser.outside = "https://b.example/"
    bench.browser.add_frame(bench.browser.outside)
    [key] = [frame.key for frame in bench.page.frames.all() if not frame.granted]
    focused = iter([None, None, key, None])  # asked before all, before the key goes down, and before it goes up

    class Answers(dict[str, Any]):
        def get(self, function: str, default: Any = None) -> Any:
            return next(focused) if function == "focusedFrame" else super().get(function, default)

    bench.browser.answers = Answers(bench.browser.answers)
    with pytest.raises(PolicyDenied):
        await bench.press("#name")
    assert bench.messages == [[KEY]]
    assert bench.browser.called[-1] == "acceptInput"
