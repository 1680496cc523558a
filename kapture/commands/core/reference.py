"""Writes docs/TOOLS.md from the registry: `python -m kapture.commands.core.reference` (`--check`: report if stale)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

import kapture.commands  # noqa: F401  fills the registry
from kapture.commands.core.params import ElementRequired
from kapture.commands.core.registry import Access, Command, Lane, Scope, all_commands

_FILE = Path(__file__).parents[3] / "docs" / "TOOLS.md"

_TOOLSETS = {
    "core": "Seeing a page and acting on it.",
    "tabs": "Opening, closing and showing tabs.",
    "more": "Less common ways to read a page and to act on it; left out of the default list of tools.",
    "network": "What a page asks of the network.",
    "files": "Files to pages and from pages.",
    "state": "What a site stores, and what devices and locations are emulated.",
    "scenarios": "Recorded sequences of steps.",
    "raw": "The Chrome DevTools Protocol as it is.",
}

_ACCESS = {
    Access.NONE: "no grant needed",
    Access.READ: "needs `read`",
    Access.INTERACT: "needs `interact`",
    Access.FULL: "needs `full`",
}

_INTRODUCTION = """\
# Tools

Every command of Kapture, made from its registry by `python -m kapture.commands.core.reference`: do not edit.

As an MCP tool a command is called `kapturemcp_<name>`; on the command line it is
`kapture call <name> --tab ID parameter=value …`. Every command that works on a tab takes `tabId` (see
`list_tabs`), which may be left out while exactly one tab is connected,
and every command takes `timeout` in milliseconds. A command that acts on the page or waits for it takes `snapshot` too:
`none`, `diff` (what changed; the default once this client has taken a snapshot of the tab) or `full`.

An answer has at most 20,000 characters and says what it leaves out; URLs over 200 characters are cut in the middle.
Every command takes `max_chars` (up to 200,000), with which URLs are shown whole, and `save_to`, a file name: the whole
answer, or the picture or file that it holds, is then written to the download folder, as JSON if the name ends in
`.json`. An existing file is never replaced.

A **target** names one element: a string is a CSS selector; an object names it by `ref` (`e12`, from a snapshot),
`css`, `xpath`, `role` and `name`, `text`, `label`, `testId`, or the point `x`, `y`, narrowed by `exact`, `nth` and
`frame`. Where a command takes `target` it also takes `selector`, a CSS selector: give one of them.

Commands marked *at once* run beside whatever the tab is busy with; all others wait for their turn.
"""


def reference() -> str:
    """The whole page."""
    parts = [_INTRODUCTION]
    order = list(_TOOLSETS)
    by_toolset = sorted(all_commands(), key=lambda one: order.index(one.toolset))
    for toolset, members in groupby(by_toolset, key=lambda one: one.toolset):
        parts.append(f"## {toolset}\n\n{_TOOLSETS[toolset]}\n")
        parts += [_command(one) for one in members]
    return "\n".join(parts)


def _command(command: Command) -> str:
    facts = [_ACCESS[command.access], f"{command.timeout_ms / 1000:g} s"]
    if command.scope is Scope.HUB:
        in_policy = (
            "" if command.access is Access.NONE else f", where the policy allows `{command.access.name.lower()}`"
        )
        facts[0] = f"{_ACCESS[Access.NONE]}{in_policy}"
        facts.append("takes no `tabId`")
    if command.lane is Lane.CONTROL:
        facts.append("at once")
    if command.shows_page:
        facts.append("takes `snapshot`")
    lines = [f"### {command.name}", "", command.description, "", f"*{'; '.join(facts)}*", ""]
    rows = list(_parameters(command.params))
    if rows:
        lines += ["| parameter | type | default | |", "| --- | --- | --- | --- |"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _parameters(params: type) -> Iterator[tuple[str, str, str, str]]:
    (schema,), definitions = msgspec.json.schema_components([params], ref_template="{name}")
    shape = definitions[schema["$ref"]]
    for name, field in shape.get("properties", {}).items():
        required = name in shape.get("required", ())
        default = "required" if required else _default(field)
        if name == "target" and issubclass(params, ElementRequired):
            default = "required, or `selector`"
        yield f"`{name}`", _type(field, definitions), default, _cell(_description(field))


def _default(field: dict[str, Any]) -> str:
    value = field.get("default")
    return "" if value is None or value == {} else f"`{msgspec.json.encode(value).decode()}`"


def _description(field: dict[str, Any]) -> str:
    if "description" in field:
        return str(field["description"])
    return " ".join(str(part["description"]) for part in field.get("anyOf", ()) if "description" in part)


def _type(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """A type in a few words: `"load" or "commit"`, `list of string`, `integer 1-3`."""
    if "$ref" in field:
        return _named(field["$ref"], definitions)
    if "anyOf" in field:
        words = [_type(part, definitions) for part in field["anyOf"] if part.get("type") != "null"]
        if "target" in words:
            return "target"
        return " or ".join(dict.fromkeys(words))
    if "enum" in field:
        return _cell(" or ".join(f'"{value}"' for value in field["enum"] if value is not None))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}), definitions)}"
    kind = str(field.get("type", "any"))
    low, high = (field.get(key) for key in ("minimum", "maximum"))
    if low is not None and high is not None:
        return f"{kind} {low:g}-{high:g}"
    if low is not None:
        return f"{kind} from {low:g}"
    return kind


def _named(name: str, definitions: dict[str, Any]) -> str:
    if name == "TargetSpec":
        return "target"
    fields = definitions[name].get("properties", {})
    return f"object: {', '.join(f'`{field}`' for field in fields)}" if fields else "object"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    """Write the file, or with `--check` report whether it is stale (exit code 1)."""
    text = reference()
    if "--check" in sys.argv[1:]:
        return int(_FILE.read_text("utf-8") != text)
    _FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
