"""Fields after they were filled."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer
from kapture.snapshot.quoting import quote

_LONGEST = 200
"""Of the label of an option, in characters."""


@attrs.frozen(kw_only=True)
class Filled(Answer):
    """The field. `note` says what the page made of the value, if it changed it."""

    element: str
    ref: str
    note: str | None = None

    def text(self) -> str:
        """One line."""
        return f"filled {self.element}" + (f"; {self.note}" if self.note else "")


@attrs.frozen(kw_only=True)
class Selected(Answer):
    """The options that are chosen now. `note`: what the page made of the choice, if it is another one."""

    element: str
    ref: str
    selected: list[str]
    note: str | None = None

    def text(self) -> str:
        """One line."""
        chosen = ", ".join(quote(label, _LONGEST) for label in self.selected) or "nothing"
        return (
            f"{self.element} did not keep the choice: {self.note}"
            if self.note
            else f"selected {chosen} in {self.element}"
        )
