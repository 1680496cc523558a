"""What a Console is sent over `/console/live`: what happens, and nothing that its client may not see."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest

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
from tests.unit.hub.simulated import World, fails, world
from tests.unit.hub.test_extensions import BROWSER
from tests.unit.hub.test_tab_control import connect

SHOP = {"sites": ["shop.example"], "level": "interact"}


class Socket:
    """Both ends of a Console's socket."""

    def __init__(self) -> None:
        self._to_hub, self._hub_reads = trio.open_memory_channel[str](100)
        self._to_page, self._page_reads = trio.open_memory_channel[str | bytes](1_000)
        self.closed: tuple[int, str] | None = None

    # The hub's end

    async def accept(self) -> Socket:
        return self

    async def get_message(self) -> str:
        try:
            return await self._hub_reads.receive()
        except trio.EndOfChannel:
            raise ConnectionClosed(None) from None

    async def send_message(self, message: str | bytes) -> None:
        await self._to_page.send(message)

    async def aclose(self, code: int, reason: str) -> None:
        self.closed = (code, reason)

    # The page's end

    async def send(self, **message: Any) -> None:
        await self.send_frame(json.dumps(message))

    async def send_frame(self, frame: str) -> None:
        await self._to_hub.send(frame)

    async def close(self) -> None:
        await self._to_hub.aclose()

    async def receive(self, kind: str) -> dict[str, Any]:
        with trio.fail_after(60):
            while True:
                frame = await self._page_reads.receive()
                message: dict[str, Any] = json.loads(frame.split(b"\n")[0] if isinstance(frame, bytes) else frame)
                if message["type"] == kind:
                    return message


async def _checks() -> Sequence[Mapping[str, Any]]:
    return [{"what": "hub", "state": "ok", "detail": "runs", "fix": ""}]


@asynccontextmanager
async def console(there: World) -> AsyncIterator[Socket]:
    socket = Socket()
    endpoint = ConsoleEndpoint(there.hub, checks=_checks, commands=list)
    there.nursery.start_soon(endpoint.serve, cast("WebSocketRequest", socket))
    yield socket
    await socket.close()


async def test_it_begins_with_the_hub_its_tabs_and_the_calls_before(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url="https://shop.example/cart", title="Cart", grant=SHOP)
        there.nursery.start_soon(tab.answer_all)
        await there.call("t_echo", word="before")
        async with console(there) as page:
            hub = await page.receive("hub")
            assert [client["name"] for client in hub["clients"]] == ["tester"]
            (row,) = (await page.receive("tabs"))["changed"]
            assert (row["tabId"], row["title"], row["level"]) == ("tab1", "Cart", "interact")
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


async def test_what_is_recorded_is_sent_as_it_changes_where_the_page_may_be_read(
    tmp_path: Path, autojump_clock: Any
) -> None:
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


