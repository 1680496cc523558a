"""Which methods and events of the Chrome DevTools Protocol may pass on a tab.

One table, `rules.json`, is enforced here for what clients send themselves (`kapture.commands.cdp`) and in the extension
for everything (`extension/worker/gate/cdp_rules.js`). A tab whose grant names sites may hold documents of other sites,
in its frames and even in the process of the granted document. So with such a grant the table is an allow-list: a method
or event that it does not list needs a grant of any site.

`level`: `open` reveals nothing of a document and changes nothing in it; `read`, `interact` and `full` are levels of a
grant; `never`: affects more than the tab.
`span`: what a method affects or an event reports on: the addressed `document`, all documents of the `session`, the
whole `tab`, or the `browser`.
`named`: who may use it on a grant of named sites: a `client`; only the `engine`, Kapture's own commands, which leave
out what is not granted; or `no` one.
`params`: what each parameter names. `plain`: no site, file, document or credential. `engine`: only Kapture's own
commands may use it. Where a client may send a method, unlisted parameters are refused.
`owner`: how the document that an event belongs to is found. `outside`: it also passes outside the grant; `destination`:
it passes if it leads inside.
`code`: needs `full` in the page's own world, and `read` in the agent's.
`undo`: of the settings that last as long as their session, the command that undoes each: it passes on every grant.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Literal, TypeAlias

import attrs
import msgspec

Level: TypeAlias = Literal["open", "read", "interact", "full", "never"]
Span: TypeAlias = Literal["document", "session", "tab", "browser"]
Named: TypeAlias = Literal["client", "engine", "no"]
ParamKind: TypeAlias = Literal[
    "plain", "engine", "site", "domain", "cookies", "file", "drag", "frame", "context", "object", "arguments", "request"
]
ResultKind: TypeAlias = Literal["cookies", "history", "target"]
Owner: TypeAlias = Literal[
    "none", "main", "frame", "context", "dialog", "entry", "request", "download", "tools", "invocation", "session"
]


@attrs.frozen(kw_only=True)
class MethodRule:
    """One method. `params` None: its parameters are not restricted."""

    level: Level
    span: Span
    named: Named
    params: Mapping[str, ParamKind] | None = None
    required: Sequence[str] = ()
    result: Mapping[str, ResultKind] = attrs.field(factory=dict)
    code: bool = False
    outside: Literal["destination"] | None = None


@attrs.frozen(kw_only=True)
class EventRule:
    """One event. `answer`: the page is paused until the event is answered."""

    span: Span
    owner: Owner
    named: Named
    outside: bool = False
    answer: bool = False


@attrs.frozen(kw_only=True)
class Undo:
    """The command that undoes a setting."""

    method: str
    params: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class CdpRules:
    """The whole table. Methods and events of `domains` never pass."""

    domains: Mapping[str, Literal["never"]]
    methods: Mapping[str, MethodRule]
    events: Mapping[str, EventRule]
    undo: Mapping[str, Undo]

    def method(self, name: str) -> MethodRule:
        """The rule for a method; an unlisted one needs a grant of any site."""
        if (rule := self.methods.get(name)) is not None:
            return rule
        return _NEVER if name.partition(".")[0] in self.domains else _UNLISTED_METHOD

    def event(self, name: str) -> EventRule:
        """The rule for an event; an unlisted one needs a grant of any site."""
        return self.events.get(name, _UNLISTED_EVENT)


_NEVER = MethodRule(level="never", span="browser", named="no")
_UNLISTED_METHOD = MethodRule(level="full", span="browser", named="no")
_UNLISTED_EVENT = EventRule(span="session", owner="session", named="no")


@functools.cache
def cdp_rules() -> CdpRules:
    """The table, read once and cached."""
    return msgspec.json.decode(resources.files("kapture.cdp").joinpath("rules.json").read_bytes(), type=CdpRules)
