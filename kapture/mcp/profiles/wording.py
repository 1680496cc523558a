"""Advice in the words of a profile: names of commands become names of the client's own tools, or are left out.

Errors and answers are written once, for all clients, and name commands and their parameters: "Answer it with
handle_dialog.", "Wait longer with timeout." A client of another profile has other tools, and fewer.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from kapture.commands.core.registry import all_commands
from kapture.commands.core.result import CallResult
from kapture.errors import KaptureError
from kapture.mcp.tool import Tool

_NONE: Mapping[str, str] = MappingProxyType({})

_PLAIN_WORDS = frozenset({"evaluate", "logs", "network", "snapshot"})
"""Commands whose names are English words, and that advice mentions."""

_TAKE_A_SNAPSHOT = re.compile(r"\b([Tt])ake a (?:new )?snapshot\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CLAUSE = re.compile(r"(, (?:and|or|then) |; (?:or )?)")
_USAGE = re.compile(r"Its parameters are: [^.]*\.")
_BY_ROLE = "role and name"
# What a target may be, for clients whose tools take a CSS selector and perhaps a ref; and for those that name no text.
ONLY_SELECTORS = (
    ("To name an element by its text, use text, or role with name.", ""),
    ("For a CSS selector, use css.", "For a CSS selector, use selector."),
    ("come from snapshots", "come from answers"),
)
NO_TEXT = (("use text, or role with name", "use role with name"),)
NO_REFS = (("Use the ref of the one that is meant, or nth.", "Use a selector that matches it alone."),)
_REF = re.compile(r"\bref\b")
_PAGE_TOOLS = re.compile(r"\n\d+ page tools?: page_tools lists them\Z")
_DIALOG_IS_OPEN = re.compile(r" is open; answer it with handle_dialog$", re.MULTILINE)


@attrs.frozen(kw_only=True)
class Wording:
    """The names that one profile uses. `tools`: tool by command; `look`: how its clients look at a page; `by_role`,
    `by_ref`: they can name elements by role and name, or by a ref."""

    tools: Mapping[str, str]
    look: str
    by_role: bool = False
    by_ref: bool = True

    def error(self, error: KaptureError, tool: Tool | None = None) -> KaptureError:
        """The same error of a call of this tool, with advice that this profile's clients can follow."""
        names = (tool.parameters if tool is not None else None) or {}
        hint = self.advice(_USAGE.sub("", error.hint), names)
        if tool is not None and _USAGE.search(error.hint) is not None:
            hint = f"{hint} Its parameters are: {', '.join(tool.schema['properties']) or 'none'}.".strip()
        message = error.message
        if not error.quotes_page:
            if tool is not None:
                message = _refused().sub(lambda found: _of_tool(found, tool, names), message)
            message = _parameters().sub(lambda found: names.get(_bare(found[0]), found[0]), message)
        if (message, hint) == (error.message, error.hint):
            return error
        return KaptureError(error.code, message, hint=hint, data=error.data, quotes_page=error.quotes_page)

    def result(self, result: CallResult) -> CallResult:
        """The same answer, with this profile's tools in advice about an open dialog and about what failed in part, and
        without the page's tools if it has no tool that lists them."""
        if "page_tools" not in self.tools:
            result = attrs.evolve(result, text=_PAGE_TOOLS.sub("", result.text))
        if (rows := result.data.get("results")) and any(_hint_of(row) for row in rows):
            result = attrs.evolve(result, data={**result.data, "results": [self._row(row) for row in rows]})
        if "handle_dialog" not in result.text and "effects" not in result.data:
            return result
        effects = [self._effect(line) for line in result.data.get("effects") or ()]
        data = {**result.data, "effects": effects} if effects else result.data
        return attrs.evolve(result, text=self._effect(result.text), data=data)

    def advice(self, text: str, parameters: Mapping[str, str] = _NONE) -> str:
        """The sentences in the profile's words, without parts that only another tool, or other parameters than these,
        could follow."""
        for ours, theirs in (*(NO_TEXT if self.by_role else ONLY_SELECTORS), *(() if self.by_ref else NO_REFS)):
            text = text.replace(ours, theirs)
        if "snapshot" not in self.tools:
            text = _TAKE_A_SNAPSHOT.sub(self._look, text)
        sentences = [self._sentence(sentence, parameters) for sentence in _SENTENCE.split(text)]
        return " ".join(filter(None, sentences))

    def _sentence(self, sentence: str, parameters: Mapping[str, str]) -> str:
        """One sentence, without its clauses about other tools and parameters; "" if nothing is left."""
        sentence = _lists().sub(self._available, sentence)
        if self._is_foreign(sentence, parameters):
            clauses = _CLAUSE.split(sentence.rstrip("."))[::2]
            kept = ", ".join(clause for clause in clauses if not self._is_foreign(clause, parameters))
            if kept and self._is_foreign(clauses[0], parameters):
                kept = kept[0].upper() + kept[1:]
            sentence = f"{kept}." if kept else ""
        sentence = _names().sub(lambda found: self.tools[found[0]], sentence)
        return _parameters().sub(lambda found: parameters[_bare(found[0])], sentence)

    def _is_foreign(self, text: str, parameters: Mapping[str, str]) -> bool:
        """Whether it names a command that this profile has no tool for, or a parameter that is none of these."""
        if any(name not in self.tools for name in _names().findall(text)) or (_BY_ROLE in text and not self.by_role):
            return True
        if not self.by_ref and _REF.search(text) is not None:
            return True
        return any(_bare(name) not in parameters for name in _parameters().findall(text))

    def _available(self, found: re.Match[str]) -> str:
        """Of commands listed together, those that the profile has; all of them if it has none."""
        names = [name for name in _names().findall(found[0]) if name in self.tools]
        if not names:
            return found[0]
        last = " or " if " or " in found[0] else " and "
        return last.join(filter(None, [", ".join(names[:-1]), names[-1]]))

    def _look(self, found: re.Match[str]) -> str:
        return self.look[0].upper() + self.look[1:] if found[1] == "T" else self.look

    def _row(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """A field that could not be filled, with advice that the client can follow."""
        return {**row, "error": {**row["error"], "hint": self.advice(hint)}} if (hint := _hint_of(row)) else row

    def _effect(self, line: str) -> str:
        return _DIALOG_IS_OPEN.sub(f" is open; answer it with {self.tools['handle_dialog']}", line)


def _hint_of(row: Any) -> str:
    error = row.get("error") if isinstance(row, Mapping) else None
    return str(error.get("hint", "")) if isinstance(error, Mapping) else ""


@functools.cache
def _names() -> re.Pattern[str]:
    """Matches names of commands, where they cannot be ordinary words."""
    names = {command.name for command in all_commands() if "_" in command.name} | _PLAIN_WORDS
    return re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(names, key=len, reverse=True))}|(?<=use )type|(?<=need )type)\b")


