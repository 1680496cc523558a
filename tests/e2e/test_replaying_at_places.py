"""Presses in what has no parts, such as a drawing, are replayed at the place in it, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from kapture.commands.core.answer import CallResult
from kapture.errors import KaptureError
from kapture.page.input.mouse import Point
from kapture.scenarios.model import Step
from kapture.scenarios.record.captured import CapturedStep, of_action, of_command
from kapture.scenarios.replay.run_tabs import runner_on
from tests.support.context import Tab, open_tab
from tests.support.recorded import recording
from tests.support.site import Site

pytestmark = pytest.mark.e2e

DRAWING = """<!doctype html><title>Start</title><style>* { margin: 0 } canvas { width: 200px; height: 100px }</style>
<p>Drawing</p><canvas id=drawing></canvas><button aria-label=Zoom></button><div id=track></div><script>
const done = [];
const at = ({ offsetX, offsetY }) => [offsetX, offsetY].join();
let from;
drawing.onpointerdown = (event) => { from = event; };
drawing.onclick = (event) => { if (at(event) === at(from)) done.push(`click ${at(event)}`); };
drawing.onpointerup = (event) => { if (at(event) !== at(from)) done.push(`line ${at(from)} to ${at(event)}`); };
drawing.ondblclick = (event) => { done.push(`double ${at(event)}`); };
</script>"""
LARGER = DRAWING.replace("width: 200px; height: 100px", "width: 400px; height: 200px; margin: 1500px 0 0 30px")
COVERED = DRAWING.replace("</canvas>", "</canvas><p style='position:absolute;left:20px;top:30px'>Wait for the map</p>")


async def test_a_drawing_is_pressed_where_it_was(browser: int, site: Site) -> None:
    site.pages |= {"/start": DRAWING, "/larger": LARGER, "/covered": COVERED}
    async with open_tab(browser, site.url("/start")) as tab:
        mouse = tab.page.mouse
        left, top = (await tab.data("evaluate", code="(({x, y}) => [x, y])(drawing.getBoundingClientRect())"))["value"]

        def inside(x: float, y: float) -> Point:
            return Point(left + x, top + y)

        async with recording(tab.page) as recorded:
            await mouse.click(inside(30, 20))
            await mouse.move(inside(150, 80))
            await mouse.down()
            await mouse.move(inside(170, 60), steps=4)
            await mouse.up()
            actions = [await recorded.action("click"), await recorded.action("drag")]
        clicked, dragged = (_step(of_action(action)) for action in actions)
        assert [clicked.at, dragged.at] == [[30, 20], [150, 80]]
        assert await tab.page.evaluate("done") == ["click 30,20", "line 150,80 to 170,60"]
        runner = runner_on(_caller(tab), "")
        await tab("navigate", url=site.url("/larger"))
        await runner.run("draw", clicked, {}, {})
        await runner.run("draw", msgspec.structs.replace(clicked, arguments={"count": 2}), {}, {})
        await runner.run("draw", dragged, {}, {})
        assert await tab.page.evaluate("done.filter((one) => !one.startsWith('click'))") == [
            "double 60,40",
            "line 300,160 to 320,140",
        ]
        assert await tab.page.evaluate("new Set(done).has('click 60,40')")
        await tab("navigate", url=site.url("/covered"))
        with pytest.raises(KaptureError, match="covers the element at 30, 20, where it is to be pressed"):
            await runner.run("draw", clicked, {}, {})
        assert await tab.page.evaluate("done") == []


async def test_a_place_that_a_client_pressed_is_kept_as_a_persons(browser: int, site: Site) -> None:
    site.pages["/start"] = DRAWING
    async with open_tab(browser, site.url("/start")) as tab, recording(tab.page) as recorded:
        box = (await tab.data("evaluate", code="drawing.getBoundingClientRect().toJSON()"))["value"]
        point = {"x": box["x"] + 30, "y": box["y"] + 20}
        await tab("click", target=point)
        await tab("drag", source=point, delta_x=20, delta_y=10)
        await tab("click", target="#drawing")
        steps = [of_command(ran) for ran in recorded.commands]
    assert [(step.command, step.at) for step in steps if step.element is not None] == [
        ("click", [30, 20]),
        ("drag", [30, 20]),
        ("click", None),
    ]


def _step(step: CapturedStep) -> Step:
    return Step(
        command=step.command,
        arguments=dict(step.arguments),
        targets=list(step.targets),
        element=step.element,
        at=None if step.at is None else list(step.at),
        onto=step.onto,
    )


def _caller(tab: Tab) -> Any:
    async def call(name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None) -> CallResult:
        return await tab(name, **{key: value for key, value in arguments.items() if key != "tabId"})

    return call
