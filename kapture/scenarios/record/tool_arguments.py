"""Arguments of a page's tool without their secrets: each becomes a parameter, which every run
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
        """The value of the argument with this name, with placeholders. In what has the name of a secret, all is one."""
        if isinstance(value, Mapping):
            return {key: self.of(item, key if kind_of(key) else name) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item, name) for item in value]
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            return value
        if (kind := kind_of(name)) is not None:
            return self._placeholder(kind, value)
        if isinstance(value, str):
            return self._text(value)
        equal = [one for one in self._looked_for() if one.value == str(value)]
        return self._placeholder(equal[0].name, value) if equal else value

    def _text(self, text: str) -> str:
        """The text, with placeholders for what was typed as a secret and stands in it."""
        found = [one for one in self._looked_for() if one.value in text]
        if not found:
            return escape(text)
        longest = max(found, key=lambda one: len(one.value))
        before, _, after = text.partition(longest.value)
        return self._text(before) + self._placeholder(longest.name, longest.value) + self._text(after)

    def _looked_for(self) -> list[Typed]:
        return [one for one in self.secrets if len(one.value) >= _SHORTEST]

    def _placeholder(self, kind: str, value: str | float) -> str:
        return "{{" + self._parameter(kind, value) + "}}"

    def _parameter(self, kind: str, value: str | float) -> str:
        key = f"{kind} {value!r}"
        if key not in self._names:
            self._names[key] = unused_name(kind, [*self.parameters, *(one.name for one in self.secrets)])
            is_text = isinstance(value, str)
            self.parameters[self._names[key]] = Parameter(
                type="string" if is_text else "number", description="For a tool of the page; not kept, as it is secret."
            )
        return self._names[key]
