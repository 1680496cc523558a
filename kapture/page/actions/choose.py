"""Choosing options of a select or listbox, or of a widget that opens one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from kapture.errors import ErrorCode, KaptureError, RefExpired, Wording
from kapture.page.actionability import patience_ms
from kapture.page.actions.click import click
from kapture.page.actions.read_back import Entered, entered
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import Modifier
from kapture.page.page import Page
from kapture.page.target import Target

_LIST_OPENS_MS = 2_000
_LIST_IS_DRAWN_MS = 300  # before text is typed to filter the options
_MOST_SCROLLS = 200
_MOST_REMAKES = 5
_TAKEN_MS = 500
_MOST_TAKEN_AWAY = 100
_MOST_STEPS = 10  # of a path through lists that open one another


async def choose(
    page: Page,
    target: Target,
    *,
    value: Sequence[str] | None = None,
    label: Sequence[str] | None = None,
    index: Sequence[int] | None = None,
) -> Entered:
    """Choose options of a select, a listbox, or a widget that opens one, replacing the current choice.

    `value` matches values or else labels, `label` labels, `index` counts from 0. `ELEMENT_NOT_FOUND` lists the
    available options.
    """
    wanted = {"value": value, "label": label, "index": index}
    asked = {name: list(given) for name, given in wanted.items() if given is not None}
    ready = await page.actions.ready(target, "select", prepare=asked)
    prepared = ready.prepared
    if prepared["how"] == "set":
        return entered(ready.element, prepared, prepared["wanted"], handle=ready.handle)
    names = value if value is not None else label
    return Entered(ready.element, labels=await choose_in(page, ready, prepared, names, index))


async def choose_in(
    page: Page,
    ready: ReadyElement,
    state: Mapping[str, Any],
    names: Sequence[str] | None,
    indices: Sequence[int] | None,
) -> list[str]:
    """Choose in an element that was made ready; `state` describes it. Returns the labels of the options that are chosen
    then: others, too, if they cannot be taken away."""
    several = bool(state.get("chosen"))
    is_open = bool(state.get("open"))
    kept: Mapping[str, str] = {}
    left: Sequence[str] = ()
    if several:
        now = await _take_away_chips(page, ready, names or ())
        kept, left = now["kept"], now["labels"]
        is_open = is_open if now["open"] is None else now["open"]
    if not is_open:
        await click(page, ready.element.target())
        is_open = True
    asked: list[dict[str, Any]] = [{"wanted": name} for name in names or ()]
    asked += [{"index": index} for index in indices or ()]
    labels = []
    stays_open = several or not asked
    for one in asked:
        if (label := kept.get(one.get("wanted", ""))) is not None:
            labels.append(label)
            continue
        if not is_open:
            await click(page, ready.element.target())
        chosen = await _choose_path(page, ready, state, one)
        is_open = chosen.is_open
        labels.append(chosen.label)
        stays_open = chosen.stays_open
        several |= chosen.several
    if several or not asked:
        appears_ms = 0 if asked else _LIST_IS_DRAWN_MS
        labels = await _complete_choice(page, ready, labels, several=several, appears_ms=appears_ms)
    if stays_open and not state.get("inline"):
        await page.keyboard.press("Escape")
    known = {label.casefold() for label in labels}
    return [*labels, *(label for label in left if label.casefold() not in known)]


async def _take_away_chips(page: Page, ready: ReadyElement, names: Sequence[str]) -> dict[str, Any]:
    """Take away what is chosen and not asked for, where that is shown beside the field. Returns what is left."""
    now: dict[str, Any] = await ready.call("unwanted", wanted=list(names))
    for _ in range(_MOST_TAKEN_AWAY):
        if now["other"] is None:
            break
        if remover := now["remover"]:
            await click(page, Element.of(ready.element.frame, remover).target())
        else:
            await click(page, ready.element.target())
            await page.keyboard.press("Backspace")
        now = await ready.call("unwanted", wanted=list(names), was=now["labels"], timeout=_TAKEN_MS)
        if now["same"]:
            break
    return now


async def _complete_choice(
    page: Page, ready: ReadyElement, labels: Sequence[str], *, several: bool, appears_ms: float
) -> list[str]:
    """Click what else is selected in the open list, which is waited for, and what is asked for and has been lost.

    Returns the labels of what is asked for and selected.

    In lists where a click selects one option in place of all others, as in the browser's own, a further one is added or
    taken away with Control held (https://www.w3.org/WAI/ARIA/apg/patterns/listbox/#keyboardinteraction).
    """
    asked = {"labels": list(labels), "several": several}
    now = await ready.call("choiceDiffers", **asked, timeout=appears_ms)
    held: tuple[Modifier, ...] = ()
    adds: tuple[Modifier, ...] = ("Meta" if page.keyboard.is_mac else "Control",)
    for _ in range(_MOST_TAKEN_AWAY):
        if not now["count"]:
            break
        held = adds if now["lost"] else held
        option = now["lost"] or now["other"]
        await click(page, Element.of(ready.element.frame, option).target(), modifiers=held)
        was = now["count"]
        now = await ready.call("choiceDiffers", **asked, was=was, timeout=_TAKEN_MS)
        if now["count"] >= was:
            if held:
                break
            held = adds
    return [label for label in labels if label not in now["lost_labels"]]


@attrs.frozen
class _Taken:
    """An option that was chosen. `several`: its list says that it takes several. `stays_open`: that is to be closed by
    Escape, which would cancel what is chosen in a dialog. `rest`: of the path whose first step it is."""

    label: str
    several: bool
    is_open: bool
    stays_open: bool
    rest: str | None = None


async def _choose_path(page: Page, ready: ReadyElement, state: Mapping[str, Any], asked: Mapping[str, Any]) -> _Taken:
    """Click one option, or each step of the path to it, such as "Norway / Oslo"."""
    chosen = await _choose_one(page, ready, state, asked)
    for _ in range(_MOST_STEPS):
        if chosen.rest is None:
            break
        chosen = await _choose_one(page, ready, {**state, "editable": False}, {"wanted": chosen.rest})
    return chosen


async def _choose_one(page: Page, ready: ReadyElement, state: Mapping[str, Any], asked: Mapping[str, Any]) -> _Taken:
    """Click one option."""
    stays_open = False
    clicked: Element | None = None
    for attempt in range(_MOST_REMAKES):
        try:
            found = await _find_option(page, ready, state, asked)
        except KaptureError as error:
            if clicked is None or error.code is not ErrorCode.ELEMENT_NOT_FOUND:
                raise
            raise _not_taken(clicked, error.data.get("options", ())) from error
        option = Element.of(ready.element.frame, found["option"])
        if found["disabled"]:
            raise KaptureError(
                ErrorCode.ELEMENT_NOT_ACTIONABLE,
                f"{option.describe()} is disabled.",
                data={"element": option.as_json()},
            )
        if found["selected"] and found["multiple"]:
            stays_open = True
            break
        try:
            await click(page, option.target())
        except RefExpired:
            # Lists recreate their options while they load or scroll.
            if attempt == _MOST_REMAKES - 1:
                raise
            continue
        clicked = option
        if "rest" in found:  # it shows other options; another click would hide them
            break
        # An option that is recreated between press and release has not been clicked.
        outcome = await ready.call("optionTaken", option=option.number, name=option.name, timeout=_TAKEN_MS)
        stays_open = found["multiple"] if outcome["open"] is None else outcome["open"]
        if outcome["taken"]:
            break
    else:
        raise _not_taken(option, ())
    closes = stays_open and not found.get("dialog")
    return _Taken(found["label"], found["multiple"], stays_open, closes, found.get("rest"))


async def _find_option(
    page: Page, ready: ReadyElement, state: Mapping[str, Any], asked: Mapping[str, Any]
) -> dict[str, Any]:
    timeout = min(_LIST_OPENS_MS, patience_ms())
    at_first = min(_LIST_IS_DRAWN_MS, timeout) if state.get("editable") else timeout
    drawn = min(_LIST_IS_DRAWN_MS, timeout)
    found: dict[str, Any] = await ready.call("findOption", **asked, timeout=at_first, drawn=drawn)
    if found["option"] is None and not found["open"]:
        await page.keyboard.press("ArrowDown")
        found = await ready.call("findOption", **asked, timeout=at_first, drawn=drawn)
    editable = state.get("editable") or found.get("searched")
    if found["option"] is None and editable and "wanted" in asked:
        at_first = drawn
        unfiltered = bool(found["names"])
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.insert(asked["wanted"])
        found = await ready.call("findOption", **asked, timeout=timeout)
        if found["option"] is None and unfiltered:  # some filter by codes, not by labels
            await page.keyboard.press("ControlOrMeta+a")
            await page.keyboard.press("Delete")
            found = await ready.call("findOption", **asked, timeout=at_first, drawn=drawn)
    names = list(found.get("names", ()))
    for _ in range(_MOST_SCROLLS if found["option"] is None and found["open"] else 0):
        if not (await ready.call("scrollList"))["moved"]:
            break
        found = await ready.call("findOption", **asked, timeout=100)
        if found["option"] is not None:
            break
        names += [name for name in found["names"] if name not in names]
    if found["option"] is None:
        if not state.get("inline"):
            await page.keyboard.press("Escape")
        raise _no_option(ready.element, asked, names, opened=bool(found["open"]), leading=found.get("leading"))
    return found


def _not_taken(option: Element, shown: Sequence[str]) -> KaptureError:
    """For an option that is gone after it was clicked, and has not been chosen."""
    listed = ", ".join(f'"{name}"' for name in shown[:20])
    now = f" Options shown now: {listed}." if shown else ""
    return KaptureError(
        ErrorCode.VALUE_REFUSED,
        f"{option.describe()} was clicked, and is not chosen by that.{now}",
        hint=Wording("It may have opened another list: {look}, and click one after the other."),
        data={"element": option.as_json(), "options": list(shown[:100])},
    )


def _no_option(
    element: Element, asked: Mapping[str, Any], names: Sequence[str], *, opened: bool, leading: str | None
) -> KaptureError:
    """`leading`: the name of an option that shows others when it is clicked."""
    what = f"option {asked['wanted']!r}" if "wanted" in asked else f"option with index {asked['index']}"
    if not opened:
        return KaptureError(
            ErrorCode.ELEMENT_NOT_FOUND,
            f"{element.describe()} opened no list of options.",
            hint=Wording("Click it, {look}, and click the option."),
            data={"element": element.as_json()},
        )
    part = str(asked.get("wanted", "")).lower()
    names = sorted(names, key=lambda name: part not in name.lower())  # first those that it is a part of
    shown = ", ".join(f'"{name}"' for name in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"{element.describe()} has no {what}. {f'Its options are: {shown}{more}.' if names else 'Its list is empty.'}",
        hint="Choose one that it has" + (f', or the path to one: "{leading} / …".' if leading else "."),
        data={"element": element.as_json(), "options": list(names[:100])},
    )
