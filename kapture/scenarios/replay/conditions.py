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
_OFFERS = frozenset({"link", "button", "menuitem"})


async def condition_holds(condition: Condition, variables: Mapping[str, Any], call: HubCall, tab_id: str) -> bool:
    """Whether the condition holds now."""
    if condition.check == "expression":
        return holds(condition.expression or "", variables)
    if condition.check == "url_matches":
        url = str((await call("tab_info", {"tabId": tab_id})).data["url"])
        return glob_matches(url, str(substitute(condition.url, variables)))
    if condition.target is not None:
        return await _is_visible(condition.target, variables, call, tab_id)
    answer = await call("snapshot", {"tabId": tab_id, "format": "json", "max_chars": 200_000})
    nodes = nodes_of(answer.data.get("tree") or {})
    return any(node.get("role") in _OFFERS and SIGN_OUT.search(name_of(node)) for node in nodes)


async def _is_visible(target: StepTarget, variables: Mapping[str, Any], call: HubCall, tab_id: str) -> bool:
    argument = substitute(target.as_argument(), variables)
    answer = await call("elements", {"tabId": tab_id, "target": argument, "max": 20})
    return any(one["visible"] for one in answer.data["elements"])
