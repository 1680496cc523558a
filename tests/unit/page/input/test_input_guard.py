"""Input is kept from documents outside the grant, or not sent at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.cdp import CdpConnection, PendingReply
from kapture.errors import Detached, ErrorCode, KaptureError, PolicyDenied
from kapture.page import program
from kapture.page.input.input_guard import InputGuard, check_focus, check_point, is_mixed_in_a_process
from kapture.page.input.keyboard import insert_event
from kapture.page.input.mouse import MOST_AHEAD, InputQueue, Point
from tests.support.cdp_transports import SilentTransport
from tests.unit.page.frame_world import World


@attrs.define(eq=False)
class FakeFrame:
    key: str
    granted: bool
    refused: int = 0
    hangs: bool = False
    gone: bool = False
    why_silent: str = ""
    policy_url: str = "https://other.example/"
    called: list[str] = attrs.field(factory=list)

    def notify(self, function: str) -> None:
        self.called.append(function)

    async def call(self, function: str) -> Any:
        self.called.append(function)
        if self.hangs:
            await trio.sleep_forever()
        if self.gone:
            raise Detached(ErrorCode.DETACHED, "gone")
        return {"refused": self.refused}


class FakeFrames:
    def __init__(self, *frames: FakeFrame) -> None:
        self.frames = frames
        self.followers: list[Callable[[FakeFrame], None]] = []
        self.guard = InputGuard(self)  # type: ignore[arg-type]

    def all(self) -> Any:
        return list(self.frames)

    def follow_documents(self, came: Callable[[FakeFrame], None]) -> None:
        self.followers.append(came)

    def load(self, frame: FakeFrame) -> None:
        for came in self.followers:
            came(frame)


async def test_nothing_is_asked_while_every_frame_is_granted() -> None:
    frame = FakeFrame("", granted=True)
    async with FakeFrames(frame).guard.input():
        pass
    assert frame.called == []


async def test_only_frames_outside_the_grant_refuse_input_and_only_for_as_long_as_it_is_sent() -> None:
    main, outside = FakeFrame("", granted=True), FakeFrame("f1", granted=False)
    async with FakeFrames(main, outside).guard.input():
        assert outside.called == ["refuseInput"]
    assert outside.called == ["refuseInput", "acceptInput"]
    assert main.called == []


async def test_input_that_came_to_such_a_frame_is_an_error_that_names_its_site() -> None:
    outside = FakeFrame("f1", granted=False, refused=2)
    with pytest.raises(PolicyDenied, match=r"Frame f1 is at other\.example"):
        async with FakeFrames(outside).guard.input():
            pass


async def test_error_during_input_is_raised_and_frames_accept_input_again() -> None:
    outside = FakeFrame("f1", granted=False)
    with pytest.raises(KaptureError, match="boom"):
        async with FakeFrames(outside).guard.input():
            raise KaptureError(ErrorCode.EXECUTION_ERROR, "boom")
    assert outside.called == ["refuseInput", "acceptInput"]


async def test_nothing_is_sent_while_such_a_frame_does_not_answer(autojump_clock: MockClock) -> None:
    outside = FakeFrame("f1", granted=False, hangs=True)
    with pytest.raises(PolicyDenied, match="does not answer"):
        async with FakeFrames(outside).guard.input():
            pytest.fail("input was sent")


@pytest.mark.parametrize("guard", [InputGuard.input, InputGuard.program])
async def test_a_document_outside_the_grant_that_comes_in_the_middle_refuses_the_rest(guard: Any) -> None:
    frames = FakeFrames(FakeFrame("", granted=True))
    late, granted = FakeFrame("f1", granted=False, refused=1), FakeFrame("f2", granted=True)

    async def act() -> None:
        async with guard(frames.guard):
            frames.load(late)
            frames.load(late)  # it went on to another document
            frames.load(granted)

    with pytest.raises(PolicyDenied, match="Frame f1"):
        await act()
    assert late.called == ["refuseInput", "refuseInput", "acceptInput"]
    assert granted.called == ["acceptInput"]


async def test_a_frame_that_refuses_already_refuses_in_its_next_document_too() -> None:
    outside = FakeFrame("f1", granted=False)
    frames = FakeFrames(outside)
    async with frames.guard.input():
        frames.load(outside)
    assert outside.called == ["refuseInput", "refuseInput", "acceptInput"]


async def test_a_frame_that_left_the_grant_after_its_input_was_sent_refuses_it() -> None:
    outside = FakeFrame("f1", granted=False, refused=1)
    with pytest.raises(PolicyDenied, match="Frame f1"):
        async with FakeFrames(outside).guard.program():
            assert outside.called == ["refuseInput"]


async def test_a_new_document_is_judged_at_once(autojump_clock: MockClock) -> None:
    granted, outside = FakeFrame("", granted=True), FakeFrame("f1", granted=False)
    frames = FakeFrames(granted)
    frames.load(outside)
    assert outside.called.pop() == "acceptInput", "it gets a person's input"
    async with frames.guard.input():
        pass
    frames.load(granted)
    assert granted.called == ["acceptInput"]
    frames.load(outside)
    assert outside.called == ["refuseInput", "acceptInput"], "input of the gesture may still be on its way"
    outside.called.clear()
    await trio.sleep(3)
    frames.load(outside)
    assert outside.called == ["acceptInput"]


async def test_frames_that_have_gone_or_crashed_do_not_hold_input_up() -> None:
    gone, crashed = FakeFrame("f1", granted=False, gone=True), FakeFrame("f2", granted=False, why_silent="crashed")
    sent = False
    async with FakeFrames(gone, crashed).guard.input():
        sent = True
    assert sent
    assert crashed.called == []


async def test_a_frame_out_of_reach_takes_input_and_cannot_refuse_it() -> None:
    beyond = FakeFrame("f1", granted=False, why_silent="out of reach")
    with pytest.raises(PolicyDenied, match="Frame f1 is outside this tab's grant"):
        async with FakeFrames(beyond).guard.input():
            pytest.fail("input was sent")


# Where input would go, in a tab with a frame outside the grant.


POINT = Point(5, 5)


@pytest.fixture
def mixed() -> World:
    """A granted page with a frame outside the grant in the same process."""
    world = World()
    world.attach("F")
    world.leave("F", "M")
    world.run_scripts()
    world.tree.get("f1").owner_known_in = "None-2"
    world.replies["Page.getLayoutMetrics"] = {"cssVisualViewport": {"pageX": 0, "pageY": 0}}
    return world


def hits(world: World, frame_id: str, **node: Any) -> None:
    """Return the document of a frame and the node at a point."""
    world.replies["DOM.getNodeForLocation"] = {"backendNodeId": 1, "frameId": frame_id}
    world.replies["DOM.describeNode"] = {"node": {"backendNodeId": 1, **node}}


def focuses(world: World, *keys: str) -> None:
    """Which frame has the focus in each document that is asked, one after the other."""
    world.in_turn["Runtime.evaluate"] = [{"result": {"value": json.dumps({"top": 0, "value": key})}} for key in keys]


async def test_the_pointer_may_be_over_the_granted_page(mixed: World) -> None:
    hits(mixed, "M")
    await check_point(mixed.tree, POINT)


async def test_the_pointer_may_not_be_over_an_element_of_a_document_outside_the_grant(mixed: World) -> None:
    hits(mixed, "F")
    with pytest.raises(PolicyDenied, match="Frame f1"):
        await check_point(mixed.tree, POINT)


async def test_the_pointer_may_not_be_over_the_element_that_shows_a_frame_outside_the_grant(mixed: World) -> None:
    hits(mixed, "M", frameId="F")
    with pytest.raises(PolicyDenied, match="Frame f1"):
        await check_point(mixed.tree, POINT)


async def test_keys_may_go_to_the_granted_page(mixed: World) -> None:
    focuses(mixed, "")
    await check_focus(mixed.tree)


async def test_keys_may_not_go_to_a_focused_frame_outside_the_grant(mixed: World) -> None:
    focuses(mixed, "f1", "")
    with pytest.raises(PolicyDenied, match="Frame f1"):
        await check_focus(mixed.tree)


def test_only_a_frame_outside_the_grant_in_a_process_with_one_inside_is_in_reach_of_that(mixed: World) -> None:
    assert is_mixed_in_a_process(mixed.tree)
    mixed.navigate("F", "https://a.example/")
    assert not is_mixed_in_a_process(mixed.tree)
    mixed.leave("F", "M")
    mixed.leave()
    assert not is_mixed_in_a_process(mixed.tree)


def test_a_frame_outside_the_grant_in_a_process_of_its_own_is_in_reach_of_nobody(mixed: World) -> None:
    mixed.tree.announce(mixed.connection.session("S"), {"targetId": "F", "url": "https://secret.example/"})
    assert not is_mixed_in_a_process(mixed.tree)


# How much input is on its way to a page at once.


class Browser(SilentTransport):
    """A page that is slow to handle input."""

    def __init__(self) -> None:
        self.replies: list[PendingReply] = []
        self.connection = CdpConnection(self)
        self.queue = InputQueue(self.connection.root, lambda: None)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.replies.append(reply := PendingReply())
        return reply


async def test_no_more_events_are_sent_than_can_be_spared_until_the_page_has_handled_them() -> None:
    browser = Browser()
    events = [insert_event("a")] * (MOST_AHEAD + 10)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run, browser.connection, browser.queue, [program.Input(events)])
        await wait_all_tasks_blocked()
        assert len(browser.replies) == MOST_AHEAD
        for reply in browser.replies[:]:
            reply.resolve({})
        await wait_all_tasks_blocked()
        assert len(browser.replies) == len(events)
        for reply in browser.replies[MOST_AHEAD:]:
            reply.resolve({})