@functools.cache
def _parameters() -> re.Pattern[str]:
    """Matches names of commands' parameters, where they cannot be ordinary words."""
    fields = {field.name for command in all_commands() for field in attrs.fields(command.params)}
    names = {name for name in fields if "_" in name} | {"nth"}
    words = "|".join(sorted(names, key=len, reverse=True))
    # Not within a selector or quotation marks, which the client wrote.
    return re.compile(rf"(?<![\w.#='\"-])(?:{words}|(?<=with )timeout|`timeout`|^timeout(?= is ))(?![\w='\"-])")


@functools.cache
def _refused() -> re.Pattern[str]:
    """Matches how a message begins about an argument, or about what a command needs: `click: count must …`, `fill needs
    value.`, `evaluate needs the level …`."""
    commands = "|".join(command.name for command in all_commands())
    return re.compile(rf"\A(?:{commands})(?P<between>: | needs )(?P<parameter>\w+)(?=[ .\[])")


def _of_tool(found: re.Match[str], tool: Tool, names: Mapping[str, str]) -> str:
    """The same beginning, with the names of the tool and of its parameter."""
    return f"{tool.name}{found['between']}{names.get(found['parameter'], found['parameter'])}"


def _bare(parameter: str) -> str:
    return parameter.strip("`")


def listed(names: Iterable[str], conjunction: str) -> str:
    """`a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {conjunction} {last}" if others else last


@functools.cache
def _lists() -> re.Pattern[str]:
    """Matches several of them in a list: `get_text, snapshot or find`."""
    name = _names().pattern
    return re.compile(rf"{name}(?:(?:, | or | and |, or |, and ){name})+")
