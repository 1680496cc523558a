"""Replaying a drag: what is dropped on is found again on a changed page, as what is dragged, or nothing is dragged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
import trio

from kapture.commands.core.answer import CallResult
from kapture.errors import KaptureError
from kapture.page.actions.drag import drag
from kapture.page.input.mouse import Point
from kapture.page.target import TargetSpec
from kapture.scenarios.model import Step
from kapture.scenarios.record.captured import CapturedStep, of_action
from kapture.scenarios.replay.run_tabs import runner_on
from tests.support.context import Tab, open_tab
from tests.support.recorded import recording
from tests.support.site import Site

pytestmark = pytest.mark.e2e

DROPS = """<script>
addEventListener('dragstart', () => { phase = 'started' })
addEventListener('dragover', (event) => { if (event.target.closest('.zone')?.dataset.is === 'Done') phase = 'over' })
for (const zone of document.querySelectorAll('.zone')) {
  zone.ondragover = (event) => event.preventDefault()
  zone.ondrop = () => { zone.append(card); document.title = zone.dataset.is }
}
</script>"""


FOLLOWS = """<script>
const under = ({ clientX, clientY }) => document.elementsFromPoint(clientX, clientY).find((one) => one.matches('.zone'))
let from
card.draggable = false
card.style.userSelect = 'none'
card.onpointerdown = (event) => { from = event; card.setPointerCapture(event.pointerId) }
card.onpointermove = (event) => {
  if (!from) return
  card.style.transform = `translate(${event.clientX - from.clientX}px, ${event.clientY - from.clientY}px)`
  phase = under(event)?.dataset.is === 'Done' ? 'over' : 'started'
}
card.onpointerup = (event) => {
  from = undefined
  card.style.transform = ''
  const zone = under(event)
  if (zone && !zone.contains(card)) { zone.append(card); document.title = zone.dataset.is }
}
</script>"""


def board(*columns: str, heading: str = "h2", shape: str = "{heading}{card}") -> str:
    """Columns without names of their own, each with a heading; the card is in the first."""
    made = "".join(
        f"<div class=zone data-is='{name}' style='width:150px;height:120px;background:#eee'>"
        + shape.format(
            heading=f"<{heading} style='margin:0'>{name}</{heading}>",
            card="<p id=card draggable=true>Write the report</p>" if index == 0 else "<p>Another card</p>",
        )
        + "</div>"
        for index, name in enumerate(columns)
    )
    return f"<main style='display:flex;gap:10px'>{made}</main>{DROPS}"


def lists(*columns: str) -> str:
    """Each list is beside its heading, and not around it."""
    made = "".join(
        f"<section><h2 style='margin:0'>{name}</h2>"
        f"<ul class=zone data-is='{name}' style='height:90px;margin:0;background:#eee'>"
        + ("<li id=card draggable=true>Write the report</li>" if index == 0 else "<li>Another card</li>")
        + "</ul></section>"
        for index, name in enumerate(columns)
    )
    return f"<main style='display:flex;gap:10px'>{made}</main>{DROPS}"


def following(*columns: str) -> str:
    """The page moves the card with the pointer."""
    return board(*columns).replace(DROPS, FOLLOWS)


def preventing(*columns: str) -> str:
    """It also prevents that the browser tells of the mouse."""
    return following(*columns).replace("from = event;", "from = event; event.preventDefault();")


def named(*columns: str) -> str:
    return board(*columns).replace("data-is='Done'", "data-is='Done' role=group aria-label=Done")


COLUMNS = ("To do", "Doing", "Done")
SWAPPED = ("To do", "Done", "Doing")
WITHOUT = ("To do", "Doing", "Archive")


@pytest.mark.parametrize(
    ("before", "after", "lands"),
    [
        (board(*COLUMNS), board(*COLUMNS), "Done"),
        (board(*COLUMNS), board(*SWAPPED), "Done"),
        (board(*COLUMNS), board(*SWAPPED, heading="h3", shape="{card}{heading}"), "Done"),
        (board(*COLUMNS), board(*WITHOUT), None),
        (board(*COLUMNS), board(*COLUMNS, "Done"), None),
        (named(*COLUMNS), named(*SWAPPED), "Done"),
        (named(*COLUMNS), board(*WITHOUT), None),
        (lists(*COLUMNS), lists(*COLUMNS), "Done"),
        (lists(*COLUMNS), lists(*SWAPPED), "Done"),
        (lists(*COLUMNS), lists(*WITHOUT), None),
        (following(*COLUMNS), following(*COLUMNS), "Done"),
        (following(*COLUMNS), following(*SWAPPED), "Done"),
        (following(*COLUMNS), following(*WITHOUT), None),
        (preventing(*COLUMNS), preventing(*SWAPPED), "Done"),
    ],
    ids=[
        *("headings", "swapped", "moved", "gone", "two of them", "named", "named and gone"),
        *("lists", "lists swapped", "list gone"),
        *("following", "following and swapped", "following and gone", "preventing mouse events"),
    ],
)
async def test_a_drag_ends_where_it_was_recorded_or_does_not_begin(
    browser: int, site: Site, before: str, after: str, lands: str | None
) -> None:
    site.pages["/start"] = f"<!doctype html><title>Start</title>{before}"
    site.pages["/changed"] = f"<!doctype html><title>Start</title>{after}"
    async with open_tab(browser, site.url("/start")) as tab:
        step = await _recorded(tab)
        await tab("navigate", url=site.url("/changed"))
        runner = runner_on(_caller(tab), "")
        if lands is None:
            with pytest.raises(KaptureError, match="shows no drop target that is the recorded one"):
                await runner.run("drag", msgspec.structs.replace(step, timeout=300), {}, {})
            assert (await tab.data("tab_info"))["title"] == "Start"
        else:
            await runner.run("drag", step, {}, {})
            assert (await tab.data("tab_info"))["title"] == lands


async def test_a_drag_that_is_cancelled_on_its_way_drops_nothing_there(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/start"] = f"<!doctype html><title>Start</title>{following(*COLUMNS)}"
    async with open_tab(browser, site.url("/start")) as tab:

        async def cancelled(*_: object, **__: object) -> None:
            scope.cancel()
            await trio.lowlevel.checkpoint()

        monkeypatch.setattr(type(tab.page.mouse), "up", cancelled)
        with trio.CancelScope() as scope:
            await drag(tab.page, TargetSpec(css="#card"), TargetSpec(css="[data-is=Done]"))
        assert scope.cancelled_caught
        assert await tab.page.evaluate("[phase, document.title, card.style.transform].join()") == "started,Start,"


async def _recorded(tab: Tab) -> Step:
    """The card is dropped on the empty part of the third column."""
    mouse = tab.page.mouse
    boxes = "[card, document.querySelectorAll('.zone')[2]].map(one => one.getBoundingClientRect().toJSON())"
    card, zone = (await tab.data("evaluate", code=boxes))["value"]
    async with recording(tab.page) as recorded:
        await mouse.move(Point(card["x"] + 10, card["y"] + 8))
        await mouse.down()
        await mouse.move(Point(card["x"] + 20, card["y"] + 12), steps=4)
        await _phase(tab, "started")  # what comes before that is no part of the drag
        await mouse.move(Point(zone["right"] - 5, zone["bottom"] - 5), steps=4)
        await _phase(tab, "over")
        await mouse.up()
        action = await recorded.action("drag")
    step: CapturedStep = of_action(action)
    return Step(
        command=step.command,
        arguments=dict(step.arguments),
        targets=list(step.targets),
        element=step.element,
        onto=step.onto,
    )


async def _phase(tab: Tab, phase: str) -> None:
    with trio.fail_after(30):
        while await tab.page.evaluate("window.phase") != phase:
            pass


def _caller(tab: Tab) -> Any:
    async def call(name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None) -> CallResult:
        return await tab(name, **{key: value for key, value in arguments.items() if key != "tabId"})

    return call
