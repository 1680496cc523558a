"""Compares the agent's tree of a document with the browser's own, `Accessibility.getFullAXTree`, node by node."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from tests.support.agent_page import AgentPage, Json, nodes_of, text_of


@attrs.frozen
class Difference:
    """One difference between the two trees. `kind` is one of: role, name, missing, extra, text, a state."""

    kind: str
    role: str
    ours: object
    browser: object

    def __str__(self) -> str:
        return f"{self.kind} of {self.role}: ours {self.ours!r}, the browser's {self.browser!r}"


OURS_FOR = {
    "RootWebArea": "document",
    "Iframe": "iframe",
    "Audio": "audio",
    "Video": "video",
    "Canvas": "canvas",
    "EmbeddedObject": "embed",
    "PluginObject": "object",
    "ColorWell": "colorpicker",
    "Date": "datepicker",
    "InputTime": "timepicker",
    "Abbr": "abbr",
    "MathMLMath": "math",
    "Ruby": "ruby",
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "SvgRoot": "image",
    "IframePresentational": "iframe",
}
"""The browser's internal roles that ARIA lacks, and the role that the agent reports instead."""

DATE_TIMES = frozenset({"datetimepicker", "monthpicker", "weekpicker"})
"""The browser calls them all DateTime."""

FOLDED = frozenset(
    {
        "generic",
        "none",
        "StaticText",
        "InlineTextBox",
        "ListMarker",
        "LineBreak",
        "LabelText",
        "Legend",
        "Figcaption",
        "DescriptionList",
        "MenuListPopup",
        "LayoutTable",
        "LayoutTableRow",
        "LayoutTableCell",
        "Section",
        "IframePresentational",
        "RubyAnnotation",
        "Abbr",
    }
)
"""Roles that say nothing to act on or to know (HTML-AAM: no corresponding role): text, or folded away."""

ATOMIC = frozenset(
    {
        "audio",
        "video",
        "canvas",
        "colorpicker",
        "datepicker",
        "timepicker",
        "datetimepicker",
        "monthpicker",
        "weekpicker",
        "math",
        "meter",
        "progressbar",
        "embed",
        "object",
        "iframe",
    }
)
"""Their contents are made by the browser, or given by their value."""


def role_in_our_words(node: Json) -> str:
    role = str(node["role"]["value"])
    return OURS_FOR.get(role, role)


def collapsed(text: object) -> str:
    """With the white space of HTML collapsed: a no-break space is a letter."""
    return re.sub(r"[ \t\n\f\r]+", " ", str(text or "")).strip(" ")


# What `content-visibility: auto` shows is known, to the browser's tree too, once a frame has been drawn.
_DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))"


async def differences(page: AgentPage, *, states: bool = True) -> list[Difference]:
    """All differences between the agent's tree of the document and the browser's."""
    await page.evaluate(_DRAWN)
    tree = await page.snapshot()
    ours = list(nodes_of(tree))
    ids = await page.backend_ids([node["ref"] for node in ours])
    browser = await page.full_tree()
    shadow, pseudo = await page.browser_made()
    made = shadow | pseudo
    by_id = {node.get("backendDOMNodeId"): node for node in browser if not node["ignored"]}
    by_id[ids[0]] = browser[0]  # the html element stands for the document
    found: list[Difference] = []
    for node, own_id in zip(ours, ids, strict=True):
        theirs = by_id.get(own_id)
        if theirs is None:
            if node["role"] != "generic" or node["name"]:
                found.append(Difference("extra", node["role"], node["name"], None))
            continue
        found.extend(compared(node, theirs, states=states))
    known = {*ids, browser[0].get("backendDOMNodeId")}
    for node in browser:
        backend_id = node.get("backendDOMNodeId")
        if node["ignored"] or node["role"]["value"] in FOLDED or backend_id in known or backend_id in made:
            continue
        found.append(Difference("missing", role_in_our_words(node), None, collapsed(node.get("name", {}).get("value"))))
    our_text, their_text = text_of(tree, ATOMIC), browser_text(browser, shadow)
    if our_text != their_text:
        found.append(Difference("text", "document", our_text, their_text))
    return found


def compared(node: Json, theirs: Json, *, states: bool) -> Iterator[Difference]:
    role, their_role = node["role"], role_in_our_words(theirs)
    same = role == their_role or (their_role == "DateTime" and role in DATE_TIMES)
    if not same and not (role == "generic" and their_role in FOLDED):
        yield Difference("role", role, f"{role} {node['name']!r}", their_role)
        return
    name, their_name = collapsed(node["name"]), collapsed(theirs.get("name", {}).get("value"))
    if name != their_name:
        yield Difference("name", role, name, their_name)
    if not states:
        return
    description = collapsed(theirs.get("description", {}).get("value"))
    if description != their_name and node.get("description", "") != description:
        yield Difference("description", role, node.get("description", ""), description)
    our_states, their_states = dict(node.get("states", {})), browser_states(theirs)
    if "invalid" in our_states:
        our_states["invalid"] = True  # the browser does not say in which way
    for state in sorted(STATES.values()):
        if our_states.get(state) != their_states.get(state):
            yield Difference(state, role, our_states.get(state), their_states.get(state))


STATES = {
    "checked": "checked",
    "pressed": "pressed",
    "disabled": "disabled",
    "expanded": "expanded",
    "selected": "selected",
    "focused": "focused",
    "required": "required",
    "invalid": "invalid",
    "readonly": "readonly",
    "multiselectable": "multiselectable",
    "modal": "modal",
    "busy": "busy",
}
ALWAYS_SAID = frozenset({"checked", "pressed", "expanded"})


def browser_states(node: Json) -> Json:
    states: Json = {}
    for entry in node.get("properties", ()):
        name, value = entry["name"], entry["value"].get("value")
        if name not in STATES:
            continue
        if value in ("true", "false"):
            value = value == "true"
        if value is not False or name in ALWAYS_SAID:
            states[STATES[name]] = value
    return states


def browser_text(nodes: list[Json], shadow: set[int]) -> str:
    by_id = {node["nodeId"]: node for node in nodes}
    parts: list[str] = []

    def visit(node: Json) -> None:
        if not node["ignored"]:
            role = role_in_our_words(node)
            if role == "StaticText":
                if node.get("backendDOMNodeId") not in shadow:
                    parts.append(re.sub(r"[\s•◦▪]", "", node["name"]["value"]))
                return
            if role in ATOMIC or role == "DateTime":
                return
        for child in node.get("childIds", ()):
            if child in by_id:
                visit(by_id[child])

    visit(nodes[0])
    return "".join(parts)
