"""The conditions of dependencies, evaluated on the page or on captured output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kapture.commands.core.context import HubCall
from kapture.glob import glob_matches
from kapture.scenarios.model import Condition, StepTarget
from kapture.scenarios.parameters.expression import holds
from kapture.scenarios.parameters.placeholders import substitute
from kapture.scenarios.replay.page_nodes import name_of, nodes_of

SIGN_OUT = re.compile(
    r"\b(sign|log)[ -]?(out|off)\b|\b(abmelden|ausloggen|déconnexion|cerrar sesión|esci)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,15}", re.ASCII)
_MOST_ELEMENTS = 500  # the limit of `elements`
_OFFERS = frozenset({"link", "button", "menuitem"})


async def condition_holds(condition: Condition, variables: Mapping[str, Any], call: HubCall, tab_id: str) -> bool:
    """Whether the condition holds now."""
    if condition.check == "expression":
        return holds(condition.expression or "", variables)
    if condition.check == "url_matches":
        url = str((await call("tab_info", {"tabId": tab_id})).data["url"])
        return glob_matches(url, str(substitute(condition.url, variables)))
    if condition.target is not None:
        shown = await _visible(condition.target, variables, call, tab_id)
        if condition.check == "element_count":
            return len(shown) >= condition.minimum
        if condition.check == "element_number":
            return bool(shown) and await _number(shown[0], call, tab_id) >= condition.minimum
        return bool(shown)
    answer = await call("snapshot", {"tabId": tab_id, "format": "json", "max_chars": 200_000})
    nodes = nodes_of(answer.data.get("tree") or {})
    return any(node.get("role") in _OFFERS and SIGN_OUT.search(name_of(node)) for node in nodes)


async def _visible(
    target: StepTarget, variables: Mapping[str, Any], call: HubCall, tab_id: str
) -> list[Mapping[str, Any]]:
    """The elements that match the target and are visible, of the first ones."""
    argument = substitute(target.as_argument(), variables)
    answer = await call("elements", {"tabId": tab_id, "target": argument, "max": _MOST_ELEMENTS})
    return [one for one in answer.data["elements"] if one["visible"]]


async def _number(element: Mapping[str, Any], call: HubCall, tab_id: str) -> float:
    """The first whole number in the element's text; one that no number reaches if there is none."""
    text = str((await call("get_text", {"tabId": tab_id, "target": {"ref": element["ref"]}})).data["content"])
    return int(found[0]) if (found := _NUMBER.search(text)) else float("-inf")
