"""Hints from the page on why a step failed: the kind of page, an open dialog, error texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kapture.commands.core.context import HubCall
from kapture.errors import KaptureError
from kapture.scenarios.healing.surroundings import Node, texts_of, walk

_MOST_ERRORS = 3
_LONGEST = 200
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "listbox", "switch"})
_DIALOGS = frozenset({"dialog", "alertdialog"})
_PASSWORD = re.compile(r"pass(word|code|phrase)|kennwort|passwort|mot de passe|contraseña", re.IGNORECASE)
_BROKEN = re.compile(r"\b(404|403|500|502|503)\b|not found|forbidden|server error|access denied", re.IGNORECASE)
_ERROR = re.compile(r"\b(error|invalid|incorrect|wrong|failed|required|expired|try again)\b", re.IGNORECASE)


async def page_hints(call: HubCall, tab_id: str) -> list[str]:
    """One line each; none if the page cannot be read."""
    try:
        answer = await call("snapshot", {"tabId": tab_id, "format": "json", "max_chars": 200_000})
    except KaptureError:
        return []  # the step's error matters more
    root = (answer.data.get("tree") or {}).get("tree")
    if not isinstance(root, Mapping):
        return []
    nodes = [node for node, _ in walk(root, ())]
    return [*_kind(nodes), *_dialogs(nodes), *_errors(nodes)]


def _kind(nodes: Sequence[Node]) -> Iterator[str]:
    fields = [node for node in nodes if node.get("role") in _FIELDS]
    headings = [_text(node) for node in nodes if node.get("role") == "heading"]
    broken = next(filter(_BROKEN.search, headings[:2]), None)
    if any(_PASSWORD.search(str(node.get("name", ""))) for node in fields):
        yield "the page asks to sign in"
    elif broken is not None:
        yield f"the page is an error page: {broken!r}"
    elif len(fields) > 1:
        yield f"the page is a form with {len(fields)} fields"


def _dialogs(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if node.get("role") in _DIALOGS:
            yield f"a dialog is open: {str(node.get('name') or _text(node))[:_LONGEST]!r}"


def _errors(nodes: Sequence[Node]) -> list[str]:
    found = [_text(node) for node in nodes if node.get("role") == "alert"]
    for node in nodes:
        texts = [child for child in node.get("children", ()) if isinstance(child, str)]
        if node.get("role") not in (*_FIELDS, "heading", "link", "button"):
            found += [text for text in (str(node.get("name", "")), *texts) if _ERROR.search(text)]
    shown = list(dict.fromkeys(text[:_LONGEST] for text in found if text))
    return [f"the page shows an error: {text!r}" for text in shown[:_MOST_ERRORS]]


def _text(node: Node) -> str:
    return str(node.get("name") or " ".join(texts_of(node)))
