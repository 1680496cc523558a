"""Steps that the person is asked about, where they look, answered as a person answers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio
from mcp import Client

from kapture.cli.demo import demo_shop
from kapture.policy.audit import entries
from tests.support.deep_page import button_script, element_script, middle_script
from tests.support.direct import attached, close
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person
from tests.support.shared_panel import SharedPanel
from tests.support.site import serving
from tests.support.stack import HubProcess, call, mcp_client, refusal

pytestmark = pytest.mark.e2e

OUTSIDE = "http://localhost:9/pay?sum=1"


@attrs.frozen
class Scene:
    """A tab connected for its own site, with the panel shown."""

    hub: HubProcess
    person: Person
    client: Client
    panel: Panel
    tab_id: str
    url: str


@pytest.fixture
async def scene(hub: HubProcess, person: Person, shared_panel: SharedPanel) -> AsyncIterator[Scene]:
    with demo_shop() as shop:
        async with connected(hub, shared_panel, shop, "Corner Shop") as scene:
            yield scene


@asynccontextmanager
async def connected(hub: HubProcess, shared: SharedPanel, url: str, title: str) -> AsyncIterator[Scene]:
    async with mcp_client(hub, "--toolsets", "core,tabs,files,more") as client, shared.on(url) as panel:
        await panel.says(title)
        await panel.press("Connect")
        tab_id = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
        yield Scene(hub, shared.person, client, panel, tab_id, url)


async def test_a_question_opens_a_window_over_the_tab_when_the_panel_is_out_of_sight(scene: Scene) -> None:
    await scene.panel.leave()
    async with trio.open_nursery() as nursery:

        async def look_and_deny() -> None:
            async with scene.person.view("question.html") as window:
                text = await window.says(OUTSIDE)
                assert "Tab: Corner Shop" in text
                assert "Allow once: this step, and nothing else." in text
                fits = "outerWidth === 440 && outerHeight <= screen.height"
                await until(lambda: evaluate(window.page, fits), "the window in its size")
                await window.press("Deny")

        nursery.start_soon(look_and_deny)
        refused = await refusal(scene.client, "navigate", tabId=scene.tab_id, url=OUTSIDE)
    assert "did not allow it" in refused


async def test_permission_once_is_for_that_call_alone(scene: Scene) -> None:
    elsewhere = scene.url.replace("127.0.0.1", "localhost")
    answers: list[str] = []
    async with trio.open_nursery() as nursery:

        async def leave() -> None:
            answers.append(await call(scene.client, "navigate", tabId=scene.tab_id, url=elsewhere, snapshot="full"))

        nursery.start_soon(leave)
        await scene.panel.says("wants to work on localhost")
        await scene.panel.press("Allow once")
    assert 'heading "Corner Shop' in answers[0]

    async def answered() -> bool:
        return "wants to work on localhost" not in await scene.panel.text()

    await until(answered, "the panel without the first question")  # or the second answer could be given to it
    async with trio.open_nursery() as nursery:

        async def read() -> None:
            answers.append(await refusal(scene.client, "snapshot", tabId=scene.tab_id))

        nursery.start_soon(read)
        await scene.panel.says("wants to work on localhost")
        await scene.panel.press("Deny")
    assert "did not allow it" in answers[1]


async def test_read_only_opens_another_site_to_reading_and_closes_the_tab_to_acting(scene: Scene) -> None:
    elsewhere = scene.url.replace("127.0.0.1", "localhost")

    async def asked(question: str, answer: str) -> None:
        await scene.panel.says(question)
        await scene.panel.press(answer)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(asked, "wants to work on localhost", "Allow once")
        await call(scene.client, "navigate", tabId=scene.tab_id, url=elsewhere)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(asked, "Read only: Read on 127.0.0.1", "Read only")
        assert 'heading "Corner Shop' in await call(scene.client, "snapshot", tabId=scene.tab_id)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(asked, "wants to interact with this tab", "Deny")
        assert "did not allow it" in await refusal(scene.client, "click", tabId=scene.tab_id, selector="h1")


async def test_an_upload_is_asked_about_with_the_names_of_its_files_and_gives_them_once_allowed(
    hub: HubProcess, person: Person, shared_panel: SharedPanel
) -> None:
    names = ["passport.pdf", "bank statement.csv"]
    folder = hub.home / "uploads"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("private")
    await person.in_worker("chrome.storage.local.set({defaultLevel: 'read'})")
    with serving({"/": "<title>Apply</title><input type=file multiple aria-label=Files>"}) as site:
        async with connected(hub, shared_panel, site.url("/"), "Apply") as scene:
            await scene.panel.leave()

            async def look_and_allow() -> None:
                async with person.view("question.html") as window:
                    text = await window.says("bank statement.csv")
                    assert all(str(folder / name) in text for name in names)
                    await window.press("Allow once")

            async with trio.open_nursery() as nursery:
                nursery.start_soon(look_and_allow)
                paths = [str(folder / name) for name in names]
                answer = await call(scene.client, "upload", tabId=scene.tab_id, selector="input", paths=paths)
            assert all(name in answer for name in names)


async def test_a_press_that_begins_before_the_answers_can_be_pressed_allows_nothing(scene: Scene) -> None:
    await scene.panel.leave()
    async with trio.open_nursery() as nursery:

        async def hold_and_deny() -> None:
            async with scene.person.view("question.html") as window:

                async def pointer(kind: str, at: list[float]) -> None:
                    event = {"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}
                    await window.page.root.send("Input.dispatchMouseEvent", event)

                allow = middle_script(element_script(".row button:nth-child(2)"))
                await pointer("mousePressed", await until(lambda: evaluate(window.page, allow), "the answers"))
                alive = middle_script(button_script("Allow once"))
                await pointer("mouseReleased", await until(lambda: evaluate(window.page, alive), "answers to press"))
                await window.press("Deny")

        nursery.start_soon(hold_and_deny)
        refused = await refusal(scene.client, "navigate", tabId=scene.tab_id, url=OUTSIDE)
    assert "did not allow it" in refused


async def test_a_window_that_is_closed_is_unanswered_for_the_agent_and_in_the_audit(scene: Scene) -> None:
    await scene.panel.leave()
    async with trio.open_nursery() as nursery:

        async def close_it() -> None:
            async with scene.person.view("question.html") as window:
                await window.says("localhost:9")
            window_id = (await scene.person.target("ui/question.html"))["id"]
            await close(scene.person.port, window_id)

        nursery.start_soon(close_it)
        refused = await refusal(scene.client, "navigate", tabId=scene.tab_id, url=OUTSIDE)
    assert "has not answered: this is not a no" in refused
    # The person is left in peace for a while.
    again = await refusal(scene.client, "navigate", tabId=scene.tab_id, url=OUTSIDE)
    assert "has not answered" in again

    async def audited() -> list[str] | None:
        of_tab = [entry for entry in entries(scene.hub.home) if entry.get("tab") == scene.tab_id]
        asked = [entry["asked"] for entry in of_tab if entry["event"] == "decision"]
        return asked if len(asked) > 1 else None  # written by a thread of the hub's, after the answer

    assert await until(audited, "both decisions in the audit log") == ["unanswered", "unanswered"]


async def test_a_script_outside_the_grant_asks_once_for_level_and_site_and_takes_its_time(scene: Scene) -> None:
    elsewhere = scene.url.replace("127.0.0.1", "localhost")
    async with attached(await scene.person.target(scene.url)) as page:
        await page.root.send("Page.navigate", {"url": elsewhere})
    await scene.panel.says("Outside the grant")
    answers: list[str] = []

    async def ask() -> None:
        given = {"code": "return 40 + 2", "timeout": 1_000}
        answers.append(await call(scene.client, "evaluate", tabId=scene.tab_id, **given))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        text = await scene.panel.says("It gets the access level Full and may work on localhost")
        assert "have full access to this tab and work on localhost" in text
        await trio.sleep(1.5)  # longer than the call's own timeout
        await scene.panel.press("Allow once")
    assert "42" in answers[0]


CARD = "<title>Card</title><button onclick=\"this.textContent = 'Paid'\">Pay</button>"


async def test_acting_in_a_frame_outside_the_grant_asks_for_its_site_and_then_goes_on(
    hub: HubProcess, person: Person, shared_panel: SharedPanel
) -> None:
    with serving({"/card": CARD}) as other, serving({}) as own:
        # Another port of the host shares the page's process; `localhost` has one of its own.
        beside, elsewhere = other.url("/card"), other.url("/card", "localhost")
        own.pages["/"] = (
            f"<title>Till</title><h1>Till</h1><iframe src={beside}></iframe><iframe src={elsewhere}></iframe>"
        )
        async with connected(hub, shared_panel, own.url("/"), "Till") as scene:
            await scene.panel.leave()

            async def answer(site: str, button: str) -> None:
                async with scene.person.view("question.html") as window:
                    assert "/card" not in await window.says(site)
                    await window.press(button)
                await scene.person.gone("question.html")  # or the next question could be looked for in this window

            async def both_frames() -> tuple[str, str] | None:
                shown = await call(scene.client, "snapshot", tabId=scene.tab_id)
                frames = await call(scene.client, "tab_info", tabId=scene.tab_id)
                return (shown, frames) if shown.count("(not granted: ") == frames.count(" (not granted)") == 2 else None

            shown, frames = await until(both_frames, "both frames")
            for url, button in ((beside, "Allow for this tab"), (elsewhere, "Allow once")):
                origin = url.removesuffix("/card")
                site = origin.removeprefix("http://")
                assert f"(not granted: {origin})" in shown
                assert "Pay" not in shown
                frame = re.search(rf"frame (f\d+): {origin} \(not granted\)", frames)
                assert frame is not None
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(answer, site, button)
                    target = {"text": "Pay", "frame": frame[1]}
                    assert "clicked" in await call(scene.client, "click", tabId=scene.tab_id, target=target)
            # The one that was allowed for the tab stays open; the other was for one step.
            shown = await call(scene.client, "snapshot", tabId=scene.tab_id)
            assert shown.count('button "Paid"') == 1
            assert f"(not granted: {other.url('', 'localhost')})" in shown
