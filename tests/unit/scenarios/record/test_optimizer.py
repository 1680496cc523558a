"""A recording is made shorter without losing what it does."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.scenarios.model import Appearance, StepTarget
from kapture.scenarios.record.captured import Captured, CapturedStep, PageChange
from kapture.scenarios.record.optimizer import glob_of, optimize

_ROLES = {"City": "textbox", "Email": "textbox", "Password": "textbox", "Search": "searchbox", "Go": "button"}


def step(command: str, name: str = "", secret: str | None = None, **arguments: Any) -> CapturedStep:
    role = _ROLES.get(name, "button")
    return CapturedStep(
        command=command,
        arguments=arguments,
        targets=[StepTarget(role=role, name=name)] if name else [],
        element=Appearance(role=role, name=name) if name else None,
        secret=secret,
    )


def words(items: list[Captured]) -> list[str]:
    return [" ".join(map(str, [one.command, *one.arguments.values()])) for one in optimize(items)]


def test_a_click_on_a_field_before_it_is_filled_has_no_effect_of_its_own() -> None:
    items: list[Captured] = [step("click", "City"), step("fill", "City", value="Rome"), step("click", "Go")]
    assert words(items) == ["fill Rome", "click"]


def test_a_click_on_another_element_stays() -> None:
    assert words([step("click", "Go"), step("fill", "City", value="Rome")]) == ["click", "fill Rome"]


def test_last_of_several_values_is_typed() -> None:
    items: list[Captured] = [step("fill", "City", value="R"), step("click", "City"), step("fill", "City", value="Rome")]
    assert words(items) == ["fill Rome"]


def test_text_typed_into_focus_in_parts_is_one_text() -> None:
    bits: list[Captured] = [step("type", text=bit) for bit in ("A", "d", "a L")]
    assert words([step("click", "City"), *bits, step("press", key="Enter")]) == ["click", "type Ada L", "press Enter"]
    assert words([*bits, step("press", key="Home"), *bits]) == ["type Ada L", "press Home", "type Ada L"]
    assert words([step("type", text="a"), step("type", text="b", clear=True)]) == ["type a", "type b True"]
    hidden = step("type", secret="password")
    secrets: list[Captured] = [attrs.evolve(hidden, secret_value=bit) for bit in ("hun", "ter2")]
    [joined] = optimize(secrets)
    assert (joined.secret_value, joined.arguments) == ("hunter2", {})
    assert len(optimize([step("type", text="a"), *secrets])) == 2
    first, more = (step(name, "Email", secret="email") for name in ("fill", "type"))
    email: list[Captured] = [attrs.evolve(first, secret_value="ann@"), attrs.evolve(more, secret_value="x.example")]
    [joined] = optimize(email)
    assert (joined.command, joined.secret_value) == ("fill", "ann@x.example")


def test_fields_of_two_frames_that_load_one_page_are_two() -> None:
    first, second = (
        attrs.evolve(step("fill", "City", value=value), document=document)
        for value, document in (("Rome", "left"), ("Oslo", "right"))
    )
    focus = attrs.evolve(step("click", "City"), document="left")
    assert words([first, second]) == ["fill Rome", "fill Oslo"]
    assert words([focus, second]) == ["click", "fill Oslo"]
    assert words([focus, first]) == ["fill Rome"]


def test_a_value_that_something_else_came_after_stays() -> None:
    items: list[Captured] = [
        step("fill", "City", value="R"),
        step("click", "Go"),
        step("fill", "City", value="Rome"),
    ]
    assert words(items) == ["fill R", "click", "fill Rome"]


def test_tab_into_the_next_field_is_left_out_and_at_the_end_kept() -> None:
    tab = step("press", "City", key="Tab")
    items: list[Captured] = [step("fill", "City", value="Rome"), tab, step("fill", "Email", value="a"), tab]
    assert words(items) == ["fill Rome", "fill a", "press Tab"]


def test_a_hover_stays_where_it_may_open_something() -> None:
    assert words([step("hover", "City"), step("click", "City"), step("hover", "Go")]) == ["click"]
    assert words([step("hover", "City"), step("click", "Go")]) == ["hover", "click"]
    assert words([step("hover", "City"), step("hover", "Email"), step("click", "Email")]) == ["hover", "click"]


def test_a_change_of_the_page_is_waited_for_at_its_last_address() -> None:
    items: list[Captured] = [
        step("click", "Go"),
        PageChange(url="https://shop.example/out?to=1"),
        PageChange(url="https://shop.example/orders/417/done?token=x"),
        step("click", "Go"),
    ]
    assert words(items) == ["click", "wait_for */orders/*/done*", "click"]


@pytest.mark.parametrize(
    ("url", "glob"),
    [
        ("https://a.example/", "*//a.example/*"),
        ("https://a.example", "*//a.example/*"),
        ("https://a.example/4711", "*//a.example/*"),
        ("https://a.example/4711/", "*//a.example/*/*"),
        ("https://a.example/cart?x=1#y", "*/cart*"),
        ("https://a.example/p/12ab/edit", "*/p/12ab/edit*"),
        ("https://a.example/step2", "*/step2*"),
        ("https://a.example/p/3f2504e0-4f89-41d3-9a0c-0305e82c3301/edit", "*/p/*/edit*"),
    ],
)
def test_a_glob_leaves_out_what_is_another_the_next_time(url: str, glob: str) -> None:
    assert glob_of(url) == glob


NAMES = st.sampled_from(sorted(_ROLES))
FIELDS = st.sampled_from(sorted(_ROLES.keys() - {"Go"}))
STEPS = st.one_of(
    st.builds(lambda name, value: step("fill", name, value=value), FIELDS, st.text(max_size=3)),
    st.builds(lambda name: step("click", name), NAMES),
    st.builds(lambda name: step("hover", name), NAMES),
    st.builds(lambda name, key: step("press", name, key=key), NAMES, st.sampled_from(["Tab", "Enter"])),
    st.builds(lambda y: step("scroll", x=0, y=y), st.integers(0, 900)),
    st.builds(lambda path: PageChange(url=f"https://a.example/{path}"), st.text("abc", max_size=3)),
)


@given(st.lists(STEPS, max_size=30))
def test_nothing_is_left_to_leave_out(items: list[Captured]) -> None:
    once = optimize([item for item in items if isinstance(item, CapturedStep)])
    assert optimize(once) == once


@given(st.lists(STEPS, max_size=30))
def test_no_step_is_made_up_but_waits(items: list[Captured]) -> None:
    known = [attrs.evolve(one, arguments={}) for one in items if isinstance(one, CapturedStep)]
    for one in optimize(items):
        assert one.command == "wait_for" or attrs.evolve(one, arguments={}) in known


# What is pressed and released in one place is a click, and the second of two makes them a double click.


def click(name: str = "Go", **arguments: Any) -> CapturedStep:
    return CapturedStep(command="click", arguments=arguments, targets=[StepTarget(text=name)], id="first")


def mouse(action: str, click: CapturedStep | None = None, **arguments: Any) -> CapturedStep:
    given = {"action": action, "x": 5, "y": 6, **arguments}
    return CapturedStep(command="mouse", arguments=given, click=click, id=action)


def press(name: str = "Go", **arguments: Any) -> list[Captured]:
    """A press and its release on an element."""
    return [mouse("down", click(name, **arguments), **arguments), mouse("up", **arguments)]


def test_a_press_and_its_release_are_a_click() -> None:
    [step] = optimize(press())
    assert (step.command, step.arguments, step.targets, step.id) == ("click", {}, [StepTarget(text="Go")], "down")


def test_a_tab_that_any_of_them_opened_is_opened_by_the_double_click() -> None:
    down, up = press(count=2)
    assert isinstance(up, CapturedStep)
    [opened] = optimize([click(), down, attrs.evolve(up, opens=2)])
    assert (opened.arguments, opened.opens) == ({"count": 2}, 2)
    [before] = optimize([attrs.evolve(click(), opens=2), down, up])
    assert (before.arguments, before.opens) == ({"count": 2}, 2)
    both = optimize([attrs.evolve(click(), opens=2), down, attrs.evolve(up, opens=3)])
    assert [step.opens for step in both] == [2, 3]
