"""The one registry of commands.

A command is declared once, next to its handler. MCP tools, JSON Schemas, the CLI, the Console's and the
panel's forms and `docs/TOOLS.md` are made from what is registered here; none of them lists commands by hand.

    @attrs.frozen(kw_only=True)
    class Hover:
        '''Move the pointer over an element.'''
        target: Target

    @command("hover", access=Access.INTERACT, acts=True)
    async def hover(tab: TabContext, params: Hover) -> Hovered:
        ...

The parameter class's docstring is the description that models read: one short line, then details if needed.
Each attribute is `Annotated[type, Meta(description=…, ge=…)]`; defaults make it optional.
"""

from __future__ import annotations

import difflib
import enum
import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar, get_type_hints

import attrs

from kapture.errors import ErrorCode, KaptureError


class Access(enum.IntEnum):
    """The access level that a command requires (docs/SECURITY.md). Ordered."""

    NONE = 0  # reveals nothing of any page: status, list_tabs (which shows only what is granted)
    READ = 1
    INTERACT = 2
    FULL = 3


class Lane(enum.StrEnum):
    """`page` commands wait for their turn in the tab's queue; `control` commands run at once."""

    PAGE = "page"
    CONTROL = "control"


class Scope(enum.StrEnum):
    """`tab` commands run on one tab and take `tabId`; `hub` commands do not."""

    TAB = "tab"
    HUB = "hub"


DEFAULT_TIMEOUT_MS = 30_000
SLOW_TIMEOUT_MS = 50_000  # navigate, screenshot, wait_for, download

Handler = Callable[[Any, Any], Awaitable[Any]]
_H = TypeVar("_H", bound=Handler)


@attrs.frozen(kw_only=True)
class Command:
    """One command, as declared. `name` has no prefix; the MCP tool is `kapturemcp_<name>`."""

    name: str
    params: type
    handler: Handler
    access: Access
    lane: Lane
    scope: Scope
    timeout_ms: int
    toolset: str
    acts: bool  # it changes the page: its answer reports the outcome
    shows_page: bool  # it takes `snapshot`: its answer ends with the page, or its changes
    destructive: bool
    idempotent: bool
    open_world: bool
    reads_page: bool  # its answer contains page text, which must be marked as untrusted
    long: bool = False  # its answer can be long: `max_chars` and `save_to` are listed for models

    @property
    def description(self) -> str:
        """The description for models and people."""
        return inspect.cleandoc(self.params.__doc__ or "")

    @property
    def title(self) -> str:
        """A short human name: `go_back` → `Go back`."""
        return self.name.replace("_", " ").capitalize()

    @property
    def read_only(self) -> bool:
        """Whether it leaves page, browser and stored scenarios unchanged."""
        return self.access <= Access.READ and not (self.acts or self.destructive)


_registry: dict[str, Command] = {}


def command(
    name: str,
    *,
    access: Access,
    lane: Lane = Lane.PAGE,
    scope: Scope = Scope.TAB,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
    toolset: str = "core",
    acts: bool = False,
    shows_page: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    open_world: bool = True,
    reads_page: bool = True,
    long: bool = False,
) -> Callable[[_H], _H]:
    """Register `async def handler(context, params: ParamsClass) -> Answer`. The answer of an action shows the page."""

    def register(handler: _H) -> _H:
        if name in _registry:
            raise ValueError(f"command {name!r} is declared twice")
        hints = get_type_hints(handler, include_extras=True)
        hints.pop("return", None)
        params = list(hints.values())[-1]
        if not attrs.has(params):
            raise TypeError(f"the parameters of command {name!r} must be an attrs class")
        _registry[name] = Command(
            name=name,
            params=params,
            handler=handler,
            access=access,
            lane=lane,
            scope=scope,
            timeout_ms=timeout_ms,
            toolset=toolset,
            acts=acts,
            shows_page=acts or shows_page,
            destructive=destructive,
            idempotent=idempotent,
            open_world=open_world,
            reads_page=reads_page,
            long=long,
        )
        return handler

    return register


def get_command(name: str) -> Command:
    """The command with this name, with or without the `kapturemcp_` prefix; `UNKNOWN_COMMAND` if there is none."""
    bare = name.removeprefix("kapturemcp_")
    found = _registry.get(bare)
    if found is None:
        suggestions = difflib.get_close_matches(bare, _registry, n=3)
        hint = f"Did you mean {', '.join(suggestions)}?" if suggestions else "List the tools to see what there is."
        raise KaptureError(
            ErrorCode.UNKNOWN_COMMAND, f"There is no command {bare!r}.", hint=hint, data={"suggestions": suggestions}
        )
    return found


def unregister(name: str) -> None:
    """Remove a command, for tests that declare one."""
    del _registry[name]


def all_commands() -> Iterator[Command]:
    """Every command, in the order of declaration."""
    return iter(tuple(_registry.values()))
