"""Every row of `backends.page_life` through a real `AttachedPage`. Only the page's engine is faked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from kapture.backends.page_life import TABLE, Action, Event, State
from kapture.backends.tab_page import AttachedPage
from kapture.cdp import CdpCommand, CdpConnection, PendingReply
from kapture.errors import ErrorCode, KaptureError
from tests.support.examples import examples

PATHS: dict[State, list[Event]] = {
    State.OPENING: [],
    State.OPEN: [Event.OPENED],
    State.FAILED: [Event.BROKE],
    State.DETACHED: [Event.DETACHED],
    State.CLOSED: [Event.CLOSED],
    State.HELD: [Event.OPENED, Event.HELD],
}
NO_PAGE = {
    Event.BROKE: KaptureError(ErrorCode.EXECUTION_ERROR, "Page.enable: no."),
    Event.DETACHED: KaptureError(ErrorCode.DETACHED, "Chrome pages stay closed."),
    Event.CLOSED: KaptureError(ErrorCode.TAB_DISCONNECTED, "The socket ended."),
}


class FakePage:
    """A page that nobody looks into. `alive`: its block has not ended."""

    alive = True


class NoTransport:
    """Nothing is sent here."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        raise NotImplementedError

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        raise NotImplementedError


class World:
    """An attached page whose every event is fed by hand."""

    def __init__(self) -> None:
        self.pages: list[FakePage] = []
        self.failed: list[str] = []
        self.opened = 0
        self.attempts = 0
        self.tell, self._commands = trio.open_memory_channel[KaptureError | None](1)  # None: the page opens
        self.page = AttachedPage(NoTransport(), lambda error: self.failed.append(error.message))
        self.nursery: trio.Nursery

    @asynccontextmanager
    async def set_up(self, connection: CdpConnection) -> AsyncIterator[FakePage]:
        assert self.alive == 0, "a page was set up before the one before had ended"
        self.attempts += 1
        await self._next()
        page = FakePage()
        self.pages.append(page)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._next)
                yield page
        finally:
            page.alive = False

    async def _next(self) -> None:
        if (error := await self._commands.receive()) is not None:
            raise error

    @property
    def alive(self) -> int:
        return sum(page.alive for page in self.pages)

    def on_open(self) -> None:
        self.opened += 1

    async def happens(self, event: Event) -> None:
        match event:
            case Event.OPENED:
                self.tell.send_nowait(None)
            case Event.BROKE:
                self.tell.send_nowait(NO_PAGE[event])
            case Event.ATTACHED:
                self.page.attached()
            case Event.DETACHED:
                self.page.detached(NO_PAGE[event])
            case Event.HELD:
                self.nursery.start_soon(self.page.hold)
            case Event.CHANGED:
                self.page.changed()
            case Event.CLOSED:
                self.page.close(NO_PAGE[event])
        await wait_all_tasks_blocked()


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    there = World()
    async with trio.open_nursery() as nursery:
        set_up: Any = there.set_up
        there.nursery = nursery
        nursery.start_soon(there.page.serve, set_up, there.on_open)
        await wait_all_tasks_blocked()
        yield there
        nursery.cancel_scope.cancel()


async def found(there: World) -> str:
    """Return the state that a command finds: `page`, `waiting`, or why there is no page."""
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_end_when_blocked, scope)
            try:
                await there.page.get()
            except KaptureError as error:
                return error.message
            finally:
                nursery.cancel_scope.cancel()
        return "page"
    return "waiting"


async def _end_when_blocked(scope: trio.CancelScope) -> None:
    await wait_all_tasks_blocked()
    scope.cancel()


@pytest.mark.parametrize(("state", "event"), TABLE, ids=lambda one: one.name)
async def test_every_row_does_what_it_says_and_nothing_else(state: State, event: Event) -> None:
    after, actions = TABLE[state, event]
    async with world() as there:
        for earlier in PATHS[state]:
            await there.happens(earlier)
        assert there.page.state is state
        before = there.page.now
        reason = there.page.reason
        connection = there.page.connection
        failed = len(there.failed)

        await there.happens(event)
        assert there.page.state is after

        if Action.KEEP_PAGE in actions:
            assert (there.page.now is not None, there.opened) == (True, 1)
        elif Action.DROP_PAGE not in actions:
            assert there.page.now is before
        dropped = len(there.failed) - failed
        assert dropped == (Action.DROP_PAGE in actions), "what was asked of the page must fail, and nothing else"
        if Action.DROP_PAGE in actions:
            assert (there.page.now, there.alive) == (None, 0)
            assert connection is not None
            assert there.page.connection is not connection
        if Action.KEEP_REASON in actions:
            assert there.page.reason is not None
            assert NO_PAGE[event].message in there.page.reason.message
        else:
            assert there.page.reason is (None if Action.DROP_REASON in actions else reason)
        match after:
            case State.OPEN:
                assert await found(there) == "page"
            case State.OPENING:
                assert await found(there) == "waiting"
                assert there.page.connection is not None, "no attempt is under way"
            case State.HELD:
                assert await found(there) == "waiting"
            case _:
                assert there.page.reason is not None
                assert await found(there) == there.page.reason.message


async def test_a_page_that_opens_when_its_attempt_is_void_is_never_shown() -> None:
    async with world() as there:
        there.tell.send_nowait(None)
        there.page.detached(NO_PAGE[Event.DETACHED])
        await wait_all_tasks_blocked()
        assert (there.page.now, there.opened, there.alive) == (None, 0, 0)
        assert there.page.state is State.DETACHED


async def test_an_error_of_a_void_attempt_changes_nothing() -> None:
    async with world() as there:
        there.tell.send_nowait(NO_PAGE[Event.BROKE])
        there.page.attached()
        await wait_all_tasks_blocked()
        assert there.page.state is State.OPENING
        assert there.attempts == 2


async def _play(events: list[Event]) -> None:
    async with world() as there:
        for event in events:
            if (there.page.state, event) in TABLE:
                await there.happens(event)
            assert there.alive == (there.page.state is State.OPEN)
            assert (there.page.now is not None) == (there.page.state is State.OPEN)
            assert (there.page.reason is not None) == (there.page.state in (State.FAILED, State.DETACHED, State.CLOSED))


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.sampled_from(Event), max_size=20))
def test_there_is_a_page_or_a_reason_or_one_under_way_whatever_happens(events: list[Event]) -> None:
    trio.run(_play, events)
