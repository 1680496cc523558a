"""Messages to a Console over `/console/live`: events that its client may see, and no others."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio_websocket import WebSocketRequest

from kapture.commands.core.recorder import RecordedStep, RecorderView, RecordingState
from kapture.endpoints.console import ConsoleEndpoint
from kapture.endpoints.console.pictures import Pictures
from kapture.endpoints.console.visible import why_no_picture
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from kapture.hub.holding import Hold
from kapture.page import Page
from kapture.page.screencast import LiveFrame
from tests.support.fake_recorder import FakeRecorder
from tests.unit.endpoints.console_socket import Socket, checks, console
from tests.unit.group.machines import two
from tests.unit.hub.simulated import fails, world
from tests.unit.hub.test_extensions import BROWSER
from tests.unit.hub.test_tab_control import connect

SHOP = {"sites": ["shop.example"], "level": "interact"}


async def test_it_begins_with_the_tabs_then_the_hub_and_the_calls_before(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url="https://shop.example/cart", title="Cart", grant=SHOP)
        there.nursery.start_soon(tab.answer_all)
        await there.call("t_echo", word="before")
        async with console(there) as page:
            (row,) = (await page.receive("tabs"))["changed"]
            assert (row["tabId"], row["title"], row["level"], row["readable"]) == ("tab1", "Cart", "interact", True)
            hub = await page.receive("hub")
            assert [client["name"] for client in hub["clients"]] == ["tester"]
            (call,) = (await page.receive("calls"))["calls"]
            assert (call["command"], call["client"], call["outcome"]) == ("t_echo", "tester", "ok")


async def test_calls_and_tabs_are_sent_as_they_change(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there, console(there) as page:
        await page.receive("hub")
        tab = await there.tab()
        assert [row["tabId"] for row in (await page.receive("tabs"))["changed"]] == ["tab1"]
        call = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1", "word": "hunter2"}))
        asked = await tab.receive("command")
        (running,) = (await page.receive("calls"))["calls"]
        assert "outcome" not in running
        assert running["arguments"] == {"tabId": "tab1", "word": "(7 characters)"}
        await tab.answer(asked)
        await call.wait()
        (over,) = (await page.receive("calls"))["calls"]
        assert (over["number"], over["outcome"]) == (running["number"], "ok")
        await tab.close(4001)
        assert (await page.receive("tabs"))["gone"] == ["tab1"]


async def test_nothing_more_is_read_from_a_console_that_asks_and_does_not_read(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there, console(there, reads=False) as page:
        sent = 0
        with trio.move_on_after(60):
            while sent < 500:
                await page.send(type="ask", id=sent, about="commands")
                sent += 1
        assert 0 < sent < 300  # what its socket and the hub hold
        page.reads.set()
        with trio.fail_after(60):
            for number in range(sent):
                assert (await page.receive("answer"))["id"] <= number + 64


async def test_recording_is_sent_as_it_changes_while_page_may_be_read(tmp_path: Path, autojump_clock: Any) -> None:
    recorder = FakeRecorder()
    async with world(tmp_path, recorder=cast("RecorderView", recorder)) as there, console(there) as page:
        await there.tab(url="https://bank.example/", grant=SHOP)
        await there.tab("tab2", url="https://shop.example/", grant=SHOP)
        step = RecordedStep(id="a1", title='fill textbox "Password"', secret="password")
        for tab_id in ("tab1", "tab2"):
            recorder.becomes(tab_id, RecordingState(tabId=tab_id, recording=True, steps=[step]))
        shown = {"going": True, "steps": [{"id": "a1", "title": 'fill textbox "Password"', "secret": "password"}]}
        assert (await page.receive("recordings"))["tabs"] == {"tab2": shown}
        recorder.becomes("tab2", None)
        assert (await page.receive("recordings"))["tabs"] == {"tab2": None}


async def test_content_outside_grant_is_not_shown(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url="https://bank.example/accounts?id=7", title="Your savings", grant=SHOP)
        there.nursery.start_soon(tab.answer_all)
        await fails(ErrorCode.POLICY_DENIED, there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
        async with console(there) as page:
            (row,) = (await page.receive("tabs"))["changed"]
            assert (row["url"], row["title"], row["readable"]) == ("https://bank.example", "", False)
            (call,) = (await page.receive("calls"))["calls"]
            assert call["outcome"] == "POLICY_DENIED"
            assert "message" not in call
            await page.send(type="ask", id=1, about="status")
            status = (await page.receive("answer"))["value"]
            assert "savings" not in json.dumps(status)


OTHER_SITE = {"type": "event", "event": "tab", "url": "https://bank.example/"}
OTHER_GRANT = {"type": "event", "event": "grant", "grant": {"sites": ["docs.example"], "level": "interact"}}


@pytest.mark.parametrize("change", [OTHER_SITE, OTHER_GRANT, None], ids=["another site", "another grant", "gone"])
async def test_quoted_page_text_is_forgotten_when_page_may_not_be_read(
    tmp_path: Path, autojump_clock: Any, change: dict[str, Any] | None
) -> None:
    async with world(tmp_path) as there, console(there) as page:
        await page.receive("hub")
        tab = await there.tab(url="https://shop.example/cart", grant=SHOP)
        call = there.start(fails(ErrorCode.QUEUE_FULL, there.hub.call(there.client, "t_echo", {"tabId": "tab1"})))
        asked = await tab.receive("command")
        error = {"code": "QUEUE_FULL", "message": "words of the page"}
        await tab.send(id=asked["id"], type="response", success=False, error=error)
        await call.wait()
        sent: dict[str, Any] = {}
        while "outcome" not in sent:
            (sent,) = (await page.receive("calls"))["calls"]
        assert "words of the page" in sent["message"]
        if change is None:
            await tab.close(4001)
        else:
            await tab.send(**change)
        assert (await page.receive("unreadable"))["tabs"] == ["tab1"]


async def test_questions_are_answered_by_their_id(tmp_path: Path) -> None:  # a thread reads the audit log
    async with world(tmp_path) as there, console(there) as page:
        await page.send(type="ask", id=4, about="checks")
        found = list(await checks(there.hub.status()))
        assert (await page.receive("answer")) == {"type": "answer", "id": 4, "value": found}
        await page.send(type="ask", id=5, about="audit")
        assert (await page.receive("answer")) == {"type": "answer", "id": 5, "value": []}


async def test_the_group_is_shown_with_the_tabs_of_its_other_machines(tmp_path: Path, autojump_clock: Any) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        await laptop.tab("tab1")
        await laptop.tab("tab2", group=False)
        async with console(devhost.world) as page:
            await page.send(type="ask", id=1, about="group")
            group = (await page.receive("answer"))["value"]
            assert (group["name"], group["machine"], group["away"]) == ("team", "devhost", None)
            assert [one["machine"] for one in group["machines"]] == ["laptop"]
            assert [(tab["tabId"], tab["machine"], tab["title"]) for tab in group["tabs"]] == [
                ("tab1", "laptop", "Cart")
            ]
        async with console(laptop.world) as page:
            rows = (await page.receive("tabs"))["changed"]
            assert {row["tabId"]: row["forGroup"] for row in rows} == {"tab1": True, "tab2": False}
    async with world(tmp_path) as alone, console(alone) as page:
        await page.send(type="ask", id=1, about="group")
        assert (await page.receive("answer")).get("value") is None


async def test_a_person_takes_a_tab_back_from_a_script(tmp_path: Path, autojump_clock: Any) -> None:
    async def stay(hold: Hold) -> None:
        await trio.sleep_forever()

    async with world(tmp_path) as there, console(there) as page:
        grant = {"sites": ["*"], "level": "full"}
        await there.tab(capabilities=["cdp", "cdp_renew"], url="https://shop.example/", grant=grant)
        tab = there.hub.state.router.connected["tab1"]
        with there.hub.client(name="Playwright", kind="cdp") as script:
            hold = there.start(there.hub.holding.hold(script, tab, stay))
            while not (row := (await page.receive("tabs"))["changed"][0]).get("heldBy"):
                pass
            assert row["heldBy"]["client"] == "Playwright"
            await page.send(type="act", id=1, action="release", tabId="tab1")
            assert await page.receive("answer") == {"type": "answer", "id": 1}
            assert await hold.wait() is ErrorCode.CANCELLED


UNREADABLE = {
    "unknown type": '{"type": "run", "command": "evaluate"}',
    "not JSON": "nonsense",
    "field missing": '{"type": "watch"}',
    "nested too deeply": f'{{"type": "watch", "tabs": {"[" * 100_000}',
}


@pytest.mark.parametrize("frame", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_message_that_cannot_be_read_closes_the_socket(tmp_path: Path, autojump_clock: Any, frame: str) -> None:
    async with world(tmp_path) as there:
        socket = Socket(reads=True)
        await socket.send_frame(frame)
        with trio.fail_after(60):
            await ConsoleEndpoint(there.hub, checks=checks, commands=list).serve(cast("WebSocketRequest", socket))
        assert socket.closed is not None
        assert socket.closed[0] == 1008


async def test_a_console_has_a_tab_disconnected_and_hears_why_it_cannot_be(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        browser = await connect(there)
        tab = await there.tab("tab1", browser=BROWSER)
        await there.tab("tab2")
        async with console(there) as page:
            rows = {row["tabId"]: row["controlled"] for row in (await page.receive("tabs"))["changed"]}
            assert rows == {"tab1": True, "tab2": False}
            await page.send(type="act", id=1, action="disconnect", tabId="tab2")
            assert "no browser whose Kapture extension can be asked" in (await page.receive("answer"))["error"]
            await page.send(type="act", id=2, action="disconnect", tabId="tab1")
            await browser.receive("tab_disconnect")
            await tab.send(type="event", event="detached", reason="disconnected", message="")
            await tab.close()
            assert (await page.receive("answer")) == {"type": "answer", "id": 2}


# Pictures of tabs for a Console: one after the other, of granted pages alone, and marks in them.


async def test_a_tab_without_a_picture_says_why(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there, console(there) as page:
        await there.tab()
        await page.send(type="watch", tabs=["tab1", "nobody"])
        withheld = [await page.receive("withheld"), await page.receive("withheld")]
        assert {one["tabId"]: one["reason"] for one in withheld} == {
            "tab1": "This tab executes commands itself: there is no live picture of it.",
            "nobody": "The tab is not connected.",
        }


class Viewer:
    """A screencast's viewer that has as many pictures as it is asked for; with `changing` each is another one."""

    def __init__(self, *, changing: bool = True) -> None:
        self.taken = 0
        self.changing = changing
        self.width = 0

    async def next(self) -> LiveFrame:
        await trio.lowlevel.checkpoint()
        self.taken += 1
        drawn = str(self.taken) if self.changing or self.taken == 10 else "same"
        return LiveFrame(number=self.taken, base64=b64encode(drawn.encode()).decode(), width=800, height=600)


