"""What is drawn over a page for a picture is taken away again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.commands import capture as module
from kapture.commands.capture import overlay, withheld, withheld_during
from kapture.errors import Detached, ErrorCode, PolicyDenied
from kapture.page import Page
from kapture.snapshot.node import Node
from tests.unit.page.frame_world import OUTSIDE, World


class FakeFrame:
    """A frame that notes what its agent is asked; its document has gone when the overlay is to be erased."""

    why_silent = ""

    def __init__(self, key: str, *, granted: bool, children: tuple[FakeFrame, ...] = ()) -> None:
        self.key = key
        self.granted = granted
        self.children = children
        self.asked: list[str] = []

    async def call(self, function: str, _: dict[str, Any] | None = None) -> Any:
        await trio.lowlevel.checkpoint()
        self.asked.append(function)
        if function == "erase":
            raise Detached(ErrorCode.DETACHED, "The document has gone.")
        return {"draw": {"uncovered": [], "drawn": []}, "veil": {"veiled": True}}.get(function)


class FakePage:
    """A page with a frame outside the grant."""

    def __init__(self) -> None:
        self.outside = FakeFrame("f1", granted=False)
        self.main = FakeFrame("", granted=True, children=(self.outside,))
        self.frames = self

    def all(self) -> list[FakeFrame]:
        return [self.main, self.outside]


async def test_a_frame_outside_the_grant_is_uncovered_even_if_the_page_around_it_has_gone() -> None:
    page = FakePage()
    with pytest.raises(Detached):
        async with overlay(cast("Page", page), []):
            assert page.outside.asked == ["veil"]
    assert page.outside.asked == ["veil", "unveil"]


async def test_labels_are_taken_away_in_every_frame_even_if_the_document_of_one_has_gone() -> None:
    page = FakePage()
    page.outside.granted = True
    with pytest.raises(Detached):
        async with overlay(cast("Page", page), [("e1", 'e1 button "Save"'), ("f1e2", 'f1e2 link "More"')]):
            pass
    assert page.main.asked == page.outside.asked == ["draw", "erase"]


async def test_no_picture_is_taken_of_a_frame_outside_the_grant_that_is_out_of_reach() -> None:
    page = FakePage()
    page.outside.why_silent = "out of reach"
    with pytest.raises(PolicyDenied, match="f1"):
        async with overlay(cast("Page", page), []):
            pytest.fail("the picture was taken")


async def test_what_is_labelled_is_named_as_in_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = (
        Node("button", 1, name='Pay"\ne2 button "Safe'),
        Node("button", 2, hint=("icon", "trash")),
        Node("link", 3, name="Far", offscreen=True),
        Node("heading", 4, name="Goods"),
    )
    page = FakePage()
    page.main.ref = lambda number: f"e{number}"  # type: ignore[attr-defined]
    page.main.parent = None  # type: ignore[attr-defined]

    async def read(frame: Any) -> Any:
        return SimpleNamespace(root=Node("document", 9, children=nodes))

    monkeypatch.setattr(module, "read_document", read)
    assert await module.labels_of(cast("Page", page)) == [
        ("e1", r'e1 button "Pay\" e2 button \"Safe"'),
        ("e2", "e2 button (icon trash)"),
    ]


def test_documents_outside_the_grant_are_withheld_from_a_picture() -> None:
    world = World()
    page = cast("Page", SimpleNamespace(frames=world.tree, gate=world.tree.main.gate))
    assert withheld(page) == set()
    world.attach("A")
    world.navigate("A", OUTSIDE)
    there = {("A", f"L-{OUTSIDE}")}
    assert withheld(page) == there
    with withheld_during(page) as shown:
        world.navigate("A", "https://a.example/own")
    assert shown == there
