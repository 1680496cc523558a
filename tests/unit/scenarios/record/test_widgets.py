"""The widget is drawn as the recording goes on, and what its person asks for is run for the tab's panel."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import attrs
import pytest
import trio
import trio.testing

from kapture.changed import Changed
from kapture.commands.core.answer import Answer, CallResult
from kapture.commands.core.recorder import RecordedStep, RecordingState
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Appearance, Check
from kapture.scenarios.record.captured import CapturedStep
from kapture.scenarios.record.recorder_widgets import RENEW_S, RecorderWidgets
from kapture.scenarios.record.widget_state import WidgetMessage, WidgetState, read_message
from tests.support.fake_recorder import FakeRecorder

TAB = "tab22222"


@attrs.define
class FakeWidget:
    """The widget of a page. `stays`: how often it was asked to stay; `there`: whether the page has left it alone."""

    drawn: list[Mapping[str, Any] | None] = attrs.field(factory=list)
    documents: Changed = attrs.field(factory=Changed)
    on_message: Callable[[str], None] = lambda _: None
    stays: int = 0
    there: bool = True
    _changed: Changed = attrs.field(factory=Changed)

    async def show(self, shown: Mapping[str, Any]) -> None:
        await trio.lowlevel.checkpoint()
        self._draw(shown)

    async def stay(self) -> bool:
        await trio.lowlevel.checkpoint()
        self.stays += 1
        self._changed.notify()
        return self.there

    async def remove(self) -> None:
        await trio.lowlevel.checkpoint()
        self._draw(None)

    def _draw(self, shown: Mapping[str, Any] | None) -> None:
        self.drawn.append(shown)
        self._changed.notify()

    async def until(self, holds: Callable[[Mapping[str, Any] | None], object]) -> Mapping[str, Any] | None:
        """Wait until what is drawn is so."""
        with trio.fail_after(30):
            while not self.drawn or not holds(self.drawn[-1]):
                await self._changed.wait()
        return self.drawn[-1]


@attrs.define
class FakeHub:
    """A hub whose commands the test answers."""

    asked: list[tuple[Any, str, dict[str, Any]]] = attrs.field(factory=list)
    failure: KaptureError | None = None
    script: object = None
    publish: trio.MemorySendChannel[Any] | None = None

    @property
    def state(self) -> Any:
        clients = SimpleNamespace(panel=lambda tab_id: f"panel of {tab_id}")
        router = SimpleNamespace(connected={TAB: SimpleNamespace(script=self.script)})
        return SimpleNamespace(clients=clients, router=router)

    async def call(self, client: Any, name: str, arguments: dict[str, Any]) -> CallResult:
        self.asked.append((client, name, arguments))
        await trio.lowlevel.checkpoint()
        if self.failure is not None:
            raise self.failure
        return CallResult(answer=Answer(), text="", data={})

    @asynccontextmanager
    async def subscribe(self) -> AsyncIterator[Any]:
        self.publish, events = trio.open_memory_channel[Any](10)
        async with events:
            yield events


class PageRecorder(FakeRecorder):
    """Gives pages that hold nothing but a widget."""

    def __init__(self) -> None:
        super().__init__()
        self.widget = FakeWidget()

    @asynccontextmanager
    async def open_page(self, connection: Any, tab_id: str, gate: Any) -> AsyncIterator[Any]:
        yield SimpleNamespace(tab_id=tab_id, widget=self.widget)


def recording(*titles: str, going: bool = True) -> RecordingState:
    steps = [RecordedStep(id=title, title=title) for title in titles]
    return RecordingState(tabId=TAB, recording=going, steps=steps)


@asynccontextmanager
async def opened(hub: FakeHub) -> AsyncIterator[PageRecorder]:
    recorder = PageRecorder()
    widgets = RecorderWidgets(cast("Any", recorder))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(widgets.follow_tabs, cast("Any", hub))
        async with widgets.open_page(cast("Any", None), TAB, cast("Any", None)):
            yield recorder
        nursery.cancel_scope.cancel()


async def test_it_is_drawn_while_the_tab_is_recorded(autojump_clock: trio.testing.MockClock) -> None:
    async with opened(FakeHub()) as recorder:
        widget = recorder.widget
        await widget.until(lambda shown: shown is None)
        recorder.becomes(TAB, recording())
        await widget.until(lambda shown: shown and shown["going"])
        recorder.becomes(TAB, recording("click button"))
        await widget.until(lambda shown: shown and len(shown["steps"]) == 1)
        recorder.becomes(TAB, recording("click button", going=False))
        await widget.until(lambda shown: shown is None)


async def test_a_widget_that_doubts_whether_the_hub_is_there_hears_of_it_at_once(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with opened(FakeHub()) as recorder:
        widget = recorder.widget
        recorder.becomes(TAB, recording("a"))
        await widget.until(lambda shown: shown)
        await widget.until(lambda _: widget.stays == 1)
        asked_at = trio.current_time()
        widget.on_message("{}")
        await widget.until(lambda _: widget.stays == 2)
        assert trio.current_time() - asked_at < RENEW_S / 2


async def test_a_person_starts_from_it_where_it_was_offered(autojump_clock: trio.testing.MockClock) -> None:
    hub = FakeHub()
    async with opened(hub) as recorder:
        widget = recorder.widget
        recorder.offer(TAB)
        shown = await widget.until(lambda shown: shown)
        assert shown is not None
        assert (shown["going"], shown["steps"]) == (False, [])
        widget.on_message('{"command": "record_start"}')
        await widget.until(lambda shown: shown and not shown["busy"] and hub.asked)
        assert [name for _, name, _ in hub.asked] == ["record_start"]
        widget.on_message('{"close": true}')
        await widget.until(lambda shown: shown is None)


async def test_request_of_gone_page_is_not_awaited(autojump_clock: trio.testing.MockClock) -> None:
    recorder = PageRecorder()
    widgets = RecorderWidgets(cast("Any", recorder))
    begun = trio.Event()

    class SlowHub(FakeHub):
        async def call(self, client: Any, name: str, arguments: dict[str, Any]) -> CallResult:
            begun.set()
            await trio.sleep_forever()
            raise AssertionError

    async with trio.open_nursery() as nursery:
        nursery.start_soon(widgets.follow_tabs, cast("Any", SlowHub()))
        async with widgets.open_page(cast("Any", None), TAB, cast("Any", None)):
            recorder.becomes(TAB, recording("a"))
            await recorder.widget.until(lambda shown: shown)
            recorder.widget.on_message('{"command": "record_stop"}')
            recorder.widget.on_message('{"command": "record_save", "params": {"name": "x"}}')
            await recorder.widget.until(lambda shown: shown and shown["busy"])
            await begun.wait()
        recorder.widget.drawn.clear()
        async with widgets.open_page(cast("Any", None), TAB, cast("Any", None)):
            shown = await recorder.widget.until(lambda shown: shown)
            assert shown is not None
            assert not shown["busy"]
        nursery.cancel_scope.cancel()


async def test_a_button_that_is_pressed_before_the_hub_is_ready_says_so(autojump_clock: trio.testing.MockClock) -> None:
    recorder = PageRecorder()
    widgets = RecorderWidgets(cast("Any", recorder))
    async with widgets.open_page(cast("Any", None), TAB, cast("Any", None)):
        recorder.becomes(TAB, recording("a"))
        await recorder.widget.until(lambda shown: shown)
        recorder.widget.on_message('{"command": "record_stop"}')
        shown = await recorder.widget.until(lambda shown: shown and shown["problem"])
        assert shown is not None
        assert not shown["busy"]


async def test_press_during_command_is_run_after_it(autojump_clock: trio.testing.MockClock) -> None:
    hub = FakeHub()
    async with opened(hub) as recorder:
        recorder.becomes(TAB, recording("a"))
        await recorder.widget.until(lambda shown: shown)
        recorder.widget.on_message('{"command": "record_edit", "params": {"step": "a", "delete": true}}')
        recorder.widget.on_message('{"command": "record_stop"}')
        await recorder.widget.until(lambda shown: shown and not shown["busy"] and len(hub.asked) == 2)
        assert [name for _, name, _ in hub.asked] == ["record_edit", "record_stop"]


async def test_it_is_not_there_while_a_script_has_the_tab(autojump_clock: trio.testing.MockClock) -> None:
    hub = FakeHub()
    async with opened(hub) as recorder:
        recorder.becomes(TAB, recording())
        await recorder.widget.until(lambda shown: shown)
        assert hub.publish is not None
        hub.script = object()
        hub.publish.send_nowait(SimpleNamespace(kind="tab_changed", tab_id=TAB))
        await recorder.widget.until(lambda shown: shown is None)
        hub.script = None
        hub.publish.send_nowait(SimpleNamespace(kind="tab_changed", tab_id=TAB))
        await recorder.widget.until(lambda shown: shown)


# When the recorder's widget is to be seen, and what it shows.


def recording_widget_state(*, going: bool = True) -> RecordingState:
    steps = [RecordedStep(id="1", title="fill textbox", value=None, secret="password")]
    return RecordingState(tabId="tab", recording=going, steps=steps)


def shown(state: WidgetState, of: RecordingState | None) -> dict[str, Any]:
    view = state.shown(of)
    assert view is not None
    return view


def test_it_goes_when_anything_but_its_own_stop_ends_the_recording() -> None:
    state = WidgetState()
    shown(state, recording_widget_state())
    assert state.shown(recording_widget_state(going=False)) is None


def test_its_own_stop_leaves_it_there_until_it_is_closed() -> None:
    state = WidgetState()
    state.busy = True
    assert shown(state, recording_widget_state(going=False))["busy"]
    state.succeeded(WidgetMessage(command="record_stop"), {})
    state.busy = False
    assert not shown(state, recording_widget_state(going=False))["going"]
    state.close()
    assert state.shown(recording_widget_state(going=False)) is None


def test_saved_parts_are_counted() -> None:
    state = WidgetState()
    answer = {"name": "sign_in", "steps": ["a", "b"], "parameters": [], "secrets": ["password"]}
    state.succeeded(WidgetMessage(command="record_save"), answer)
    assert shown(state, None)["saved"] == "sign_in: 2 steps, 1 secret"
    state.succeeded(WidgetMessage(command="record_save"), {**answer, "follows": ["home"]})
    assert shown(state, None)["saved"] == "sign_in: 2 steps, 1 secret. It begins where home ends."


def test_a_problem_is_shown_until_something_succeeds() -> None:
    state = WidgetState(problem=KaptureError(ErrorCode.SCENARIO_INVALID, "There is one already.", hint="Replace it."))
    problem = {"code": "SCENARIO_INVALID", "message": "There is one already.", "hint": "Replace it."}
    assert shown(state, recording_widget_state())["problem"] == problem
    state.succeeded(WidgetMessage(command="record_edit"), {})
    assert shown(state, recording_widget_state())["problem"] is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"command": "evaluate", "params": {"code": "1"}}',
        '{"shape": {"right": 1e9}}',
        '{"shape": {"side": "left"}}',
        "[" * 100_000,
    ],
)
def test_malformed_widget_message_is_ignored(text: str) -> None:
    assert read_message(text) is None


# How captured steps are shown.


@pytest.mark.parametrize(
    "step",
    [
        CapturedStep(command="navigate", arguments={"url": "http://a.example/" + "x" * 1_000_000}),
        CapturedStep(check=Check(kind="text", expected="word " * 1_000_000)),
        CapturedStep(command="click", element=Appearance(role="button", name="Save " * 1_000_000)),
    ],
)
def test_the_title_of_a_step_is_short_whatever_the_page_says(step: CapturedStep) -> None:
    assert len(step.title) < 200
    assert step.title.rstrip('"').endswith("…")
