"""Putting values into fields of every kind, and saying what the field holds in the end.

The agent sets what only needs to be set (dates, ranges, colours, selects). Text is typed over what was there with
trusted input, so that the page's own editors take part. Check boxes and custom widgets are clicked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.page.element import Element, ReadyElement
from kapture.page.page import Page
from kapture.page.ready import patience_ms
from kapture.page.target import Target

FieldValue: TypeAlias = str | bool | float | list[str]

_LIST_OPENS_MS = 2_000
_MOST_SCROLLS = 200
_MOST_REMAKES = 5
_TAKEN_MS = 500


@attrs.frozen
class Filled:
    """A field and what came of it. `holds` is what it holds now where that is not what was asked for."""

    element: Element
    holds: str | None = None

    @property
    def note(self) -> str:
        """For the answer: empty when the field holds what was asked for."""
        return "" if self.holds is None else f'the page made it "{self.holds}"'


@attrs.frozen
class Chosen:
    """What is chosen in a select, listbox or combobox now, by label."""

    element: Element
    labels: list[str]


async def fill(page: Page, target: Target, value: FieldValue) -> Filled:
    """Replace what a field holds.

    Numbers and booleans are taken as their text; a check box, radio button or switch takes a boolean, a multiple
    select a list. `INVALID_PARAMS` when the field's type refuses the value; `ELEMENT_NOT_ACTIONABLE` when the page
    does not let it take effect.
    """
    ready = await page.ready(target, "fill", prepare={"value": _for_agent(value), "thorough": page.thorough})
    prepared = ready.prepared
    if prepared["how"] == "set":
        page.has_run(ready.element.frame, prepared)
        return Filled(ready.element, None if prepared["as_asked"] else prepared["value"])
    if prepared["how"] == "toggle":
        return await _toggle(page, ready, prepared)
    if prepared["how"] == "choose":
        wanted = value if isinstance(value, list) else [str(value)]
        await _choose(page, ready, {**prepared, "open": False}, wanted, None)
        return Filled(ready.element)
    return await _type_over(page, ready, str(_for_agent(value)))


def _for_agent(value: FieldValue) -> FieldValue:
    if isinstance(value, float) and not isinstance(value, bool) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str | bool | list) else str(value)


async def _type_over(page: Page, ready: ReadyElement, text: str) -> Filled:
    prepared = ready.prepared
    # A page that gives the focus to something else at once would have the text end up there.
    typed = bool(prepared["focused"])
    if not typed and prepared.get("rich"):
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} does not keep the focus.",
            hint="Click it first, then use type without a target.",
            data={"element": ready.element.as_json()},
        )
    finish = {"value": text, "typed": typed, "thorough": page.thorough}
    if typed and text and not prepared.get("rich"):
        finished = await page.act(lambda: [page.keyboard.submit_insert(text)], ready, "finishFill", **finish)
        now = await finished()
    else:
        if typed and text:
            await insert_lines(page, text, rich=True)
        elif typed and not prepared["empty"]:
            await page.keyboard.press("Delete")
        now = await ready.go_on("finishFill", **finish)
    page.has_run(ready.element.frame, now)
    if now["as_asked"]:
        return Filled(ready.element)
    if text and now["empty"]:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} did not take the value: it is empty now.",
            hint="The field may take only certain values, or may need type with key_events.",
            data={"element": ready.element.as_json()},
        )
    return Filled(ready.element, "…" if prepared.get("password") else now["value"])


async def insert_lines(page: Page, text: str, *, rich: bool) -> None:
    """Insert text at the caret. In rich text a line break is a key of its own."""
    if not rich:
        await page.keyboard.insert(text)
        return
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
        if number:
            await page.keyboard.press("Shift+Enter")
        if line:
            await page.keyboard.insert(line)


async def _toggle(page: Page, ready: ReadyElement, prepared: Mapping[str, Any]) -> Filled:
    element = Element.of(ready.element.frame, prepared["element"])
    if prepared["on"] == prepared["wanted"]:
        return Filled(element)
    await page.click(element.target())
    now = await element.frame.call("toggleState", {"handle": prepared["handle"]})
    if now["on"] != prepared["wanted"]:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{element.describe()} was clicked but is still {'off' if prepared['wanted'] else 'on'}.",
            hint="The page may do this later or not at all: take a snapshot.",
            data={"element": element.as_json()},
        )
    return Filled(element)


async def choose(
    page: Page,
    target: Target,
    *,
    value: Sequence[str] | None = None,
    label: Sequence[str] | None = None,
    index: Sequence[int] | None = None,
) -> Chosen:
    """Choose options of a select, a listbox, or what opens one, in place of what was chosen.

    `value` matches values or else labels, `label` labels, `index` counts from 0. `ELEMENT_NOT_FOUND` names the
    options that there are.
    """
    wanted = {"value": value, "label": label, "index": index}
    asked = {name: list(given) for name, given in wanted.items() if given is not None}
    ready = await page.ready(target, "select", prepare={**asked, "thorough": page.thorough})
    prepared = ready.prepared
    if prepared["how"] == "set":
        page.has_run(ready.element.frame, prepared)
        return Chosen(ready.element, prepared["labels"])
    names = value if value is not None else label
    return Chosen(ready.element, await _choose(page, ready, prepared, names, index))


async def _choose(
    page: Page,
    ready: ReadyElement,
    state: Mapping[str, Any],
    names: Sequence[str] | None,
    indices: Sequence[int] | None,
) -> list[str]:
    if not state.get("open"):
        await page.click(ready.element.target())
    asked: list[dict[str, Any]] = [{"wanted": name} for name in names or ()]
    asked += [{"index": index} for index in indices or ()]
    labels = []
    multiple = False
    for one in asked:
        option, multiple = await _choose_one(page, ready, state, one)
        labels.append(option.name)
    if multiple and not state.get("inline"):
        await page.keyboard.press("Escape")
    return labels


async def _choose_one(
    page: Page, ready: ReadyElement, state: Mapping[str, Any], asked: Mapping[str, Any]
) -> tuple[Element, bool]:
    """Click one option; it, and whether the list takes several."""
    for attempt in range(_MOST_REMAKES):
        found = await _find_option(page, ready, state, asked)
        option = Element.of(ready.element.frame, found["option"])
        if found["disabled"]:
            raise KaptureError(
                ErrorCode.ELEMENT_NOT_ACTIONABLE,
                f"{option.describe()} is disabled.",
                data={"element": option.as_json()},
            )
        if found["selected"] and found["multiple"]:
            break
        try:
            await page.click(option.target())
        except KaptureError as error:
            # Lists make their options anew while they load or scroll.
            if error.code is not ErrorCode.REF_EXPIRED or attempt == _MOST_REMAKES - 1:
                raise
            continue
        # One that is made anew between press and release has not been clicked at all.
        told = await ready.go_on("optionTaken", option=option.number, name=option.name, timeout=_TAKEN_MS)
        if told["taken"]:
            break
    return option, found["multiple"]


async def _find_option(
    page: Page, ready: ReadyElement, state: Mapping[str, Any], asked: Mapping[str, Any]
) -> dict[str, Any]:
    timeout = min(_LIST_OPENS_MS, patience_ms())
    found: dict[str, Any] = await ready.go_on("findOption", **asked, timeout=0 if state.get("editable") else timeout)
    if found["option"] is None and not found["open"]:
        await page.keyboard.press("ArrowDown")
        found = await ready.go_on("findOption", **asked, timeout=0 if state.get("editable") else timeout)
    if found["option"] is None and state.get("editable") and "wanted" in asked:
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.insert(asked["wanted"])
        found = await ready.go_on("findOption", **asked, timeout=timeout)
    names = list(found.get("names", ()))
    for _ in range(_MOST_SCROLLS if found["option"] is None and found["open"] else 0):
        if not (await ready.go_on("scrollList"))["moved"]:
            break
        found = await ready.go_on("findOption", **asked, timeout=100)
        if found["option"] is not None:
            break
        names += [name for name in found["names"] if name not in names]
    if found["option"] is None:
        if not state.get("inline"):
            await page.keyboard.press("Escape")
        raise _no_option(ready.element, asked, names, opened=bool(found["open"]))
    return found


def _no_option(element: Element, asked: Mapping[str, Any], names: Sequence[str], *, opened: bool) -> KaptureError:
    what = f"option {asked['wanted']!r}" if "wanted" in asked else f"option with index {asked['index']}"
    if not opened:
        return KaptureError(
            ErrorCode.ELEMENT_NOT_FOUND,
            f"{element.describe()} opened no list of options.",
            hint="Click it, take a snapshot, and click the option.",
            data={"element": element.as_json()},
        )
    shown = ", ".join(f'"{name}"' for name in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"{element.describe()} has no {what}.",
        hint=f"Its options are: {shown}{more}." if names else "Its list is empty.",
        data={"element": element.as_json(), "options": list(names[:100])},
    )
