"""A form after it was filled."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from kapture.commands.core.answer import Answer
from kapture.errors import ErrorCode, KaptureError


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


def none_filled(results: Sequence[FieldResult]) -> KaptureError:
    """The error of a form of which no field could be filled: that of its first field, with all of them in `data`."""
    first = next(result.error for result in results if result.error)
    several = f"None of the {len(results)} fields could be filled. The first error: "
    return KaptureError(
        ErrorCode(first["code"]),
        f"{several if len(results) > 1 else ''}{first['message']}",
        hint=first["hint"],
        data={"fields": [{"field": result.field, "error": result.error} for result in results]},
    )
