"""The answers of a batch, step by step."""

from __future__ import annotations

from typing import Any

import attrs

from kapture.commands.core.answer import Answer, Blob


@attrs.frozen(kw_only=True)
class StepResult:
    """The result of one step. `status` is "done", "failed" or "skipped"."""

    command: str
    status: str
    text: str = ""
    data: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


@attrs.frozen(kw_only=True)
class BatchResult(Answer):
    """Every step with its answer, in order."""

    steps: list[StepResult]
    done: int
    failed: int
    blobs: tuple[Blob, ...] = ()

    def text(self) -> str:
        """A heading, then each step with its answer below it."""
        skipped = len(self.steps) - self.done - self.failed
        counts = [f"{self.done} done"]
        if self.failed:
            counts.append(f"{self.failed} failed")
        if skipped:
            counts.append(f"{skipped} skipped")
        lines = [f"{len(self.steps)} step{'' if len(self.steps) == 1 else 's'}: {', '.join(counts)}"]
        for number, step in enumerate(self.steps, 1):
            first, *rest = step.text.split("\n")
            result = f": {first}" if first else ""
            lines.append(f"{number}. {step.command}{'' if step.status == 'done' else f' {step.status}'}{result}")
            lines += [f"   {line}" for line in rest]
        return "\n".join(lines)

    def parts(self) -> tuple[Blob, ...]:
        """Images and files of all steps, in order."""
        return self.blobs
