"""Frames that move between processes, or come unannounced."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.errors import Detached
from kapture.page.documents.frames import FrameTree
from tests.support.examples import examples
from tests.unit.page.frame_world import World, described


@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_frame_that_moves_to_another_process_keeps_its_key_whatever_comes_first(order: int) -> None:
    world = World()
    world.attach("A")

    def leave() -> None:
        world.event("Page.frameDetached", frameId="A", reason="swap")

    def arrive() -> None:
        world.child("S")
        world.navigate("A", "https://b.example/", session="S")

    def get_context() -> None:
        world.context("A", 1, session="S")

    steps = [leave, arrive, get_context]
    for step in (steps[1:] + steps[:1], steps, [steps[1], steps[0], steps[2]])[order]:
        step()
    frame = world.tree.get("f1")
    assert frame.url == "https://b.example/"
    assert frame.session.session_id == "S"
    context = frame.current_context("kapture")
    assert context is not None
    assert context.session.session_id == "S"


def test_a_frame_that_comes_back_is_the_same_and_one_that_ends_with_its_process_is_gone() -> None:
    world = World()
    world.attach("A")
    world.child("S")
    world.navigate("A", "https://b.example/", session="S")
    world.attach("A")
    world.navigate("A", "https://a.example/in")
    world.tree.leave(world.connection.session("S"))
    assert world.tree.get("f1").url == "https://a.example/in"
    world.navigate("A", "https://b.example/", session="S")
    frame = world.tree.get("f1")
    world.event("Page.frameDetached", frameId="A", reason="swap")
    world.tree.leave(world.connection.session("S"))
    assert frame.detached
    assert [one.key for one in world.tree.all()] == [""]


async def test_without_other_sessions_a_frame_in_another_process_is_out_of_reach_until_it_is_back() -> None:
    world = World()
    world.tree.only_root_session = True
    world.attach("A")
    frame = world.tree.get("f1")
    world.event("Page.frameDetached", frameId="A", reason="swap")
    assert frame.why_silent == "out of reach"
    with trio.fail_after(5), pytest.raises(Detached, match="cannot reach"):
        await frame.call("readText")
    world.attach("A")
    world.navigate("A", "https://a.example/in")
    back = world.tree.get("f1")
    assert back is frame
    assert back.why_silent == ""


def test_with_other_sessions_a_frame_in_another_process_is_waited_for() -> None:
    world = World()
    world.attach("A")
    world.event("Page.frameDetached", frameId="A", reason="swap")
    assert world.tree.get("f1").why_silent == ""


def test_what_a_process_says_of_a_frame_that_has_left_it_does_not_count() -> None:
    """The process that a frame leaves and the one that it goes to are heard in no certain order."""
    world = World()
    world.attach("A")
    world.navigate("A", "https://a.example/old")
    world.child("S")
    world.announce("A", "S")
    world.navigate("A", "https://b.example/new", session="S")
    world.context("A", 1, session="S")
    world.context("A", 2)
    world.event("Page.navigatedWithinDocument", frameId="A", url="https://a.example/late")
    frame = world.tree.get("f1")
    context = frame.current_context("kapture")
    assert context is not None
    assert context.session.session_id == "S"
    world.event("Page.frameDetached", frameId="A", reason="swap")
    world.event("Runtime.executionContextDestroyed", executionContextId=2)
    assert frame.current_context("kapture") is context
    assert frame.url == "https://b.example/new"


def test_a_frame_whose_new_process_is_given_up_stays_where_it_was() -> None:
    world = World()
    world.attach("A")
    world.navigate("A", "https://a.example/old")
    world.context("A", 2)
    world.child("S")
    world.announce("A", "S")
    world.tree.leave(world.connection.session("S"))
    frame = world.tree.get("f1")
    assert frame.url == "https://a.example/old"
    assert frame.current_context("kapture") is not None


def test_a_frame_that_swapped_out_before_it_was_announced_goes_with_its_new_process() -> None:
    world = World()
    world.attach("A")
    world.event("Page.frameDetached", frameId="A", reason="swap")
    world.child("S")
    world.announce("A", "S")
    world.tree.leave(world.connection.session("S"))
    assert [frame.key for frame in world.tree.all()] == [""]


def test_frames_reported_before_the_page_itself_wait_for_its_tree() -> None:
    world = World()
    tree = FrameTree(lambda _: True, world.calls)
    session = world.connection.session("root of another tab")
    tree.observe(session)
    world.connection.deliver("Page.frameAttached", {"frameId": "A", "parentFrameId": "M"}, session.session_id)
    world.connection.deliver(
        "Page.frameNavigated", {"frame": described("A", "https://b.example/", "M")}, session.session_id
    )
    assert not tree.known
    tree.take(
        session,
        {"frame": described("M", "https://a.example/"), "childFrames": [{"frame": described("A", "about:blank", "M")}]},
    )
    assert [(frame.key, frame.id) for frame in tree.all()] == [("", "M"), ("f1", "A")]


async def test_a_prerendered_page_that_takes_the_tab_over_unannounced_is_its_page_with_its_frames() -> None:
    world = World()
    world.attach("A")
    navigated: list[dict[str, Any]] = []
    world.connection.root.on("Page.frameNavigated", navigated.append)
    world.replies = {
        "Page.getFrameTree": {
            "frameTree": {
                "frame": described("P", "https://secret.example/next", origin="https://secret.example"),
                "childFrames": [{"frame": described("B", "https://b.example/", "P")}],
            }
        }
    }
    world.event("Runtime.executionContextsCleared")
    world.context("P", 7, name="")
    assert [(frame.key, frame.url) for frame in world.tree.all()] == [
        ("", "https://secret.example/next"),
        ("f2", "https://b.example/"),
    ]
    assert not world.tree.main.granted
    assert world.tree.main.current_context("main") is not None, "its contexts came before"
    assert [params["frame"]["id"] for params in navigated] == ["P"], "whoever waits for a navigation hears of it"


async def test_a_context_of_a_frame_that_is_not_known_yet_leaves_the_page_where_it_is() -> None:
    world = World()
    navigated: list[dict[str, Any]] = []
    world.connection.root.on("Page.frameNavigated", navigated.append)
    world.replies = {"Page.getFrameTree": {"frameTree": {"frame": described("M", "https://a.example/")}}}
    world.context("early", 7, name="")
    assert navigated == []
    assert [frame.url for frame in world.tree.all()] == ["https://a.example/"]


EVENTS = st.one_of(
    st.tuples(st.just("attach"), st.sampled_from("ABCD"), st.sampled_from("MABC"), st.sampled_from([None, "S", "T"])),
    st.tuples(
        st.just("detach"), st.sampled_from("ABCD"), st.sampled_from(["remove", "swap"]), st.sampled_from([None, "S"])
    ),
    st.tuples(st.just("navigate"), st.sampled_from("MABCD"), st.sampled_from("MAB"), st.sampled_from([None, "S", "T"])),
    st.tuples(st.just("context"), st.sampled_from("MABCD"), st.integers(1, 5), st.sampled_from([None, "S", "T"])),
    st.tuples(st.just("clear"), st.just("M"), st.just(0), st.sampled_from([None, "S", "T"])),
    st.tuples(st.just("leave"), st.just("M"), st.just(0), st.sampled_from(["S", "T"])),
)


@settings(max_examples=examples(300))
@given(st.lists(EVENTS, max_size=40))
def test_whatever_the_browser_says_the_tree_stays_a_tree(events: list[tuple[Any, ...]]) -> None:
    world = World()
    for session in ("S", "T"):
        world.child(session)
    keys: dict[str, int] = {}
    for kind, frame_id, extra, session in events:
        if kind == "attach" and frame_id != extra:
            world.attach(frame_id, extra, session)
        elif kind == "detach":
            world.event("Page.frameDetached", session, frameId=frame_id, reason=extra)
        elif kind == "navigate":
            parent = None if frame_id == "M" else extra
            if parent != frame_id:
                world.navigate(frame_id, f"https://{frame_id}.example/", parent, session)
        elif kind == "context":
            world.context(frame_id, extra, "kapture", session)
        elif kind == "clear":
            world.event("Runtime.executionContextsCleared", session)
        elif kind == "leave":
            world.tree.leave(world.connection.session(session))
        frames = world.tree.all()
        assert frames[0] is world.tree.main
        assert len({frame.key for frame in frames}) == len(frames)
        for frame in frames:
            assert not frame.detached
            assert frame.parent is None or frame.parent in frames
            assert keys.setdefault(frame.key, id(frame)) == id(frame), "a key came back for another frame"
            context = frame.current_context("kapture")
            assert context is None or context.frame_id == frame.id
