"""The tree of frames, fed with the browser's events in any order."""

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from tests.unit.page.frame_world import World, described


def test_keys_count_up_and_are_never_used_again() -> None:
    world = World()
    world.attach("A")
    world.attach("B")
    world.event("Page.frameDetached", frameId="A", reason="remove")
    world.attach("A")
    assert [frame.key for frame in world.tree.all()] == ["", "f2", "f3"]
    with pytest.raises(KaptureError) as caught:
        world.tree.get("f1")
    assert caught.value.code is ErrorCode.REF_EXPIRED


def test_a_new_document_takes_the_frames_of_the_old_one_away() -> None:
    world = World()
    world.attach("A")
    world.attach("B", "A")
    world.navigate("M", "https://c.example/", None)
    assert [frame.key for frame in world.tree.all()] == [""]
    assert world.tree.main.url == "https://c.example/"


def test_an_address_that_is_no_text_is_refused_and_not_kept() -> None:
    world = World()
    with pytest.raises(TypeError):
        world.event("Page.navigatedWithinDocument", frameId="M", url=["https://c.example/"])
    assert world.tree.main.url == "https://a.example/"


def test_contexts_of_the_document_before_are_not_the_new_ones() -> None:
    world = World()
    world.context("M", 1)
    world.context("M", 2, "")
    assert world.tree.main.current_context("main") is not None
    world.navigate("M", "https://c.example/", None)
    assert world.tree.main.current_context("main") is None
    assert world.tree.main.current_context("kapture") is None
    world.context("M", 3)
    world.event("Runtime.executionContextDestroyed", executionContextId=1)
    context = world.tree.main.current_context("kapture")
    assert context is not None
    assert context.number == 3
    world.event("Runtime.executionContextsCleared")
    assert world.tree.main.current_context("kapture") is None


def test_a_restored_document_came_once_it_is_known_whose_it_is() -> None:
    world = World()
    secret = described("M", "https://secret.example/", origin="https://secret.example")
    world.replies = {"Page.getFrameTree": {"frameTree": {"frame": secret}}}
    came: list[str] = []
    with world.tree.watching_documents(lambda frame: came.append(frame.url)):
        world.event("Runtime.executionContextsCleared")
        world.context("M", 1, origin="https://secret.example")
        assert came == []
        world.event("Page.frameNavigated", frame=secret, type="BackForwardCacheRestore")
    assert came == ["https://secret.example/"]


@pytest.mark.parametrize("initial", ["", ":", "about:blank"])
def test_the_document_after_the_initial_empty_one_of_its_origin_has_its_contexts(initial: str) -> None:
    world = World()
    came: list[str] = []
    with world.tree.watching_documents(lambda frame: came.append(frame.url)):
        world.attach("A")
        world.tree.get("f1").host.url = initial
        world.context("A", 1, "", origin="https://a.example")
        world.context("A", 2, origin="https://a.example")
        world.navigate("A", "https://a.example/in", origin="https://a.example")
    frame = world.tree.get("f1")
    assert [context.number for name in ("main", "kapture") if (context := frame.current_context(name))] == [1, 2]
    assert came == [initial, "https://a.example/in"]
    world.navigate("A", "https://a.example/next", origin="https://a.example")
    assert frame.current_context("main") is frame.current_context("kapture") is None


@pytest.mark.parametrize("origin", ["https://b.example", "://", ""])
def test_a_document_of_another_origin_never_has_the_contexts_of_the_initial_empty_one(origin: str) -> None:
    world = World()
    world.attach("A")
    world.context("A", 1, "", origin="https://a.example")
    world.context("A", 2, origin="")
    world.navigate("A", "https://b.example/", origin=origin)
    frame = world.tree.get("f1")
    assert frame.current_context("main") is frame.current_context("kapture") is None


def test_a_frame_is_found_by_key_name_or_part_of_its_address_but_not_outside_the_grant() -> None:
    world = World()
    for frame_id, url in (
        ("A", "https://b.example/shop"),
        ("B", "https://secret.example/"),
        ("C", "https://b.example/pay"),
    ):
        world.attach(frame_id)
        world.navigate(frame_id, url)
    assert world.tree.find("f2").id == "B"
    assert world.tree.find("shop").id == "A"
    assert world.tree.find("main") is world.tree.main
    for name, code in (("b.example", ErrorCode.ELEMENT_AMBIGUOUS), ("secret", ErrorCode.ELEMENT_NOT_FOUND)):
        with pytest.raises(KaptureError) as caught:
            world.tree.find(name)
        assert caught.value.code is code


def test_the_name_of_a_frame_outside_the_grant_matches_nothing() -> None:
    world = World()
    for frame_id, url in (("A", "https://b.example/shop"), ("B", "https://secret.example/account?token=1")):
        world.attach(frame_id)
        world.navigate(frame_id, url)
    world.tree.get("f2").host.name = "pay"
    errors = []
    for name in ("pay", "no frame's"):
        with pytest.raises(KaptureError) as caught:
            world.tree.find(name)
        errors.append((caught.value.code, caught.value.hint, caught.value.data))
    hint = "Frames on the page: f1, f2. Frames outside the grant are named by their keys alone."
    assert errors == [(ErrorCode.ELEMENT_NOT_FOUND, hint, {"frames": ["f1", "f2"]})] * 2
    world.tree.get("f1").host.name = "pay"
    assert world.tree.find("pay") is world.tree.get("f1")


def test_new_documents_are_announced_once_they_have_their_agent() -> None:
    world = World()
    world.attach("A")
    came: list[str] = []
    with world.tree.watching_documents(lambda frame: came.append(f"{frame.key} {frame.url}")):
        world.navigate("A", "https://b.example/")
        world.context("A", 7, name="")
        assert came == []
        world.context("A", 8)
        assert came == ["f1 https://b.example/"]
    world.context("A", 9)
    assert len(came) == 1


def test_a_document_whose_agent_came_before_its_frame_was_known_is_announced_with_it() -> None:
    world = World()
    came: list[str] = []
    world.tree.follow_documents(lambda frame: came.append(frame.url))
    world.context("P", 8)
    assert came == []
    world.tree.take(world.connection.root, {"frame": {"id": "P", "url": "https://a.example/next", "loaderId": "LP"}})
    assert came == ["https://a.example/next"]


def test_documents_that_are_gone_again_are_noted() -> None:
    world = World()
    with world.tree.notes.during() as notes:
        world.attach("A")
        world.navigate("A", "https://c.example/", "M")
        world.event("Page.frameDetached", frameId="A", reason="remove")
    assert [(frame_id, url) for frame_id, _, url in notes] == [("A", "https://c.example/")]
    world.attach("B")
    world.navigate("B", "https://c.example/", "M")
    assert len(notes) == 1
