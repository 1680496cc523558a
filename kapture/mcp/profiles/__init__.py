"""Profiles: sets of tools with names and answer shapes of their own for the same commands, each a table."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import toons

from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.options import TOOLSETS, Options
from kapture.mcp.profiles.browser import ERROR_WORDS as BROWSER_WORDS
from kapture.mcp.profiles.browser import ROWS as BROWSER
from kapture.mcp.profiles.chrome import ROWS as CHROME
from kapture.mcp.profiles.chrome_answers import ERROR_CODES as CHROME_CODES
from kapture.mcp.profiles.minimal import ERROR_CODES as MINIMAL_CODES
from kapture.mcp.profiles.minimal import ROWS as MINIMAL
from kapture.mcp.profiles.shapes import ErrorCodes
from kapture.mcp.profiles.table import row_tool, tool_names
from kapture.mcp.tool import PREFIX, Tool, command_tools

_TABLES = {"minimal": MINIMAL, "chrome": CHROME, "browser": BROWSER}
_NAMES: Mapping[str, Mapping[str, str]] = {
    "minimal": {
        "look": "take a snapshot",
        "Look": "Take a snapshot",
        "css": "css",
        "ref": "ref",
        "by_text": "role with name",
    },
    "chrome": {
        "look": "read the page with get_text",
        "Look": "Read the page with get_text",
        "css": "selector",
        "ref": "ref",
    },
    "browser": {
        "look": "read the page with browser_get_content",
        "Look": "Read the page with browser_get_content",
        "css": "selector",
    },
}
"""Names in hints of things that are neither tools nor parameters (`kapture.errors.Wording`)."""


@attrs.frozen(kw_only=True)
class Profile:
    """The tools of one client. `has_current_tab`: a call without a tabId goes to the client's current tab.

    `fixed_tab`: no tool takes a tabId. `error_codes` and `error_words` replace codes and messages of
    some errors, `write_error` formats them. `names`: what its clients call commands, and ways to name elements; None:
    the same as Kapture.
    """

    name: str
    tools: tuple[Tool, ...]
    has_current_tab: bool = True
    fixed_tab: bool = False
    error_codes: ErrorCodes = attrs.field(factory=dict)
    error_words: Mapping[ErrorCode, str] = attrs.field(factory=dict)
    names: Mapping[str, str] | None = None
    write_error: Callable[[Mapping[str, Any]], str] | None = None

    def tool(self, name: str) -> Tool:
        """The tool of this name; `UNKNOWN_COMMAND` with similar names if there is none.

        Toolsets only keep the list short; what may run is decided by grants. So a command that is not listed can be
        called all the same by a client that knows its name.
        """
        for tool in (*self.tools, *(_every_command() if self.name == "kapture" else ())):
            if tool.name == name:
                return tool
        raise self._unknown(name)

    def code_of(self, error: KaptureError) -> str | None:
        """The profile's own name of an error's code, which may depend on its reason; None if it has none."""
        for_reason = self.error_codes.get((error.code, str(error.data.get("reason"))))
        return for_reason or self.error_codes.get(error.code)

    def named(self, error: KaptureError, name: str) -> KaptureError:
        """Return the error of a call of the tool with this name in the names that the profile's clients know."""
        if self.names is None:
            return error
        tool = next((tool for tool in self.tools if tool.name == name), None)
        own = (
            {} if tool is None else {**(tool.parameters or {}), "usage": ", ".join(tool.schema["properties"]) or "none"}
        )
        return error.named({**self.names, **own})

    def _unknown(self, name: str) -> KaptureError:
        names = [tool.name for tool in (_every_command() if self.name == "kapture" else self.tools)]
        if self.name == "kapture" and PREFIX + name in names:
            return _no_tool(name, f"Its name is {PREFIX}{name}.", [PREFIX + name])
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"Did you mean {', '.join(near)}?" if near else "List the tools to see what there is."
        return _no_tool(name, hint, near)


def profile_of(options: Options) -> Profile:
    """The profile that a client has chosen."""
    if options.profile == "kapture":
        return Profile(name="kapture", tools=tuple(command_tools(options)), has_current_tab=False)
    tools = tuple(row_tool(row) for row in _TABLES[options.profile])
    names = {**tool_names(_TABLES[options.profile]), **_NAMES[options.profile]}
    if options.profile == "minimal":
        return Profile(
            name="minimal", tools=tools, fixed_tab=True, error_codes=MINIMAL_CODES, names=names, write_error=toons.dumps
        )
    codes = CHROME_CODES if options.profile == "chrome" else {}
    words = BROWSER_WORDS if options.profile == "browser" else {}
    return Profile(name=options.profile, tools=tools, error_codes=codes, error_words=words, names=names)


@functools.cache
def _every_command() -> tuple[Tool, ...]:
    return tuple(command_tools(Options(toolsets=TOOLSETS)))


def _no_tool(name: str, hint: str, near: list[str]) -> KaptureError:
    return KaptureError(ErrorCode.UNKNOWN_COMMAND, f"There is no tool {name[:100]!r}.", hint=hint, data={"near": near})
