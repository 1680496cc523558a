"""What a dialog ends: commands that wait at once, the running one after a grace period, and no script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

import kapture.commands  # noqa: F401  declares every command
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.hub import Client
from kapture.hub.tabs.listener import HubListener
from kapture.hub.tabs.tab import Identity, Tab
from kapture.settings import Limits
from tests.support.calls import call_of

GRACE_MS = 2_000
DIALOG = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")


@attrs.define(eq=False)
class Blocked:
    """What `HubListener` and `Tab` use of a backend."""

    blocked: KaptureError | None = None
    closing: bool = False


@attrs.define(eq=False)
class Scene:
    nursery: trio.Nursery
    tab: Tab
    backend: Blocked
    ended: dict[str, tuple[str, float]] = attrs.field(factory=dict)

    def opens(self) -> None:
        backend: Any = self.backend
        backend.blocked = DIALOG
        HubListener(self.nursery, self.tab, backend, GRACE_MS, lambda *_: None).blocked(DIALOG)

    async def call(self, name: str, work_s: float, *, holds: bool = False) -> None:
        """Run a command that works this long on the tab; `ended` has how it ended, and when."""
        running = call_of("click", Client(name=name, kind="cli"), holds=holds)

        async def run() -> None:
            try:
                async with self.tab.turn(running):
                    await running.run(partial(trio.sleep, work_s))
                how = "ok"
            except DialogOpen:
                how = "dialog"
            self.ended[name] = (how, trio.current_time())

        self.nursery.start_soon(run)
        await wait_all_tasks_blocked()


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    tab = Tab("tab1", Identity(kind="key", instance="i"), Limits(), lambda _: None)
    backend: Any = Blocked()
    tab.attach(backend, lambda: None)
    async with trio.open_nursery() as nursery:
        yield Scene(nursery, tab, backend)


@pytest.mark.parametrize("work_s", [60, 1])
async def test_what_waits_fails_at_once_and_what_runs_after_the_grace_period(
    autojump_clock: MockClock, work_s: float
) -> None:
    async with scene() as at:
        began = trio.current_time()
        await at.call("first", work_s)
        await at.call("second", 0)
        at.opens()
    assert at.ended["second"] == ("dialog", began)
    assert at.ended["first"] == (("dialog", began + GRACE_MS / 1_000) if work_s == 60 else ("ok", began + work_s))


async def test_a_command_goes_on_when_the_dialog_has_closed_in_time(autojump_clock: MockClock) -> None:
    async with scene() as at:
        began = trio.current_time()
        await at.call("first", 10)
        at.opens()
        at.backend.blocked = None
    assert at.ended == {"first": ("ok", began + 10)}


async def test_a_script_answers_the_dialogs_of_its_tab_itself(autojump_clock: MockClock) -> None:
    async with scene() as at:
        began = trio.current_time()
        await at.call("script", 10, holds=True)
        at.opens()
    assert at.ended == {"script": ("ok", began + 10)}
