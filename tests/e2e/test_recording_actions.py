"""A person's actions on a page are captured, each with the data to find its element again."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.commands.core.recorder import SaveWish
from kapture.page.actions.click import click
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.frame import Frame
from kapture.page.input.mouse import Point
from kapture.page.target import TargetSpec
from kapture.scenarios.model import StepTarget
from kapture.scenarios.record.captured import of_action, of_command
from kapture.scenarios.record.optimizer import optimize
from kapture.scenarios.record.recorded_scenario import scenario_of
from kapture.scenarios.record.recording import Recording
from tests.support.recorded import Recorded
from tests.support.recording_person import person_at
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/next": "<title>Next</title><button>Go on</button>"}) as site:
        yield site


async def test_a_click_is_kept_with_every_way_to_find_its_element(browser: int, site: Site) -> None:
    html = "<main><form aria-label=Order><p>Total 5</p><button data-testid=buy><b id=inner>Buy now</b></button></form></main>"
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("#inner")
        action = await recorded.action("click")
        assert [next(iter(target)) for target in action.targets] == ["role", "testId", "text", "css", "xpath"]
        assert action.targets[0] == {"role": "button", "name": "Buy now", "exact": True}
        assert action.element is not None
        assert (action.element["role"], action.element["tag"]) == ("button", "button")
        assert action.element["within"] == ['form "Order"', "main"]
        assert "Total 5" in action.element["neighbours"]


async def test_every_target_of_an_action_leads_to_its_element_again(browser: int, site: Site) -> None:
    html = "<ul><li><button>Edit</button><li><button>Edit</button></ul><label>Name <input></label>"
    async with person_at(browser, site, html) as (tab, person, recorded):
        await person.click("li:nth-child(2) button")
        await person.click("input")
        await recorded.action("click", 1)
        for action, expected in zip(recorded.actions("click"), ("li:nth-child(2) button", "input"), strict=True):
            wanted = (await tab.page.locate(expected)).number
            found = [
                (await tab.page.locate(TargetSpec(**target))).number
                for target in action.targets
                if "text" not in target
            ]
            assert found == [wanted] * len(found), action.targets


async def test_scrolling_is_kept_once_it_ends_and_only_a_persons(browser: int, site: Site) -> None:
    async with person_at(browser, site, "<div style='height:5000px'>Long</div><button>End") as (tab, _, recorded):
        await tab.page.evaluate("new Promise((done) => { onscrollend = done; scrollTo(0, 900) }).then(() => 0)")
        await tab.page.mouse.wheel(0, 300, at=Point(50, 50))
        action = await recorded.action("scroll")
        assert action.arguments["y"] >= 1000
        assert len(recorded.actions("scroll")) == 1


async def test_dragging_is_kept_with_what_and_where(browser: int, site: Site) -> None:
    html = (
        "<div id=a draggable=true style='width:80px;height:40px'>Card</div>"
        "<div id=b ondragover='event.preventDefault(); isOver = true' style='width:200px;height:90px' aria-label=Done role=group>Done</div>"
    )
    async with person_at(browser, site, html) as (tab, _, recorded):
        mouse = tab.page.mouse
        await mouse.move(Point(30, 20))
        await mouse.down()
        with trio.fail_after(30):
            while not await tab.page.evaluate("globalThis.isOver === true"):  # the browser may begin the drag late
                await mouse.move(Point(40, 80))
                await mouse.move(Point(40, 90))
        await mouse.up()
        action = await recorded.action("drag")
        assert action.arguments == {}
        assert action.onto is not None
        assert action.onto["targets"][0] == {"role": "group", "name": "Done", "exact": True}
        assert action.targets[0]["text"] == "Card"
    wish = SaveWish(name="dragging")
    scenario, _ = scenario_of([of_action(action)], wish, url=site.url("/start"), recorded_at="2026-01-01T00:00:00Z")
    assert [step.command for step in scenario.chain] == ["navigate", "drag"]
    assert scenario.chain[1].onto is not None


async def test_files_are_kept_by_their_names_only(browser: int, site: Site, tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").write_text("private contents")
    html = "<label>CV <input type=file></label>"
    async with person_at(browser, site, html) as (tab, _, recorded):
        root = tab.page.connection.root
        document = await root.send("DOM.getDocument", {})
        node = await root.send("DOM.querySelector", {"nodeId": document["root"]["nodeId"], "selector": "input"})
        await root.send("DOM.setFileInputFiles", {"nodeId": node["nodeId"], "files": [str(tmp_path / "cv.pdf")]})
        assert (await recorded.action("upload")).arguments == {"paths": ["cv.pdf"]}
        assert "private contents" not in repr(recorded.events)


async def test_recording_goes_on_in_the_next_document_and_in_frames(browser: int, site: Site) -> None:
    site.pages["/frame"] = "<button>Inside</button>"
    html = "<a href=/frames>On</a>"
    site.pages["/frames"] = f"<title>Frames</title><iframe src='{site.url('/frame', 'localhost')}'></iframe>"
    async with person_at(browser, site, html) as (tab, person, recorded):
        await person.click("a")
        await recorded.until(lambda: recorded.navigations)
        await tab("wait_for", target={"role": "button", "name": "Inside"})
        await click(tab.page, TargetSpec(role="button", name="Inside"))
        await recorded.action("click", 1)
        inside = recorded.actions("click")[1]
        assert inside.targets[0]["frame"] == f"localhost:{site.port}/frame"


async def test_events_that_scripts_make_are_not_recorded_and_nothing_shows_in_the_page(
    browser: int, site: Site
) -> None:
    html = "<button id=a>Forged</button><button id=b>Real</button>"
    async with person_at(browser, site, html) as (tab, person, recorded):
        await tab.page.evaluate("document.all.a.click(); typeof kaptureRecord")
        assert await tab.page.evaluate("typeof kaptureRecord") == "undefined"
        await person.click("#b")
        await recorded.action("click")
        assert [action.targets[0]["name"] for action in recorded.actions()] == ["Real"]


async def test_nothing_is_recorded_after_the_end(browser: int, site: Site) -> None:
    async with person_at(browser, site, "<button id=a>One</button><button id=b>Two</button>") as (
        tab,
        person,
        recorded,
    ):
        await person.click("#a")
        await recorded.action("click")
        await tab.page.recording.stop()
        await person.click("#b")
        again = Recorded()
        await tab.page.recording.start(again.take)
        await person.click("#a")
        await again.action("click")
        assert len(again.actions()) == len(recorded.actions()) == 1


async def test_an_answered_dialog_is_kept(browser: int, site: Site) -> None:
    html = "<button onclick=\"setTimeout(() => prompt('How many?', '1'))\">Ask</button>"
    async with person_at(browser, site, html) as (tab, person, recorded):
        await person.click("button")
        await recorded.until(lambda: recorded.actions("click"))
        while tab.page.dialogs.current is None:
            await tab.page.dialogs.changed.wait()
        await tab.page.connection.root.send("Page.handleJavaScriptDialog", {"accept": True, "promptText": "3"})
        await recorded.until(lambda: recorded.dialogs)
        [answered] = recorded.dialogs
        assert (answered.dialog.message, answered.accepted, answered.text) == ("How many?", True, "3")


async def test_a_command_is_kept_as_such_and_not_as_a_persons_action(browser: int, site: Site) -> None:
    async with person_at(
        browser, site, "<label>City <input></label><button onclick=\"location='/next'\">Go</button>"
    ) as (tab, _, recorded):
        snapshot = await tab.text("snapshot")
        ref = snapshot.split('button "Go" ')[1].split()[0].strip("[]()").removeprefix("ref=")
        await tab("fill", target={"label": "City"}, value="Rome")
        await tab("click", target=ref)
        await recorded.until(lambda: recorded.navigations)
        assert [one.command for one in recorded.commands] == ["fill", "click"]
        assert recorded.commands[0].arguments == {"value": "Rome"}
        assert recorded.commands[1].targets[0] == {"role": "button", "name": "Go", "exact": True}
        assert recorded.actions() == []
        assert [type(event).__name__ for event in recorded.events] == ["RanCommand", "RanCommand", "Navigation"]


async def test_actions_at_points_and_typing_into_focus_are_recorded_by_element(browser: int, site: Site) -> None:
    page = "<label>Password <input type=password style='position:fixed;left:0;top:200px'></label><button>Go</button>"
    async with person_at(browser, site, page) as (tab, _, recorded):
        await tab("mouse", action="click", x=20, y=210)
        await tab("type", text="hunter2")
        await tab("press", key="!")
        await tab("mouse", action="click", x=600, y=500)
        click, typed, pressed, elsewhere = recorded.commands
        assert (click.command, click.secret) == ("click", None)
        assert {"label": "Password", "exact": True} in click.targets
        assert (typed.command, typed.arguments, typed.secret) == ("type", {}, "password")
        assert (pressed.command, pressed.secret, pressed.secret_value) == ("type", "password", "!")
        assert {"label": "Password", "exact": True} in typed.targets
        one, _ = optimize([of_command(each) for each in recorded.commands])
        assert one.secret_value == "hunter2!"
        assert StepTarget(label="Password", exact=True) in one.targets
        assert (elsewhere.command, elsewhere.arguments["x"], elsewhere.arguments["y"]) == ("mouse", 600, 500)


async def test_the_steps_of_a_batch_and_the_fields_of_a_form_are_kept_each(browser: int, site: Site) -> None:
    html = "<form action=/next><input aria-label=Email type=email><input aria-label=Password type=password><button>Sign in</button></form>"
    async with person_at(browser, site, html) as (tab, _, recorded):
        fields: list[Any] = [
            {"target": {"label": "Email"}, "value": "a@b.example"},
            {"target": {"label": "Password"}, "value": "hunter2"},
        ]
        await tab("batch", steps=[{"command": "fill_form", "arguments": {"fields": fields}}])
        assert [(one.command, one.secret, one.secret_value) for one in recorded.commands] == [
            ("fill", "email", "a@b.example"),
            ("fill", "password", "hunter2"),
        ]
        assert "hunter2" not in repr(recorded.events)


async def test_a_failed_command_is_not_kept(browser: int, site: Site) -> None:
    async with person_at(browser, site, "<button disabled>No</button>") as (tab, _, recorded):
        await tab.fails("click", target={"role": "button", "name": "No"}, timeout=500)
        assert recorded.commands == []


async def test_early_actions_in_new_document_are_recorded(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify = Frame.notify
    late: list[Frame] = []

    def keep_back(frame: Frame, function: FunctionName) -> None:
        if function == "startRecording":
            late.append(frame)
        else:
            notify(frame, function)

    async with person_at(browser, site, "<a href=/next>Next</a>") as (tab, person, recorded):
        monkeypatch.setattr(Frame, "notify", keep_back)
        await person.click("a")
        await person.click("button")
        assert await tab.page.evaluate("document.title") == "Next"
        assert len(recorded.actions("click")) == 1
        for frame in late:
            notify(frame, "startRecording")
        assert (await recorded.action("click", 1)).targets[0] == {"role": "button", "name": "Go on", "exact": True}
        assert len(recorded.navigations) == 1


async def test_fields_of_frames_that_load_one_page_are_steps_of_their_own(browser: int, site: Site) -> None:
    site.pages["/field"] = "<!doctype html><label>Code <input></label>"
    frames = "".join(f'<iframe src="{site.url(f"/field?of={one}", "localhost")}"></iframe>' for one in ("card", "gift"))
    async with person_at(browser, site, frames) as (tab, person, recorded):
        for number, frame in enumerate(("of=card", "of=gift")):
            await click(tab.page, TargetSpec(css="input", frame=frame))
            await person.type("12")
            await recorded.action("fill", number)
            await recorded.until(lambda: recorded.values(recorded.actions("fill")[-1])[-1:] == ["12"])
    taken = Recording(site.url("/start"), "2026-01-01T00:00:00Z")
    for event in recorded.events:
        taken.take(event)
    filled = [step for step in optimize(taken.captured) if step.command == "fill"]
    assert [(step.arguments["value"], step.targets[0].frame) for step in filled] == [
        ("12", "of=card"),
        ("12", "of=gift"),
    ]
