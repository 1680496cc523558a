"""Which tool of an MCP server does an operation, and with which arguments: found from the list of its tools.

The names that the known servers use (Kapture, Playwright MCP, chrome-devtools-mcp, and whatever is like them) are in
the tables here. What these do not cover is an operation that the server is not measured on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from kapture.measure.operations import SCRIPT, Call, Element

Schema = Mapping[str, Any]


class NoToolError(Exception):
    """A server cannot do an operation; the message says why."""


@attrs.frozen
class Tool:
    """A tool of a server, and the JSON Schema of its arguments."""

    name: str
    schema: Schema


@attrs.frozen(kw_only=True)
class Names:
    """What a server calls things: the ref of each element by its id, and the page where its tools ask for one."""

    refs: Mapping[str, str] = attrs.field(factory=dict)
    page: int | None = None


_Value = Callable[[Schema, Call, Names], Any]


def _ref(schema: Schema, call: Call, names: Names) -> Any:
    ref = names.refs[call.elements[0].id]
    return {"ref": ref} if "object" in _types(schema) else ref


def _text(schema: Schema, call: Call, _: Names) -> Any:
    types = _types(schema)
    return [call.text] if "array" in types and "string" not in types else call.text


def _fields(schema: Schema, call: Call, names: Names) -> Any:
    item = _item(schema)
    values = _choose("field", item, "its form tool")
    return [_arguments(values, item, Call(elements=[element], text=call.text), names) for element in call.elements]


def _css(_: Schema, call: Call, __: Names) -> Any:
    return call.elements[0].selector


def _name(_: Schema, call: Call, __: Names) -> Any:
    return call.elements[0].name


# Operation → names of tools, the best first. A name stands for itself, and with any prefix: `browser_click`.
_TOOLS: Mapping[str, Sequence[str]] = {
    "evaluate": ("evaluate", "evaluate_script", "execute_script", "execute_javascript", "run_script"),
    "click": ("click", "click_element"),
    "fill": ("fill", "type", "fill_field", "input_text", "type_text"),
    "select": ("select_option", "select", "select_dropdown", "fill"),
    "hover": ("hover", "hover_element"),
    "form": ("fill_form",),
    "snapshot": ("snapshot", "take_snapshot", "accessibility_snapshot", "aria_snapshot"),
    "screenshot": ("screenshot", "take_screenshot"),
    "navigate": ("navigate", "navigate_page", "goto", "go_to_url", "open_url"),
    "pages": ("list_pages",),
}

# What an operation has to say, each as the parameters that can say it, the best first.
_ELEMENT: Mapping[str, _Value] = {
    **dict.fromkeys(("uid", "ref", "target"), _ref),
    **dict.fromkeys(("selector", "css", "css_selector"), _css),
}
_TEXT: Mapping[str, _Value] = dict.fromkeys(("value", "values", "text", "option", "options", "content"), _text)
_SCRIPT: Mapping[str, _Value] = {
    "function": lambda *_: f"() => {SCRIPT}",
    **dict.fromkeys(("code", "script", "expression", "javascript"), lambda *_: SCRIPT),
}
_FORM: Mapping[str, _Value] = dict.fromkeys(("fields", "elements", "inputs"), _fields)
_URL: Mapping[str, _Value] = {"url": lambda _, call, __: call.url}
_SAID: Mapping[str, Sequence[Mapping[str, _Value]]] = {
    "evaluate": (_SCRIPT,),
    "click": (_ELEMENT,),
    "fill": (_ELEMENT, _TEXT),
    "select": (_ELEMENT, _TEXT),
    "hover": (_ELEMENT,),
    "form": (_FORM,),
    "field": (_ELEMENT, _TEXT),
    "navigate": (_URL,),
}

# What some tools ask for besides.
_BESIDES: Mapping[str, _Value] = {
    "pageId": lambda _, __, names: names.page,
    "element": _name,
    "name": _name,
    "type": lambda *_: "textbox",
}


@attrs.frozen
class Plan:
    """The tool for an operation. `needs_refs`: it names elements by what a snapshot calls them."""

    tool: str
    needs_refs: bool
    needs_page: bool
    arguments: Callable[[Call, Names], dict[str, Any]]


def plan(operation: str, tools: Sequence[Tool]) -> Plan:
    """How a server with these tools does an operation; `NoToolError` if it does not."""
    tool = _find(operation, tools)
    values = _choose(operation, tool.schema, f"its tool {tool.name}")
    named = list(values.values())
    if _fields in named:
        form = next(name for name, value in values.items() if value is _fields)
        named += _choose("field", _item(_properties(tool.schema)[form]), f"`{form}` of its tool {tool.name}").values()
    return Plan(
        tool=tool.name,
        needs_refs=_ref in named,
        needs_page=_BESIDES["pageId"] in named,
        arguments=lambda call, names: _arguments(values, tool.schema, call, names),
    )


def find_refs(snapshot: str, elements: Sequence[Element]) -> dict[str, str]:
    """The refs of these elements by their ids, from a line of the snapshot each; `NoToolError` if one is not there."""
    refs = {}
    lines = snapshot.splitlines()
    for element in elements:
        shown = re.compile(rf'\b{element.role} "{re.escape(element.name)} ?"')
        found = next((ref for line in lines if shown.search(line) and (ref := _REF.search(line))), None)
        if found is None:
            raise NoToolError(f'its snapshot shows no {element.role} "{element.name}" with a ref')
        refs[element.id] = found[1]
    return refs


_REF = re.compile(r"\b(?:ref|uid)=([\w-]+)")


def _find(operation: str, tools: Sequence[Tool]) -> Tool:
    for name in _TOOLS[operation]:
        found = [tool for tool in tools if tool.name == name or tool.name.endswith((f"_{name}", f"-{name}"))]
        if found:
            return min(found, key=lambda tool: len(tool.name))  # `browser_click`, not `browser_double_click`
    raise NoToolError("it has no tool for this")


def _choose(operation: str, schema: Schema, whose: str) -> dict[str, _Value]:
    """The parameters that are used, and what each is given."""
    properties = _properties(schema)
    chosen: dict[str, _Value] = {}
    for ways in _SAID.get(operation, ()):
        name = next((name for name in ways if name in properties), None)
        if name is None:
            raise NoToolError(f"{whose} has no parameter {', '.join(ways)}")
        chosen[name] = ways[name]
    for name in schema.get("required", ()):
        if name in chosen:
            continue
        if name not in _BESIDES:
            raise NoToolError(f"{whose} needs {name!r}, which is not known here")
        chosen[name] = _BESIDES[name]
    return chosen


def _arguments(values: Mapping[str, _Value], schema: Schema, call: Call, names: Names) -> dict[str, Any]:
    properties = _properties(schema)
    return {name: value(properties.get(name, {}), call, names) for name, value in values.items()}


def _properties(schema: Schema) -> Schema:
    found: Schema = schema.get("properties") or {}
    return found


def _item(schema: Schema) -> Schema:
    found: Schema = schema.get("items") or {}
    return found


def _types(schema: Schema) -> set[str]:
    """The JSON types that a parameter takes, where its schema says so."""
    named = schema.get("type", [])
    types = {named} if isinstance(named, str) else set(named)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        types |= _types(choice)
    return types
