"""What commands have left in force on a tab ends when its person lowers the level below theirs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import pytest
from trio.testing import wait_all_tasks_blocked

from kapture.changed import Changed
from kapture.commands.core.recorder import RecorderView
from kapture.errors import ErrorCode, KaptureError
from tests.unit.hub.simulated import SimulatedTab, World, world

PAGE = "https://shop.example.com/cart"
SITES = ["example.com"]


@attrs.define(eq=False, slots=False)
class Page:
    """One that emulates nothing."""

    dialogs: Left
    memory: Any = None


@attrs.define(eq=False)
class Left:
    """A page with a mocked response, whose dialogs are accepted, and the recorder of the hub; `ended` says what has
    been ended, `fails` what cannot be."""

    ended: list[str] = attrs.field(factory=list)
    forgotten: list[str] = attrs.field(factory=list)
    fails: str = ""
    policy: str = "accept"
    changed: Changed = attrs.field(factory=Changed)

    @property
    def page(self) -> Any:
        page = Page(self)
        for name in ("routes", "client_settings", "network_conditions"):
            setattr(page, name, SimpleNamespace(end=partial(self._end, name)))
        page.memory = SimpleNamespace(forget=self.forgotten.append)
        return page

    def _end(self, name: str) -> None:
        if name == self.fails:
            raise KaptureError(ErrorCode.QUEUE_FULL, "The tab reads too slowly.")
        self.ended.append(name)

    def end(self, tab_id: str) -> None:
        self.ended.append(f"recording of {tab_id}")

    def state(self, tab_id: str) -> None:
        """Nothing that a panel could be told."""

    def tab_gone(self, tab_id: str, *, closed: bool) -> None:
        """The hub says so at the end."""


async def connected(there: World, left: Left, monkeypatch: pytest.MonkeyPatch) -> SimulatedTab:
    tab = await there.tab(url=PAGE, grant={"sites": SITES, "level": "full"})
    backend = there.hub.state.router.find("tab1").backend
    monkeypatch.setattr(type(backend), "current_page", left.page)
    return tab


@pytest.mark.parametrize(
    ("level", "ended", "policy"),
    [
        ("full", [], "accept"),
        ("interact", ["routes", "client_settings"], "accept"),
        ("read", ["routes", "client_settings", "network_conditions", "recording of tab1"], "ask"),
    ],
)
async def test_what_the_new_level_does_not_cover_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, ended: list[str], policy: str
) -> None:
    left = Left()
    async with world(tmp_path, recorder=cast("RecorderView", left)) as there:
        tab = await connected(there, left, monkeypatch)
        assert left.ended == []
        await tab.send(type="event", event="grant", grant={"sites": SITES, "level": level})
        await wait_all_tasks_blocked()
        assert (left.ended, left.policy) == (ended, policy)


async def test_what_cannot_be_undone_keeps_nothing_else_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Left(fails="routes")
    async with world(tmp_path, recorder=cast("RecorderView", left)) as there:
        tab = await connected(there, left, monkeypatch)
        await tab.send(type="event", event="grant", grant={"sites": ["shop.example.com"], "level": "read"})
        await wait_all_tasks_blocked()
        assert left.ended == ["client_settings", "network_conditions", "recording of tab1"]
        assert left.forgotten == ["events"]


async def test_a_recording_ends_where_a_tab_comes_back_with_a_lower_level(tmp_path: Path) -> None:
    left = Left()
    async with world(tmp_path, recorder=cast("RecorderView", left)) as there:
        await there.tab(url=PAGE, grant={"sites": SITES, "level": "read"})
        assert left.ended == ["recording of tab1"]


@pytest.mark.parametrize(
    ("sites", "forgotten"),
    [(["example.com"], []), (["shop.example.com"], ["events"]), (["example.com", "other.example"], [])],
    ids=["the same", "less", "more"],
)
async def test_raw_events_that_were_collected_go_with_a_part_of_the_grant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sites: list[str], forgotten: list[str]
) -> None:
    left = Left()
    async with world(tmp_path) as there:
        tab = await connected(there, left, monkeypatch)
        await tab.send(type="event", event="grant", grant={"sites": sites, "level": "full"})
        await wait_all_tasks_blocked()
        assert left.forgotten == forgotten
