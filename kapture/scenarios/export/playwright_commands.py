"""Steps of a scenario as statements of Playwright for Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kapture.commands.core.registry import get_command
from kapture.scenarios.export.playwright_captures import captured
from kapture.scenarios.export.playwright_step import StepWriter, page_of

_TEXT_TYPES = frozenset({"", "text", "search", "email", "url", "tel", "password", "number"})
_EDGES = {
    "top": "element => element.scrollTo(element.scrollLeft, 0)",
    "bottom": "element => element.scrollTo(element.scrollLeft, element.scrollHeight)",
    "left": "element => element.scrollTo(0, element.scrollTop)",
    "right": "element => element.scrollTo(element.scrollWidth, element.scrollTop)",
}
_NOT_A_SELECT = "it chooses from a list that is not a <select>."
_SCROLL_TO = "(element, [x, y]) => element.scrollTo(x, y)"
_SCROLL_BY = "(element, [x, y]) => element.scrollBy(x, y)"


def statements(writer: StepWriter) -> list[str]:
    """The statements; `SCENARIO_INVALID` names what Playwright has no equivalent for."""
    step = writer.step
    if step.check is not None:
        return [writer.check(step.check)]
    write = _COMMANDS.get(get_command(step.command).name)
    if write is None:
        raise writer.refused("there is no Playwright statement for this command.")
    try:
        written = [*write(writer), *captured(writer)]
    except (KeyError, TypeError, AttributeError) as error:
        raise writer.refused(f"its arguments are not those of {step.command}.") from error
    if writer.left:
        raise writer.refused(f"there is nothing in Playwright for its argument {next(iter(writer.left))!r}.")
    return written


def _navigate(writer: StepWriter) -> Iterator[str]:
    yield writer.call(
        f"{writer.page}.goto", writer.text(writer.left.pop("url")), wait_until=writer.literal("wait_until", None)
    )


def _in_history(function: str) -> Callable[[StepWriter], Iterator[str]]:
    def write(writer: StepWriter) -> Iterator[str]:
        if function == "reload" and writer.left.get("bypass_cache") is False:
            del writer.left["bypass_cache"]
        yield writer.call(f"{writer.page}.{function}", wait_until=writer.literal("wait_until", None))

    return write


def _click(writer: StepWriter) -> Iterator[str]:
    yield writer.call(
        f"{writer.locator()}.click",
        button=writer.literal("button", None),
        click_count=writer.literal("count", None),
        position=writer.position,
        modifiers=writer.literal("modifiers", None),
    )


def _hover(writer: StepWriter) -> Iterator[str]:
    yield writer.call(f"{writer.locator()}.hover", modifiers=writer.literal("modifiers", None))


def _fill(writer: StepWriter) -> Iterator[str]:
    value, element = writer.left.pop("value"), writer.step.element
    is_text = element is not None and (
        element.tag == "textarea"
        or (element.tag == "input" and element.attributes.get("type", "") in _TEXT_TYPES and element.role == "textbox")
    )
    if is_text and isinstance(value, str):
        yield writer.call(f"{writer.locator()}.fill", writer.text(value))
    else:
        yield writer.call("fill", writer.locator(), writer.value(value))


def _fill_form(writer: StepWriter) -> Iterator[str]:
    fields = writer.left.pop("fields")
    last = ""
    for field in fields:
        if field.get("choose"):
            raise writer.refused(_NOT_A_SELECT)
        last = writer.locate({"css": field["selector"]} if "selector" in field else field.get("target", {}))
        yield writer.call("fill", last, writer.value(field["value"]))
    submit, target = writer.literal("submit", False), writer.left.pop("submit_target", None)
    if target is not None:
        yield writer.call(f"{writer.locate(target)}.click")
    elif submit and last:
        yield writer.call(f"{last}.press", "'Enter'")


def _select(writer: StepWriter) -> Iterator[str]:
    element = writer.step.element
    found = writer.locator()
    if element is not None and element.tag not in ("", "select"):
        given = [writer.left.pop(name) for name in ("value", "label") if name in writer.left]
        if len(given) != 1 or not isinstance(given[0], str):
            raise writer.refused("from a list that is not a <select> it chooses otherwise than by one label.")
        yield writer.call("choose", found, writer.text(given[0]))
        return
    for name in ("value", "label", "index"):
        if name in writer.left:
            keyword = "" if name == "value" else f"{name}="
            yield writer.call(f"{found}.select_option", keyword + writer.value(writer.left.pop(name)))


def _type(writer: StepWriter) -> Iterator[str]:
    found, text = writer.optional_locator(), writer.text(writer.left.pop("text"))
    clear, enter = writer.literal("clear", False), writer.literal("press_enter", False)
    inserted = writer.literal("key_events", None) is False
    if found is not None:
        yield writer.call(f"{found}.fill", "''") if clear else writer.call(f"{found}.press", "'ControlOrMeta+End'")
    elif clear:
        yield f"{writer.page}.keyboard.press('ControlOrMeta+a')"
    yield f"{writer.page}.keyboard.{'insert_text' if inserted else 'type'}({text})"
    if enter:
        yield f"{writer.page}.keyboard.press('Enter')"


def _press(writer: StepWriter) -> Iterator[str]:
    found, count = writer.optional_locator(), writer.literal("count", 1)
    key = "+".join([*(writer.literal("modifiers", None) or ()), writer.literal("key", "")])
    action = writer.literal("action", "press")
    if found is not None:
        yield writer.call(f"{found}.focus")
    statement = f"{writer.page}.keyboard.{action}({key!r})"
    yield statement if count == 1 else f"for _ in range({count!r}): {statement}"


def _scroll(writer: StepWriter) -> Iterator[str]:
    found = writer.optional_locator()
    dx, dy = writer.left.pop("delta_x", None), writer.left.pop("delta_y", None)
    x, y = writer.left.pop("x", None), writer.left.pop("y", None)
    where = found or f"{writer.page}.locator(':root')"
    edge = writer.literal("to", None)
    if edge is not None:
        yield writer.call(f"{where}.evaluate", repr(_EDGES[edge]))
    elif x is not None or y is not None:
        at = f"[{writer.value(x or 0)}, {writer.value(y or 0)}]"
        yield writer.call(f"{where}.evaluate", repr(_SCROLL_TO), at)
    elif dx is not None or dy is not None:
        by = f"[{writer.value(dx or 0)}, {writer.value(dy or 0)}]"
        yield writer.call(f"{where}.evaluate", repr(_SCROLL_BY), by)
    else:
        yield writer.call(f"{writer.locator() if found is None else found}.scroll_into_view_if_needed")


def _wait_for(writer: StepWriter) -> Iterator[str]:
    if writer.step.targets or {"target", "selector"} & set(writer.left):
        yield writer.state(writer.literal("state", "visible"))
    body = f"expect({writer.page}.locator('body'))"
    for name, function in (("text", "to_contain_text"), ("text_gone", "not_to_contain_text")):
        if name in writer.left:
            yield writer.call(f"{body}.{function}", writer.text(writer.left.pop(name)), use_inner_text=True)
    if "url" in writer.left:
        yield writer.call(f"expect({writer.page}).to_have_url", f"glob({writer.text(writer.left.pop('url'))})")
    if writer.literal("network_idle", False):
        yield writer.call(f"{writer.page}.wait_for_load_state", "'networkidle'")


def _drag(writer: StepWriter) -> Iterator[str]:
    targets = writer.step.targets
    source = writer.first(targets) if targets else writer.locate(writer.left.pop("source", {}))
    onto = writer.step.onto
    if "target" not in writer.left and (onto is None or onto.at is not None):
        raise writer.refused("it drags by a distance.")
    goal = writer.locate(writer.left.pop("target")) if onto is None else writer.first(onto.targets)
    yield writer.call(f"{source}.drag_to", goal, source_position=writer.position)


def _upload(writer: StepWriter) -> Iterator[str]:
    element, paths = writer.step.element, writer.value(writer.left.pop("paths"))
    if element is None or element.attributes.get("type") == "file":
        yield writer.call(f"{writer.locator()}.set_input_files", paths)
    else:
        yield f"with {writer.page}.expect_file_chooser() as chooser: {writer.call(f'{writer.locator()}.click')}"
        yield writer.call("chooser.value.set_files", paths)


def _tab_new(writer: StepWriter) -> Iterator[str]:
    if writer.step.opens is None:
        raise writer.refused("no step works in the tab that it opens.")
    opened = page_of(writer.step.opens)
    url = writer.left.pop("url", "about:blank")
    writer.literal("active", False)
    yield f"{opened} = {writer.page}.context.new_page()"
    yield f"{opened}.goto({writer.text(url)})"


def _tab_activate(writer: StepWriter) -> Iterator[str]:
    yield f"{writer.page}.bring_to_front()"


def _tab_close(writer: StepWriter) -> Iterator[str]:
    yield f"{writer.page}.close()"


def _read(writer: StepWriter) -> Iterator[str]:
    """Nothing: what captures it reads."""
    if not writer.step.capture:
        raise writer.refused("it reads, and captures nothing of it.")
    return iter(())


_COMMANDS: Mapping[str, Callable[[StepWriter], Iterator[str]]] = {
    "navigate": _navigate,
    "go_back": _in_history("go_back"),
    "go_forward": _in_history("go_forward"),
    "reload": _in_history("reload"),
    "click": _click,
    "hover": _hover,
    "fill": _fill,
    "fill_form": _fill_form,
    "select": _select,
    "type": _type,
    "press": _press,
    "scroll": _scroll,
    "wait_for": _wait_for,
    "drag": _drag,
    "upload": _upload,
    "tab_new": _tab_new,
    "tab_activate": _tab_activate,
    "tab_close": _tab_close,
    "get_text": _read,
    "elements": _read,
    "tab_info": _read,
}
