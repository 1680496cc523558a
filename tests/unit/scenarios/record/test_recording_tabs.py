"""A recording goes on in the tabs that its pages open, and what comes of it is a scenario that can be replayed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.commands.core.recorder import SaveWish, StepEdit
from kapture.errors import ErrorCode, KaptureError
from kapture.page.recording.recording import CapturedAction, Navigation, OpenedTab, RanCommand
from kapture.scenarios.files.decode import decode, encode
from kapture.scenarios.model import Check, Scenario, StepTarget
from kapture.scenarios.record.captured import Captured, CapturedStep
from kapture.scenarios.record.optimizer import optimize
from kapture.scenarios.record.recorded_scenario import scenario_of
from kapture.scenarios.record.recording import MOST_BYTES, Recording
from kapture.scenarios.record.recording_edits import edited, shown_value


def recording() -> Recording:
    return Recording("https://shop.example/", "2026-01-01T00:00:00Z", tabs={"first222": 1})


def click(id: str, **more: Any) -> CapturedAction:
    return CapturedAction(id=id, command="click", targets=[{"text": id}], **more)


def open_second(one: Recording, tab_id: str = "second22", opener: str = "first222") -> None:
    one.join(tab_id, opener)
    one.take(OpenedTab(tab_id=tab_id), one.tabs[opener])


def steps(one: Recording) -> list[tuple[str, int, int | None]]:
    return [(step.command, step.tab, step.opens) for step in optimize(one.captured)]


def saved(one: Recording) -> Scenario:
    return scenario_of(one.captured, SaveWish(name="flow"), url=one.url, recorded_at=one.recorded_at)[0]


def test_the_step_that_opened_a_tab_is_the_one_that_a_run_waits_for_it_after() -> None:
    one = recording()
    one.take(click("Pay"))
    one.take(CapturedAction(id="s", command="scroll", arguments={"y": 9}))
    open_second(one)
    one.take(Navigation(url="https://pay.example/card", cause="page"), 2)
    one.take(click("Now"), 2)
    assert steps(one) == [("click", 1, 2), ("scroll", 1, None), ("wait_for", 2, None), ("click", 2, None)]


def test_going_to_another_tab_is_a_step_but_not_for_a_client() -> None:
    one = recording()
    one.take(click("Pay"))
    open_second(one)
    one.take(click("Now"), 2)
    one.take(RanCommand(command="reload", arguments={}))
    one.take(click("Back"))
    one.take(click("Again"), 2)
    assert steps(one)[2:] == [
        ("reload", 1, None),
        ("tab_activate", 1, None),
        ("click", 1, None),
        ("tab_activate", 2, None),
        ("click", 2, None),
    ]


def test_a_tab_that_is_closed_leads_back_to_the_one_that_opened_it() -> None:
    one = recording()
    one.take(click("Pay"))
    open_second(one)
    one.take(click("Now"), 2)
    one.take(RanCommand(command="tab_close", arguments={}), 2)
    one.leave("second22", closed=True)
    one.take(click("Thanks"))
    assert steps(one)[1:] == [("click", 2, None), ("tab_close", 2, None), ("click", 1, None)]


def test_events_in_new_tab_during_its_click_follow_the_click() -> None:
    one = recording()
    one.join("second22", "first222")
    one.take(Navigation(url="https://pay.example/card", cause="page"), 2)
    one.take(RanCommand(command="click", arguments={}, targets=[{"text": "Pay"}]))
    one.take(OpenedTab(tab_id="second22"))
    assert steps(one) == [("click", 1, 2), ("wait_for", 2, None)]


def test_equal_fields_of_two_tabs_are_two() -> None:
    one = recording()
    field: dict[str, Any] = {"command": "fill", "targets": [{"label": "City"}]}
    one.take(click("Pay"))
    open_second(one)
    one.take(RanCommand(arguments={"value": "Rome"}, **field), 2)
    one.take(RanCommand(arguments={"value": "Bern"}, **field), 1)
    assert steps(one)[1:] == [("fill", 2, None), ("fill", 1, None)]


def test_a_step_that_opens_a_tab_with_steps_in_it_cannot_be_deleted() -> None:
    one = recording()
    one.take(click("Pay"))
    open_second(one)
    one.take(click("Now"), 2)
    with pytest.raises(KaptureError, match="which is being recorded") as refused:
        one.edit(StepEdit(step="Pay", delete=True))
    assert refused.value.code is ErrorCode.INVALID_PARAMS
    one.leave("second22", closed=True)
    with pytest.raises(KaptureError, match="in which other steps work"):
        one.edit(StepEdit(step="Pay", delete=True))
    for step in ("Now", "hub-1", "Pay"):
        one.edit(StepEdit(step=step, delete=True))
    assert steps(one) == []


def test_a_recording_is_bounded_in_bytes_and_says_so() -> None:
    one = recording()
    one.take(CapturedAction(id="a", command="fill", arguments={"value": ""}, targets=[{"label": "Text"}]))
    for number in range(9):
        one.take(
            CapturedAction(
                id=str(number), command="fill", arguments={"value": "x" * 1_000_000}, targets=[{"label": str(number)}]
            )
        )
    assert (len(one.captured), one.left_out) == (9, 1)
    assert "8 MB" in one.full
    one.take(CapturedAction(id="a", value="y" * 1_000_000))
    assert sum(len(repr(item)) for item in one.captured) < MOST_BYTES * 1.1
    one.edit(StepEdit(step="0", delete=True))
    assert one.full == ""
    one.take(click("Next"))
    assert steps(one)[-1] == ("click", 1, None)


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("act"), st.integers(0, 5), st.sampled_from(["click", "fill", "hover", "press", "scroll"])),
        st.tuples(
            st.just("ran"), st.integers(0, 5), st.sampled_from(["click", "tab_activate", "tab_new", "tab_close"])
        ),
        st.tuples(st.just("went"), st.integers(0, 5), st.sampled_from(["page", "address", "reload"])),
        st.tuples(st.just("join"), st.integers(0, 5), st.just("")),
        st.tuples(st.just("mark"), st.integers(0, 5), st.just("")),
        st.tuples(st.just("leave"), st.integers(0, 5), st.sampled_from(["closed", ""])),
        st.tuples(st.just("delete"), st.integers(0, 5), st.just("")),
    ),
    max_size=30,
)


@given(EVENTS)
def test_any_recording_of_any_tabs_can_be_saved(events: list[tuple[str, int, str]]) -> None:
    one = recording()
    openers: dict[str, int] = {}
    for count, (kind, which, what) in enumerate(events):
        tabs = list(one.tabs)
        tab_id = tabs[which % len(tabs)]
        tab = one.tabs[tab_id]
        if kind == "act":
            arguments = {"press": {"key": "Tab"}, "fill": {"value": "v"}}.get(what, {})
            action = CapturedAction(id=f"a{count}", command=what, arguments=arguments, targets=[{"text": str(which)}])
            one.take(action, tab)
        elif kind == "ran":
            one.take(RanCommand(command=what, arguments={}), tab)
        elif kind == "went":
            one.take(Navigation(url=f"https://shop.example/{count}", cause=what), tab)  # type: ignore[arg-type]
        elif kind == "join" and one.join(f"tab{count}", tab_id):
            openers[f"tab{count}"] = tab
        elif kind == "mark" and (waiting := [name for name in openers if name in one.tabs]):
            name = waiting[which % len(waiting)]
            one.take(OpenedTab(tab_id=name), openers.pop(name))
        elif kind == "leave" and len(tabs) > 1:
            one.leave(tab_id, closed=bool(what))
        elif kind == "delete" and (shown := optimize(one.captured)):
            with suppress(KaptureError):  # what opens a tab in which other steps work
                one.edit(StepEdit(step=shown[which % len(shown)].id, delete=True))
    if optimize(one.captured):
        scenario = saved(one)
        assert decode(encode(scenario)) == scenario


# Deleting and changing steps of a recording before it is saved.


CITY = (StepTarget(label="City"),)
OTHER = (StepTarget(label="Street"),)


def _fill(key: str, value: str, targets: tuple[StepTarget, ...] = CITY) -> CapturedStep:
    return CapturedStep(id=key, command="fill", arguments={"value": value}, targets=targets)


def _click(key: str, text: str) -> CapturedStep:
    return CapturedStep(id=key, command="click", targets=(StepTarget(text=text),))


def _shown(captured: list[Captured]) -> list[tuple[str, str | None]]:
    return [(step.command, shown_value(step)) for step in optimize(captured)]


def test_a_deleted_step_takes_what_it_was_joined_from_with_it() -> None:
    captured = [_click("a0", "City"), _fill("a1", "Ber"), _fill("a2", "Bern"), _click("a3", "Next")]
    assert _shown(edited(captured, StepEdit(step="a2", delete=True)))[-1] == ("click", None)
    assert ("fill", "Ber") not in _shown(edited(captured, StepEdit(step="a2", delete=True)))


def test_a_deleted_step_takes_the_wait_for_what_it_led_to_with_it() -> None:
    recording = Recording("https://shop.example/", "2026-01-01T00:00:00Z")
    recording.take(CapturedAction(id="a1", command="click", targets=[{"text": "Cart"}]))
    recording.take(Navigation(url="https://shop.example/cart", cause="page"))
    recording.take(CapturedAction(id="a2", command="click", targets=[{"text": "Pay"}]))
    assert [command for command, _ in _shown(recording.captured)] == ["click", "wait_for", "click"]
    recording.edit(StepEdit(step="a1", delete=True))
    assert [step.id for step in optimize(recording.captured)] == ["a2"]


def test_secret_is_in_no_step_when_typing_goes_on() -> None:
    recording = Recording("https://shop.example/", "2026-01-01T00:00:00Z")
    recording.take(CapturedAction(id="a1", command="fill", arguments={"value": "PIN-1"}, targets=[{"label": "Code"}]))
    recording.edit(StepEdit(step="a1", secret=True))
    recording.take(CapturedAction(id="a1", value="PIN-12"))
    recording.take(CapturedAction(id="a2", command="click", targets=[{"text": "Next"}]))
    recording.take(CapturedAction(id="a3", command="fill", arguments={"value": "PIN-3"}, targets=[{"label": "Code"}]))
    steps = optimize(recording.captured)
    assert "PIN" not in repr(steps)
    assert [step.secret_value for step in steps] == ["PIN-12", None, "PIN-3"]


@pytest.mark.parametrize(
    "edit",
    [
        StepEdit(step="nowhere", delete=True),
        StepEdit(step="a2", value="x"),  # a click has none
        StepEdit(step="a2", secret=True),
        StepEdit(step="a3", value="x"),  # a secret's
        StepEdit(step="a1"),
    ],
)
def test_an_edit_that_cannot_be_is_refused(edit: StepEdit) -> None:
    secret = CapturedStep(id="a3", command="fill", targets=OTHER, secret="password", secret_value="hunter2")
    with pytest.raises(KaptureError) as refused:
        edited([_fill("a1", "Bern"), _click("a2", "Next"), secret], edit)
    assert refused.value.code == ErrorCode.INVALID_PARAMS
    assert "hunter2" not in str(refused.value)


def test_a_check_has_its_expected_text_as_a_value_and_a_long_text_is_not_shown() -> None:
    check = CapturedStep(id="c", check=Check(kind="text", expected="Thank you"))
    assert shown_value(check) == "Thank you"
    (changed,) = optimize(edited([check], StepEdit(step="c", value="Ordered")))
    assert changed.check == Check(kind="text", expected="Ordered")
    assert shown_value(_fill("a1", "x" * 2_001)) is None
    assert shown_value(CapturedStep(check=Check(kind="count", expected=3))) is None
