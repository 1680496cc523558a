"""Commands on a page that is being recorded: each is kept as steps that can be repeated in a later run.

A ref is not valid in a later run, so elements are looked up before the command changes the page.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import msgspec

from kapture.commands.core.params import Targeted
from kapture.commands.core.registry import Command
from kapture.errors import KaptureError
from kapture.page import Page
from kapture.page.documents.frame import Frame
from kapture.page.input.input_guard import focused_frame
from kapture.page.input.keyboard import parse_chord, with_shift
from kapture.page.recording.recording import RanCommand
from kapture.page.target import Target, TargetSpec, as_spec, frame_part

_COMPOSED = frozenset({"batch"})
"""Commands that run others, which are recorded themselves."""

_TYPED = ("value", "text", "html")
"""Arguments that hold what is typed."""

_AT_PLACES = frozenset({"click", "drag"})

_INTO_FOCUS = frozenset({"type", "paste"})
"""Commands that without an element type into what has the focus."""

_WHOLE_PAGE = frozenset({"html", "body"})


@asynccontextmanager
async def recorded(page: Page, command: Command, params: Any, *, secret: bool = False) -> AsyncIterator[None]:
    """Record a command if it acts and succeeds while the page is being recorded.

    `secret`: its arguments hold a secret. Typed text is then kept as a secret in any field; a command that uses the
    secret in any other way is not recorded.
    """
    recording = page.recording
    if not recording.active or not command.acts or command.name in _COMPOSED:
        yield
        return
    parts = [part for part in _parts(command.name, params) if not secret or _typed(part[1]) is not None]
    steps = [await _kept(page, name, given, target, secret=secret) for name, given, target in parts]
    with recording.command() as ran:
        yield
        for step in steps:
            if step is not None:
                ran(step)


def _parts(name: str, params: Any) -> Iterator[tuple[str, dict[str, Any], Target | None]]:
    """The commands that a command is equivalent to, each with its arguments and its element."""
    if name == "drag":
        onto = {} if params.target is None else {"target": as_spec(params.target).as_json()}
        yield name, {**_arguments(params), **onto}, params.source
        return
    if name != "fill_form":
        target = params.element if isinstance(params, Targeted) else getattr(params, "target", None)
        yield name, _arguments(params), target
        return
    for field in params.fields:
        yield "select" if field.choose else "fill", {"value": field.value}, field.element
    if params.submit_target is not None:
        yield "click", {}, params.submit_target
    elif params.submit:
        yield "press", {"key": "Enter"}, params.fields[-1].element


def _arguments(params: Any) -> dict[str, Any]:
    """The arguments that are not defaults, without those that name an element."""
    given = {
        field.name: getattr(params, field.name)
        for field in attrs.fields(type(params))
        if field.name not in ("source", "target", "selector") and getattr(params, field.name) != _default(field)
    }
    found: dict[str, Any] = msgspec.to_builtins(given)
    return found


def _default(field: attrs.Attribute[Any]) -> Any:
    factory = getattr(field.default, "factory", None)
    return field.default if factory is None else factory()


def _typed(given: dict[str, Any]) -> Any:
    return next((given[key] for key in _TYPED if key in given), None)


async def _kept(
    page: Page, name: str, given: dict[str, Any], target: Target | None, *, secret: bool
) -> RanCommand | None:
    """The step for a command; None where it says what is secret, and nothing else."""
    if name == "mouse" and "x" in given and given["action"] in ("click", "down"):
        return await _mouse(page, given)
    if name == "press" and (text := _pressed_text(page, given)):
        typed = await _step(page, "type", {"text": text}, target, secret=False)
        if typed.secret is not None:
            return None if given.get("action") == "up" else typed
    return await _step(page, name, given, target, secret=secret)


async def _mouse(page: Page, given: dict[str, Any]) -> RanCommand:
    """A click at a place, as one on the element that is there: in a later run it may be elsewhere."""
    target = TargetSpec(x=given["x"], y=given["y"])
    how = {key: value for key, value in given.items() if key in ("button", "count", "modifiers") and value}
    click = await _step(page, "click", how, target, secret=False)
    on_element = click.element is not None and click.element["tag"] not in _WHOLE_PAGE
    if on_element and given["action"] == "click":
        return click
    at_place = await _step(page, "mouse", given, None, secret=False)
    return attrs.evolve(at_place, click=click) if on_element else at_place


def _pressed_text(page: Page, given: Mapping[str, Any]) -> str:
    """Return the text that the keys of a `press` type; "" if none."""
    names, key = parse_chord(given["key"])
    held = {*names, *given.get("modifiers", ()), *page.keyboard.held}
    text = (with_shift(key) if "Shift" in held else key).text
    return text * given.get("count", 1) if held <= {"Shift"} and text.isprintable() else ""


async def _step(page: Page, name: str, given: dict[str, Any], target: Target | None, *, secret: bool) -> RanCommand:
    onto = None
    if "target" in given:  # what something was dropped on
        onto = await found_again(page, TargetSpec(**given["target"]))
        if onto is not None and onto["targets"]:
            given = {key: value for key, value in given.items() if key != "target"}
            onto = {key: onto[key] for key in ("targets", "element")}
        else:
            onto = None
    found = None if target is None else await found_again(page, target)
    if found is None:
        found = {"targets": [] if target is None else [as_spec(target).as_json()], "element": None}
        found |= {"origin": "", "document": ""}
        if target is None and name in _INTO_FOCUS:
            found |= await _focus(page, secret=secret)
    if "frame" in given:
        given = {**given, "frame": _frame_later(page, given["frame"])}
    typed = _typed(given)
    kind = None if typed is None else found.get("secret") or ("secret" if secret else None)
    if kind is not None:
        given = {key: value for key, value in given.items() if key not in _TYPED}
    return RanCommand(
        command=name,
        arguments=given,
        targets=found["targets"],
        element=found["element"],
        at=found.get("at") if name in _AT_PLACES else None,
        onto=onto,
        secret=kind,
        secret_value=str(typed) if kind is not None else None,
        origin=found["origin"],
        document=found["document"],
    )


async def _focus(page: Page, *, secret: bool) -> dict[str, Any]:
    """Describe what has the focus as `found_again` does if a secret is typed into it; else only its `document` and
    `origin`: other text has no target, since a later run types where the focus is, too, which may be amid a text."""
    try:
        frame = await focused_frame(page.frames)
        focused = await frame.call("focused")
        found = None if focused is None else await _described(page, frame, focused["element"]["ref"])
    except KaptureError:
        return {}
    if found is None or secret or "secret" in found:
        return found or {}
    return {key: found[key] for key in ("origin", "document")}


def _frame_later(page: Page, named: str) -> str:
    """Return a name of the frame that holds in a later run, in which its key may differ."""
    try:
        frame = page.frames.find(named)
    except KaptureError:
        return named
    return frame_part(frame, page.frames).get("frame", named)


async def found_again(page: Page, target: Target) -> dict[str, Any] | None:
    """How to find an element again: `targets`, its appearance as `element`, the kind of `secret` that it holds, where
    in it the target is (`at`), and its `document` with its `origin`; None if it does not exist (yet)."""
    try:
        element = await page.locate(target)
        found = await _described(page, element.frame, element.number)
    except KaptureError:
        return None
    if found is None:
        return None
    at = None if element.frame.parent is not None else _place_in(found["element"], as_spec(target))
    return {**found, "at": at}


async def _described(page: Page, frame: Frame, number: int) -> dict[str, Any] | None:
    [described] = await frame.call("recordedElements", {"refs": [number]})
    if described is None:
        return None
    where = frame_part(frame, page.frames)
    targets = [{**one, **where} for one in described["targets"]]
    return {**described, "targets": targets, "origin": frame.document_origin, "document": frame.loader_id}


def _place_in(look: Mapping[str, Any], target: TargetSpec) -> list[float] | None:
    """Where in a drawing a point is, in CSS pixels from its upper left corner; None where an element is meant."""
    if target.x is None or target.y is None or look["tag"] != "canvas":
        return None
    return [target.x - look["box"][0], target.y - look["box"][1]]
