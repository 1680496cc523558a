"""The tree of frames, fed with the browser's events in any order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from kapture.cdp import CdpConnection
from kapture.errors import Detached, ErrorCode, KaptureError
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.frames import FrameTree
from tests.support.cdp_transports import SilentTransport
from tests.support.examples import examples
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


@pytest.mark.parametrize("url", ["about:blank", "about:srcdoc"])
def test_a_document_of_its_maker_keeps_the_contexts_of_the_initial_empty_one(url: str) -> None:
    world = World()
    world.attach("A")
    frame = world.tree.get("f1")
    frame.host.url = ":"
    world.context("A", 1, "", origin="https://a.example")
    world.context("A", 2, origin="https://a.example")
    world.navigate("A", url, origin="://")
    assert [context.number for name in ("main", "kapture") if (context := frame.current_context(name))] == [1, 2]


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


# Frames that move between processes, or come unannounced.


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


def test_events_from_former_process_of_frame_are_ignored() -> None:
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
def test_frame_tree_stays_a_tree_after_any_events(events: list[tuple[Any, ...]]) -> None:
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


# What the main frame waits for, by the browser's events.


URL = "https://a.example/slow"


class Waiting:
    """A main frame "M", whose events the test sends."""

    def __init__(self) -> None:
        self.connection = CdpConnection(SilentTransport())
        frames = SimpleNamespace(known=True, main=SimpleNamespace(id="M"))
        self.document = AwaitedDocument(cast("Any", frames))
        self.document.observe(self.connection.root)

    def event(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def asks(self, frame: str = "M", kind: str = "Document", request: str = "R1", url: str = URL) -> None:
        self.event("Network.requestWillBeSent", requestId=request, frameId=frame, type=kind, request={"url": url})


ENDS = {
    "its document is there": ("Page.frameNavigated", {"frame": {"id": "M", "url": URL}}),
    "it failed, was cancelled, or has no content": ("Network.loadingFailed", {"requestId": "R1"}),
    "it was stopped": ("Page.frameStoppedLoading", {"frameId": "M"}),
    "it is a download": ("Page.downloadWillBegin", {"guid": "G"}),
    "the page crashed": ("Inspector.targetCrashed", {}),
}


@pytest.mark.parametrize(("method", "params"), ENDS.values(), ids=ENDS)
async def test_a_document_is_awaited_until(method: str, params: dict[str, Any], nursery: trio.Nursery) -> None:
    waiting = Waiting()
    waiting.asks()
    over = trio.Event()

    async def wait() -> None:
        await waiting.document.over()
        over.set()

    nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    assert not over.is_set()
    waiting.event(method, **params)
    await trio.testing.wait_all_tasks_blocked()
    assert over.is_set()
    assert waiting.document.url is None


def test_a_document_outside_the_grant_is_awaited_whose_request_is_not_reported() -> None:
    waiting = Waiting()
    went = {"frameId": "M", "url": URL, "loaderId": "R1"}
    waiting.event("Page.frameStartedNavigating", **went, navigationType="sameDocument")
    assert waiting.document.url is None
    waiting.event("Page.frameStartedNavigating", **went, navigationType="differentDocument")
    assert waiting.document.url == URL
    waiting.event("Page.frameStoppedLoading", frameId="M")
    assert waiting.document.url is None


def test_a_redirect_is_awaited_under_its_new_address() -> None:
    waiting = Waiting()
    waiting.asks()
    waiting.asks(url="https://b.example/")
    assert waiting.document.url == "https://b.example/"


def test_navigation_requests_and_their_outcomes_are_ignored() -> None:
    waiting = Waiting()
    waiting.asks(frame="F")
    waiting.asks(kind="Fetch")
    assert waiting.document.url is None
    waiting.asks()
    waiting.event("Network.loadingFailed", requestId="R2")
    waiting.event("Page.frameStoppedLoading", frameId="F")
    waiting.event("Page.frameNavigated", frame={"id": "F", "parentId": "M", "url": URL})
    assert waiting.document.url == URL


async def test_a_document_that_has_been_left_is_not_waited_for(autojump_clock: MockClock) -> None:
    waiting = Waiting()
    with waiting.document.asked_in_time() as asked:
        await trio.sleep(60)  # nothing has been asked of a server: the document itself may take its time
        waiting.asks()
        began = trio.current_time()
        await trio.sleep_forever()
    assert asked.cancelled_caught
    assert trio.current_time() - began == pytest.approx(1)


async def test_request_to_document_being_left_is_not_awaited(
    autojump_clock: MockClock,
) -> None:
    waiting = Waiting()
    waiting.asks()
    with trio.fail_after(5), waiting.document.asked_in_time() as asked:
        await trio.sleep_forever()
    assert asked.cancelled_caught


async def test_a_document_that_is_not_left_after_all_may_take_its_time(autojump_clock: MockClock) -> None:
    waiting = Waiting()
    with waiting.document.asked_in_time() as asked:
        waiting.asks()
        waiting.event("Network.loadingFailed", requestId="R1")
        await trio.sleep(60)
    assert not asked.cancelled_caught
