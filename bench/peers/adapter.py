"""Maps operations to the tools of an MCP server and their arguments, given its `tools/list`.

The tables hold the tool and parameter names of the known servers (Kapture, Playwright MCP, chrome-devtools-mcp, and
similar ones). A server is not measured on operations that the tables do not cover.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from bench.peers.operations import SCRIPT, Call, Element

Schema = Mapping[str, Any]


class NoToolError(Exception):
    """A server cannot be measured on an operation, for the reason in the message."""


@attrs.frozen
class Tool:
    """A tool of a server, and the JSON Schema of its arguments."""

    name: str
    schema: Schema


@attrs.frozen(kw_only=True)
class Names:
    """A server's own names: the ref of each element, by the element's id, and the page id if its tools require one."""

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


# Operation → tool names, the best first. A name matches with any prefix too: `browser_click`.
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

# The arguments of an operation, each with the parameter names that can carry it, the best first.
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
_ARGUMENTS: Mapping[str, Sequence[Mapping[str, _Value]]] = {
    "evaluate": (_SCRIPT,),
    "click": (_ELEMENT,),
    "fill": (_ELEMENT, _TEXT),
    "select": (_ELEMENT, _TEXT),
    "hover": (_ELEMENT,),
    "form": (_FORM,),
    "field": (_ELEMENT, _TEXT),
    "navigate": (_URL,),
}

# Further parameters that some tools require: for any operation, and for a field of a form.
_FURTHER: Mapping[str, _Value] = {"pageId": lambda _, __, names: names.page, "element": _name}
_OF_A_FIELD: Mapping[str, _Value] = {"name": _name, "type": lambda *_: "textbox"}


def _usual(schema: Schema, _: Call, __: Names) -> Any:
    """The default or the first allowed value, for servers that require a parameter although it has one."""
    return schema["default"] if "default" in schema else schema["enum"][0]


@attrs.frozen
class Plan:
    """The tool for an operation. `needs_refs`: its arguments name elements by the refs of a snapshot. `needs_page`: it
    requires a page id."""

    tool: str
    needs_refs: bool
    needs_page: bool
    arguments: Callable[[Call, Names], dict[str, Any]]


def plan(operation: str, tools: Sequence[Tool]) -> Plan:
    """Choose the tool and the arguments for an operation; `NoToolError` if there are none."""
    tool = _find(operation, tools)
    values = _choose(operation, tool.schema, f"its tool {tool.name}")
    named = list(values.values())
    if _fields in named:
        form = next(name for name, value in values.items() if value is _fields)
        named += _choose("field", _item(_properties(tool.schema)[form]), f"`{form}` of its tool {tool.name}").values()
    return Plan(
        tool=tool.name,
        needs_refs=_ref in named,
        needs_page=_FURTHER["pageId"] in named,
        arguments=lambda call, names: _arguments(values, tool.schema, call, names),
    )


def find_refs(snapshot: str, elements: Sequence[Element]) -> dict[str, str]:
    """Find the refs of these elements in a snapshot, by the elements' ids; `NoToolError` if one is missing."""
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
    """Choose the parameters to pass, and the value of each."""
    properties = _properties(schema)
    chosen: dict[str, _Value] = {}
    for ways in _ARGUMENTS.get(operation, ()):
        name = next((name for name in ways if name in properties), None)
        if name is None:
            raise NoToolError(f"{whose} has no parameter {', '.join(ways)}")
        chosen[name] = ways[name]
    further = {**_FURTHER, **_OF_A_FIELD} if operation == "field" else _FURTHER
    for name in schema.get("required", ()):
        if name in chosen:
            continue
        known = {"default", "enum"} & set(properties.get(name, {}))
        if name not in further and not known:
            raise NoToolError(f"{whose} needs {name!r}, which is not known here")
        chosen[name] = further.get(name, _usual)
    return chosen


def _arguments(values: Mapping[str, _Value], schema: Schema, call: Call, names: Names) -> dict[str, Any]:
    properties = _properties(schema)
    return {name: value(properties.get(name, {}), call, names) for name, value in values.items()}


def _properties(schema: Schema) -> Mapping[str, Schema]:
    return {name: _as_schema(value) for name, value in _as_schema(schema.get("properties")).items()}


def _item(schema: Schema) -> Schema:
    return _as_schema(schema.get("items"))


def _as_schema(value: Any) -> Schema:
    """A schema may also be `true`: any value."""
    return value if isinstance(value, dict) else {}


def _types(schema: Schema) -> set[str]:
    """The JSON types that a parameter accepts, as far as its schema names them."""
    named = schema.get("type", [])
    types = {named} if isinstance(named, str) else set(named)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        types |= _types(_as_schema(choice))
    return types
