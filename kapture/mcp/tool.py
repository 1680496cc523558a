"""A tool of a profile: its entry in `tools/list`, and the command that it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from kapture.commands.core.answer import CallResult
from kapture.commands.core.registry import Access, Command, Scope, all_commands
from kapture.commands.core.schema import Schema
from kapture.errors import KaptureError
from kapture.mcp.options import Options
from kapture.mcp.schema import listed_schema, output_schema

PREFIX = "kapturemcp_"


@attrs.frozen(kw_only=True)
class PlannedCall:
    """One command with its arguments. `given`: those of the tool, as they are meant, for its formatter."""

    command: str
    arguments: dict[str, Any]
    given: Mapping[str, Any] = attrs.field(factory=dict)
    then: PlannedCall | None = None  # on the same tab, if this one has succeeded


@attrs.frozen(kw_only=True)
class ShowContext:
    """The context of a formatter besides the answer: the arguments, the result of the call's second command or why it
    failed, the client's current tab as it is now, the short form of a tab's id, and the kind of backend of the tab that
    the call was for."""

    arguments: Mapping[str, Any]
    after: CallResult | None = None
    failed: str = ""
    current_tab: str | None = None
    short: Callable[[str], str | int] = str
    backend: str | None = None


ShowError = Callable[[KaptureError], str | None]
"""The answer's text for an error that the profile answers as a result; None if it stays an error."""

Show = Callable[[CallResult, ShowContext], str | None]


@attrs.frozen(kw_only=True)
class Tool:
    """One entry of `tools/list`, and how a call of it becomes a command and an answer.

    `plan` converts the tool's arguments to a command's (`INVALID_PARAMS` if they are invalid); `show` formats the
    answer, if the profile has a format of its own. `shows_prose`: what it shows is a page's text, never read as JSON.
    `access` is the lowest level that any of its commands needs.
    `picks_tab`: the tab of a call (its argument or, with "answer", the one that it opened) becomes the client's current
    tab; `needs_tab`: a call without tabId goes to the current one. `parameters`: the tool's own names of the command's
    parameters; None: they are the same.
    """

    name: str
    description: str
    schema: Schema
    annotations: Mapping[str, Any]
    access: Access
    plan: Callable[[Mapping[str, Any]], PlannedCall]
    show: Show | None = None
    show_error: ShowError | None = None
    shows_prose: bool = False
    output: Schema | None = None
    needs_tab: bool = False
    picks_tab: str = ""
    parameters: Mapping[str, str] | None = None

    def listing(self, *, structured: bool) -> dict[str, Any]:
        """The entry in `tools/list`."""
        entry: dict[str, Any] = {"name": self.name, "description": self.description, "inputSchema": self.schema}
        if self.annotations:
            entry["annotations"] = dict(self.annotations)
        if structured and self.output is not None:
            entry["outputSchema"] = self.output
        return entry


def annotations_of(command: Command) -> dict[str, Any]:
    """MCP's annotations of a command, without those that equal the protocol's defaults.

    Those defaults are: not read only, destructive, not idempotent, open world.
    """
    hints: dict[str, Any] = {}
    if command.read_only:
        hints["readOnlyHint"] = True
    elif not command.destructive:
        hints["destructiveHint"] = False
    if command.idempotent and not command.read_only:
        hints["idempotentHint"] = True
    if not command.open_world:
        hints["openWorldHint"] = False
    return hints


def command_tool(command: Command) -> Tool:
    """A command as a tool: `kapturemcp_<name>`."""

    def plan(arguments: Mapping[str, Any]) -> PlannedCall:
        return PlannedCall(command=command.name, arguments=dict(arguments))

    return Tool(
        name=PREFIX + command.name,
        description=command.description,
        schema=listed_schema(command),
        annotations=annotations_of(command),
        access=command.access,
        plan=plan,
        output=output_schema(command),
        needs_tab=command.scope is Scope.TAB,
    )


def command_tools(options: Options) -> list[Tool]:
    """The `kapture` profile: every command of the chosen toolsets, in the order of declaration."""
    chosen = set(options.toolsets)
    return [command_tool(command) for command in all_commands() if command.toolset in chosen]