def _page(viewer: Viewer, *, granted: bool = True) -> Page:
    @asynccontextmanager
    async def watch(width: int) -> AsyncIterator[Viewer]:
        viewer.width = width
        yield viewer

    main = SimpleNamespace(granted=True)
    frames = SimpleNamespace(main=main, all=lambda: [main, SimpleNamespace(granted=granted)])
    return cast("Page", SimpleNamespace(screencast=SimpleNamespace(watch=watch), frames=frames))


async def test_a_page_with_a_frame_outside_the_grant_has_no_picture(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        tab = there.hub.state.router.find("tab1")
        client = Client(name="Kapture Console")
        assert why_no_picture(there.hub.state, client, tab, _page(Viewer())) is None
        mixed = why_no_picture(there.hub.state, client, tab, _page(Viewer(), granted=False))
        assert mixed == "A part of this page is outside the grant."


async def test_the_picture_of_a_page_that_does_not_change_goes_with_its_grant(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        sent = list[str | bytes]()

        async def send(message: str | bytes) -> None:
            sent.append(message)

        page: Any = _page(Viewer())
        monkeypatch.setattr(Pictures, "_page", lambda self, tab_id: page)
        pictures = Pictures(there.hub.state, Client(name="Kapture Console"), there.nursery, send)
        await pictures.watch(["tab1"], None)
        await trio.testing.wait_all_tasks_blocked()
        assert len(sent) == 1  # it waits until this one is drawn
        page.frames.main.granted = False
        await pictures.refresh()
        assert json.loads(sent[-1])["reason"] == "A part of this page is outside the grant."
        pictures.drawn("tab1", 1)
        await pictures.refresh()
        await trio.sleep(5)
        assert len(sent) == 2
        page.frames.main.granted = True
        await pictures.refresh()
        await trio.testing.wait_all_tasks_blocked()
        assert isinstance(sent[-1], bytes)
        await pictures.watch([], None)


async def test_a_page_outside_the_grant_has_no_picture(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://bank.example/", grant=SHOP)
        tab = there.hub.state.router.find("tab1")
        assert why_no_picture(there.hub.state, Client(name="Kapture Console"), tab, _page(Viewer())) is not None


class Marked:
    """A page in which elements are marked."""

    def __init__(self) -> None:
        self.shown: str | None = None
        self.highlight = self
        self.tools = SimpleNamespace(known=[])
        self.recording = SimpleNamespace(active=False)

    async def show(self, ref: str) -> None:
        await trio.lowlevel.checkpoint()
        if ref == "e404":
            raise KaptureError(ErrorCode.REF_EXPIRED, "It is gone.")
        self.shown = ref

    def hide(self) -> None:
        self.shown = None


async def test_element_pointed_at_in_console_is_marked_where_it_may_be_read(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", url="https://shop.example/", grant=SHOP)
        await there.tab("tab2", url="https://shop.example/", grant=SHOP)
        await there.tab("tab3", url="https://bank.example/", grant=SHOP)
        pages = {tab_id: Marked() for tab_id in ("tab1", "tab2", "tab3")}
        for tab_id, page in pages.items():
            backend: Any = there.hub.state.router.find(tab_id).backend
            backend.__class__ = type("Backend", (backend.__class__,), {"current_page": page})

        async def shown() -> dict[str, str]:
            await trio.testing.wait_all_tasks_blocked()
            return {tab_id: page.shown for tab_id, page in pages.items() if page.shown is not None}

        async with console(there) as socket:
            await socket.send(type="highlight", tabId="tab1", ref="e5")
            assert await shown() == {"tab1": "e5"}
            await socket.send(type="highlight", tabId="tab1", ref="e404")
            await socket.send(type="highlight", tabId="tab2", ref="e7")
            assert await shown() == {"tab2": "e7"}
            for other in ({"tabId": "tab3", "ref": "e1"}, {"tabId": "nobody", "ref": "e1"}, {"tabId": "tab2"}):
                await socket.send(type="highlight", tabId="tab2", ref="e7")
                assert await shown() == {"tab2": "e7"}
                await socket.send(type="highlight", **other)
                assert await shown() == {}
            await socket.send(type="highlight", tabId="tab1", ref="e5")
            assert await shown() == {"tab1": "e5"}
        assert await shown() == {}, "a Console that has gone points at nothing"