async def test_what_lies_outside_the_grant_is_not_shown(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url="https://bank.example/accounts?id=7", title="Your savings", grant=SHOP)
        there.nursery.start_soon(tab.answer_all)
        await fails(ErrorCode.POLICY_DENIED, there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
        async with console(there) as page:
            (row,) = (await page.receive("tabs"))["changed"]
            assert (row["url"], row["title"]) == ("https://bank.example", "")
            (call,) = (await page.receive("calls"))["calls"]
            assert call["outcome"] == "POLICY_DENIED"
            assert "message" not in call
            await page.send(type="ask", id=1, about="status")
            status = (await page.receive("answer"))["value"]
            assert "savings" not in json.dumps(status)


async def test_questions_are_answered_by_their_id(tmp_path: Path) -> None:  # a thread reads the audit log
    async with world(tmp_path) as there, console(there) as page:
        await page.send(type="ask", id=4, about="checks")
        assert (await page.receive("answer")) == {"type": "answer", "id": 4, "value": list(await _checks())}
        await page.send(type="ask", id=5, about="audit")
        assert (await page.receive("answer")) == {"type": "answer", "id": 5, "value": []}


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


async def test_a_tab_without_a_picture_says_why(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there, console(there) as page:
        await there.tab()
        await page.send(type="watch", tabs=["tab1", "nobody"])
        withheld = [await page.receive("withheld"), await page.receive("withheld")]
        assert [(one["tabId"], one["reason"]) for one in withheld] == [
            ("tab1", "This tab executes commands itself: there is no live picture of it."),
            ("nobody", "The tab is not connected."),
        ]


@pytest.mark.parametrize("frame", ['{"type": "run", "command": "evaluate"}', "nonsense", '{"type": "watch"}'])
async def test_a_message_that_cannot_be_read_closes_the_socket(tmp_path: Path, autojump_clock: Any, frame: str) -> None:
    async with world(tmp_path) as there:
        socket = Socket()
        await socket.send_frame(frame)
        with trio.fail_after(60):
            await ConsoleEndpoint(there.hub, checks=_checks, commands=list).serve(cast("WebSocketRequest", socket))
        assert socket.closed is not None
        assert socket.closed[0] == 1008


class Viewer:
    """A screencast's viewer that has as many pictures as it is asked for."""

    def __init__(self) -> None:
        self.taken = 0

    async def next(self) -> LiveFrame:
        await trio.lowlevel.checkpoint()
        self.taken += 1
        return LiveFrame(number=self.taken, base64="/9j/", width=800, height=600)


def _page(viewer: Viewer, *, granted: bool = True) -> Page:
    @asynccontextmanager
    async def watch(width: int) -> AsyncIterator[Viewer]:
        yield viewer

    main = SimpleNamespace(granted=True)
    frames = SimpleNamespace(main=main, all=lambda: [main, SimpleNamespace(granted=granted)])
    return cast("Page", SimpleNamespace(screencast=SimpleNamespace(watch=watch), frames=frames))


async def test_the_next_picture_waits_until_the_last_one_is_drawn(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        viewer, sent = Viewer(), list[str | bytes]()

        async def send(message: str | bytes) -> None:
            sent.append(message)

        page = _page(viewer)
        monkeypatch.setattr(Pictures, "_page", lambda self, tab_id: page)
        client = Client(name="Kapture Console")
        pictures = Pictures(there.hub.state, client, there.nursery, send)
        await pictures.watch(["tab1"], None)
        await trio.sleep(5)
        assert viewer.taken == 1
        pictures.drawn("tab1", 1)
        await trio.sleep(5)
        assert viewer.taken == 2
        await pictures.watch([], None)
        pictures.drawn("tab1", 2)
        await trio.sleep(5)
        assert [json.loads(cast("bytes", one).split(b"\n")[0])["number"] for one in sent] == [1, 2]


async def test_a_page_with_a_frame_outside_the_grant_has_no_picture(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        tab = there.hub.state.router.find("tab1")
        client = Client(name="Kapture Console")
        assert why_no_picture(there.hub.state, client, tab, _page(Viewer())) is None
        mixed = why_no_picture(there.hub.state, client, tab, _page(Viewer(), granted=False))
        assert mixed == "A part of this page is outside the grant."


async def test_a_page_outside_the_grant_has_no_picture(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://bank.example/", grant=SHOP)
        tab = there.hub.state.router.find("tab1")
        assert why_no_picture(there.hub.state, Client(name="Kapture Console"), tab, _page(Viewer())) is not None


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


async def test_a_console_asks_the_person_for_another_grant(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there, console(there) as page:
        browser = await connect(there)
        await there.tab("tab1", browser=BROWSER)
        await page.send(type="act", id=1, action="change_grant", tabId="tab1")
        question = await browser.receive("tab_request")
        assert (question["client"], question["tabId"]) == ("Kapture Console", "tab1")
        await browser.send(type="tab_request_answer", id=question["id"], decision="deny")
        assert (await page.receive("answer")) == {"type": "answer", "id": 1, "value": "deny"}


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


async def test_what_a_console_points_at_is_marked_where_it_may_be_read(tmp_path: Path, autojump_clock: Any) -> None:
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
