"""A form after it was filled."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class FieldResult:
    """One field: its description, or why it could not be filled."""

    field: str
    filled: bool
    note: str | None = None
    error: dict[str, str] | None = None


@attrs.frozen(kw_only=True)
class FormFilled(Answer):
    """Every field's result, in order."""

    results: list[FieldResult]
    submitted: str

    def text(self) -> str:
        """Failures in full, the rest as a count, with what the page changed."""
        good = [result for result in self.results if result.filled]
        lines = [f"filled {len(good)} of {len(self.results)} fields"]
        lines += [f"  {result.field}: {result.note}" for result in good if result.note]
        lines += [
            f"  not filled: {result.field}: {result.error['code']}: {result.error['message']}"
            for result in self.results
            if result.error
        ]
        return "\n".join([*lines, self.submitted] if self.submitted else lines)
