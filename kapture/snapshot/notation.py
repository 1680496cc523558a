"""The notation of one element: `textbox "Email" [required] = "a@b.c" ref=e3`.

    role "name" [states] = "value" → url ref=e12

Everything but the role and the ref is left out if there is no value for it.
"""

from __future__ import annotations

import re

from kapture.page.documents.frame import ref_text
from kapture.snapshot.node import Node, State
from kapture.snapshot.quoting import flat, plain_url, quote, token, verbatim
from kapture.split_url import split_url

NAME_CHARS = 120
_VALUE_CHARS = 100
_DESCRIPTION_CHARS = 80
_URL_CHARS = 60
_STATES = 8  # the limit for one element

_QUIET_STATES = frozenset({"orientation", "multiselectable", "text", "min", "max", "valuemin", "valuemax", "valuenow"})
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_NUMBER = re.compile(r"-?[0-9.]{1,12}")
_IMPLIED = {("combobox", "haspopup"), ("dialog", "modal"), ("alertdialog", "modal")}

PLURALS = {
    "listitem": "items",
    "checkbox": "checkboxes",
    "searchbox": "search boxes",
    "textbox": "text boxes",
    "combobox": "comboboxes",
    "listbox": "listboxes",
    "switch": "switches",
    "row": "rows",
    "navigation": "navigations",
    "menuitem": "menu items",
    "treeitem": "tree items",
    "gridcell": "cells",
    "generic": "clickable parts",
    "none": "parts",
    "presentation": "parts",
    "status": "statuses",
}


def role_word(node: Node) -> str:
    """The role as it is written. An element without a role that a person can still click is a `thing`."""
    return "generic" if node.role == "none" else token(node.role)


def plural(role: str, count: int) -> str:
    """`3 rows`, `1 row`."""
    many = PLURALS.get(role, token(role) + "s")
    ending = "es" if many.endswith(("xes", "ches", "uses")) else "s"
    return f"{count:,} {many if count != 1 else many.removesuffix(ending)}"


def states_of(node: Node) -> list[str]:
    """The states worth showing: `checked`, `collapsed`, `level=2`."""
    words: list[str] = []
    for name, value in node.states.items():
        word = _state(node, name, value)
        if word:
            words.append(word)
    if node.clickable:
        words.append("clickable")
    if node.hidden:
        words.append("hidden")
    return words[:_STATES]


def _state(node: Node, name: str, value: State) -> str:
    if name in _QUIET_STATES or (node.role, name) in _IMPLIED or value == "":
        return ""
    if name == "valuetext" and value == node.value:  # which is shown as the value: the number that fill sets is not
        now = node.states.get("valuenow")
        return "" if now is None or _number(now) == value else f"valuenow={_number(now)}"
    if name == "expanded":
        return "expanded" if value else "collapsed"
    if name == "checked":
        return ("checked" if value is True else f"checked={token(str(value))}") if value else ""
    if value is False:
        return ""
    if value is True:
        return token(name)
    return f"{token(name)}={token(str(value)) if isinstance(value, str) else f'{value:g}'}"


def range_of(node: Node) -> str:
    """`0..10`, for a slider and similar elements."""
    low = node.states.get("min", node.states.get("valuemin"))
    high = node.states.get("max", node.states.get("valuemax"))
    if low is None and high is None:
        return ""
    return "..".join("" if end is None else _number(end) for end in (low, high))


def _number(value: State) -> str:
    if isinstance(value, str):
        return value if _NUMBER.fullmatch(value) else token(value)
    return f"{value:g}"


def value_of(node: Node, limit: int = _VALUE_CHARS) -> str:
    """The value in quotes, "" if there is none."""
    if node.value is None or node.value == "":
        return ""
    return quote(verbatim(str(node.value)), limit)


def head(
    frame: str,
    node: Node,
    *,
    name: bool = True,
    url: str = "",
    generous: int = 0,
    extra_states: tuple[str, ...] = (),
    ref: bool = True,
) -> str:
    """One element in one line, without its content. `generous`: the limit of name and value, in characters."""
    parts = [role_word(node)]
    if name and node.name:
        parts.append(quote(flat(node.name), max(NAME_CHARS, generous)))
    states = [*extra_states, *states_of(node)]
    span = range_of(node)
    if span:
        states.append(span)
    if states:
        parts.append(f"[{' '.join(states)}]")
    value = value_of(node, max(_VALUE_CHARS, generous))
    if value and flat(str(node.value)) != node.name:
        parts.append(f"= {value}")
    shown = {flat(node.name), node.hint[1] if node.hint is not None else ""}
    if node.description and flat(node.description) not in shown:
        parts.append(f"({quote(flat(node.description), _DESCRIPTION_CHARS)})")
    if node.hint:
        parts.append(f"({hint_text(node)})")
    if url:
        parts.append(f"→ {url}")
    if ref:
        parts.append(f"ref={ref_text(frame, node.ref)}")
    return " ".join(parts)


def hint_text(node: Node) -> str:
    """The hint that identifies a nameless element: `icon trash`, `row "Green tea"`; "" for others."""
    if node.hint is None:
        return ""
    kind, text = node.hint
    return f"{token(kind)} {text if _COLOUR.fullmatch(text) else token(text)}"


def short(frame: str, node: Node) -> str:
    """The shortest text that identifies an element, for paths."""
    return f"{named(node)} ref={ref_text(frame, node.ref)}"


def named(node: Node) -> str:
    """`button "Save"`: an element in words, without its ref."""
    hint = f" ({hint_text(node)})" if node.hint else ""
    return f"{role_word(node)} {quote(flat(node.name), 40)}{hint}" if node.name else role_word(node) + hint


def link_url(url: str | None, base: str) -> str:
    """A link's URL as seen from the page at `base`: the path, or host and path for other sites."""
    if not url or url.startswith(("javascript:", "data:", "blob:")):
        return ""
    there, here = split_url(url), split_url(base)
    if not there.netloc:
        return plain_url(url, _URL_CHARS)
    host = there.netloc.rpartition("@")[2]
    if (there.scheme, host) != (here.scheme, here.netloc.rpartition("@")[2]):
        return plain_url(host + (there.path if there.path != "/" else ""), _URL_CHARS)
    if (there.path, there.query) == (here.path, here.query) and there.fragment:
        return plain_url("#" + there.fragment, _URL_CHARS)
    return plain_url(there.path + (f"?{there.query}" if there.query else ""), _URL_CHARS)
