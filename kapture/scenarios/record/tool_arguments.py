"""What a client called a tool of the page with, without the secrets in it: each becomes a parameter, which every run
must be given. A secret of the store is typed into fields of its own sites only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from kapture.scenarios.model import Parameter
from kapture.scenarios.parameters.placeholders import escape
from kapture.scenarios.record.recorded_addresses import unused_name
from kapture.scenarios.record.typed_in_address import Typed, kind_of

_SHORTEST = 4
"""Characters of a secret that is looked for in arguments whose names do not say that they are secret."""


@attrs.define
class ToolArguments:
    """The arguments of one recording. `secrets` are what else was typed as a secret; `parameters` gets those that
    are needed."""

    secrets: Sequence[Typed]
    parameters: dict[str, Parameter]
    _names: dict[str, str] = attrs.field(factory=dict)

    def of(self, value: Any, name: str = "") -> Any:
        """The value of the argument with this name, with placeholders."""
        if isinstance(value, Mapping):
            return {key: self.of(item, key) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item, name) for item in value]
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            return value
        if (kind := kind_of(name) or self._typed(str(value))) is not None:
            return "{{" + self._parameter(kind, value) + "}}"
        return escape(value) if isinstance(value, str) else value

    def _typed(self, text: str) -> str | None:
        found = (one.name for one in self.secrets if one.value == text and len(text) >= _SHORTEST)
        return next(found, None)

    def _parameter(self, kind: str, value: str | float) -> str:
        key = f"{kind} {value!r}"
        if key not in self._names:
            self._names[key] = unused_name(kind, [*self.parameters, *(one.name for one in self.secrets)])
            is_text = isinstance(value, str)
            self.parameters[self._names[key]] = Parameter(
                type="string" if is_text else "number", description="For a tool of the page; not kept, as it is secret."
            )
        return self._names[key]
