"""The rows of the table, by the browser's events and the agent's reports, with no browser."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from kapture.page.dialogs import Dialog
from kapture.page.settling.settle import Watch
from kapture.page.settling.table import AT_MOST_S, NAVIGATION_S, NOTHING_S, QUIET_S
from tests.unit.page.settling.conftest import Tab

DIALOG = Dialog(type="alert", message="Sure?", default_prompt="", url="https://a.example/", session=None)  # type: ignore[arg-type]


async def test_dialog_ends_the_waiting_at_once(tab: Tab, nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    tab.request("one")

    async def open_dialog() -> None:
        await trio.sleep(0.01)
        tab.watch.on_dialog(DIALOG)

    nursery.start_soon(open_dialog)
    assert await tab.settle() == pytest.approx(0.01)


async def test_file_chooser_ends_the_waiting_at_the_first_look(tab: Tab, autojump_clock: MockClock) -> None:
    tab.main.report = {"chooser": {"ref": 3, "role": "button", "name": "CV", "tag": "input"}}
    assert await tab.settle() == pytest.approx(QUIET_S)
    assert "opened the file chooser" in tab.watch.outcome.lines()[0]


async def test_download_ends_the_waiting_at_once(tab: Tab, autojump_clock: MockClock) -> None:
    tab.download("https://a.example/file", "file.txt")
    assert await tab.settle() == 0
    assert tab.watch.outcome.lines()[0].startswith("download started")


async def test_navigation_is_followed_to_the_parsed_and_painted_document(
    tab: Tab, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    tab.start()

    async def load() -> None:
        await trio.sleep(2)
        tab.commit()
        await trio.sleep(1)
        tab.parsed()

    nursery.start_soon(load)
    assert await tab.settle() == pytest.approx(3)
    assert "awaitPaint" in tab.main.called
    assert tab.watch.outcome.navigated_to == "https://a.example/new"


async def test_navigation_that_hangs_is_reported_as_still_loading(tab: Tab, autojump_clock: MockClock) -> None:
    tab.start("https://a.example/slow")
    assert await tab.settle() == pytest.approx(NAVIGATION_S)
    assert tab.watch.outcome.lines() == ["still loading https://a.example/slow"]


async def test_navigation_that_hangs_leaves_time_for_the_answer(tab: Tab, autojump_clock: MockClock) -> None:
    tab.start()
    with trio.fail_after(1):
        assert await tab.settle() == pytest.approx(0.8)


async def test_another_tab_is_waited_for_until_it_is_connected(
    tab: Tab, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    tab.children_connect = True
    tab.event("Page.windowOpen", url="https://a.example/child")

    async def connect() -> None:
        await trio.sleep(0.7)
        tab.watch.on_child("child123")

    nursery.start_soon(connect)
    assert 0.7 <= await tab.settle() < AT_MOST_S
    assert tab.watch.outcome.lines() == ["opened tab child123"]


async def test_tab_that_does_not_connect_is_waited_for_a_second(tab: Tab, autojump_clock: MockClock) -> None:
    tab.children_connect = True
    tab.event("Page.windowOpen", url="https://a.example/child")
    assert await tab.settle() == pytest.approx(AT_MOST_S, abs=QUIET_S)


async def test_changes_after_an_answer_are_waited_for(
    tab: Tab, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    tab.request("one")
    tab.main.changes_at = [0.51]

    async def respond() -> None:
        await trio.sleep(0.5)
        tab.respond("one")

    nursery.start_soon(respond)
    assert await tab.settle() == pytest.approx(0.51 + QUIET_S, abs=0.02)


async def test_request_that_hangs_is_counted_after_a_second(tab: Tab, autojump_clock: MockClock) -> None:
    tab.request("one")
    assert await tab.settle() == pytest.approx(AT_MOST_S, abs=QUIET_S)
    assert tab.watch.outcome.lines() == ["1 request has no answer yet"]


@pytest.mark.parametrize("kind", ["Image", "Ping", "Media", "Font"])
async def test_request_that_pages_show_nothing_of_is_not_waited_for(
    tab: Tab, kind: str, autojump_clock: MockClock
) -> None:
    tab.request("one", kind)
    assert await tab.settle() == pytest.approx(NOTHING_S)


async def test_short_answer_and_stream_count_as_answered_with_their_headers(
    tab: Tab, autojump_clock: MockClock
) -> None:
    tab.request("one")
    tab.request("two")
    tab.answer("one", {"Content-Length": "12"})
    tab.answer("two", {}, "text/event-stream")
    await tab.settle()
    assert tab.watch.outcome.lines() == []


@pytest.mark.parametrize(("changes_at", "over"), [([0.0], QUIET_S), ([0.0, 0.05, 0.1], 0.1 + QUIET_S)])
async def test_changes_are_over_when_nothing_has_changed_for_a_short_while(
    tab: Tab, changes_at: list[float], over: float, autojump_clock: MockClock
) -> None:
    tab.main.changes_at = changes_at
    assert await tab.settle() == pytest.approx(over, abs=QUIET_S / 2)


async def test_changes_without_end_are_waited_for_a_second(tab: Tab, autojump_clock: MockClock) -> None:
    tab.main.changes_at = [at / 100 for at in range(500)]
    assert await tab.settle() == pytest.approx(AT_MOST_S, abs=QUIET_S)


async def test_animation_is_waited_for(tab: Tab, autojump_clock: MockClock) -> None:
    tab.main.changes_at, tab.main.moving = [0.0], 0.4
    tab.main.report = {"quiet": 0}
    assert 0.4 <= await tab.settle() <= AT_MOST_S + QUIET_S


async def test_nothing_is_answered_after_300_ms(tab: Tab, autojump_clock: MockClock) -> None:
    assert await tab.settle() == pytest.approx(NOTHING_S)
    assert tab.watch.outcome.lines() == []


async def test_without_a_snapshot_changes_are_not_waited_for(tab: Tab, autojump_clock: MockClock) -> None:
    tab.watch = Watch(tab, shows=False)
    assert await tab.settle() == 0


async def test_without_a_snapshot_requests_are_waited_for(
    tab: Tab, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    tab.watch = Watch(tab, shows=False)
    tab.request("one")

    async def respond() -> None:
        await trio.sleep(0.5)
        tab.respond("one")

    nursery.start_soon(respond)
    assert await tab.settle() == pytest.approx(0.5)


async def test_document_outside_the_grant_is_not_asked(tab: Tab, autojump_clock: MockClock) -> None:
    tab.main.granted = False
    await tab.settle()
    assert tab.main.called == []


async def test_scrolling_back_is_not_reported(tab: Tab, autojump_clock: MockClock) -> None:
    outcome = tab.watch.outcome
    report = await tab.main.call("effects")
    outcome.note(tab.main, {**report, "scrolled": [{"y": 300, "max_y": 900, "shown": []}]})  # type: ignore[arg-type]
    assert [part.positions for part in outcome.scrolled] == [("y 300 of 900",)]
    outcome.note(tab.main, report)  # type: ignore[arg-type]
    assert outcome.scrolled == []


async def test_addresses_outside_the_grant_are_shown_as_sites(tab: Tab, autojump_clock: MockClock) -> None:
    tab.event("Page.windowOpen", url="https://secret.example/path?token=1")
    await tab.settle()
    assert tab.watch.outcome.lines() == ["opened a new tab at https://secret.example/… (outside the grant)"]


async def test_move_within_the_document_is_reported(tab: Tab, autojump_clock: MockClock) -> None:
    tab.event("Page.navigatedWithinDocument", frameId="M", url="https://a.example/#part")
    assert await tab.settle() == pytest.approx(QUIET_S)
    assert tab.watch.outcome.lines() == ["navigated to https://a.example/#part"]


async def test_download_from_outside_the_grant_is_shown_as_site(tab: Tab, autojump_clock: MockClock) -> None:
    tab.download("https://secret.example/statement?token=1", "statement of Ann.pdf")
    await tab.settle()
    assert tab.watch.outcome.lines() == ["download started: https://secret.example/…"]


@pytest.mark.parametrize("frame", ["M", "unknown"])
async def test_download_by_a_document_outside_the_grant_is_not_shown(
    tab: Tab, frame: str, autojump_clock: MockClock
) -> None:
    tab.main.policy_url = "https://secret.example/"
    tab.download("https://a.example/f", "a.csv", frame)
    await tab.settle()
    assert tab.watch.outcome.lines() == []
