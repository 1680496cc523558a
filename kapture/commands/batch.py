"""Running several commands on one tab in one call."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer, Blob, bounded
from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout
from kapture.commands.core.registry import Access, Scope, command, get_command
from kapture.commands.scripts.ahead import ScriptsAhead
from kapture.errors import Cancelled, ErrorCode, KaptureError


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

    def text_within(self, limit: int) -> str:
        """The text, with an equal share of the limit for each step whose answer is longer than that."""
        text = self.text()
        if len(text) <= limit:
            return text
        share, room, left = 0, limit - 60 * len(self.steps), len(self.steps)
        for length in sorted(len(_indented(step.text)) for step in self.steps):
            share = max(100, room // left)
            room, left = room - min(length, share), left - 1
        return self._written(share)

    def text(self) -> str:
        """A heading, then each step with its answer below it."""
        return self._written(None)

    def _written(self, share: int | None) -> str:
        skipped = len(self.steps) - self.done - self.failed
        counts = [f"{self.done} done"]
        if self.failed:
            counts.append(f"{self.failed} failed")
        if skipped:
            counts.append(f"{skipped} skipped")
        lines = [f"{len(self.steps)} step{'' if len(self.steps) == 1 else 's'}: {', '.join(counts)}"]
        for number, step in enumerate(self.steps, 1):
            result = f": {_indented(step.text)}" if step.text else ""
            status = "" if step.status == "done" else f" {step.status}"
            lines.append(f"{number}. {step.command}{status}{result if share is None else bounded(result, share)}")
        return "\n".join(lines)

    def summary(self) -> str:
        """Nothing: what its steps did is recorded with each."""
        return ""

    def parts(self) -> tuple[Blob, ...]:
        """Images and files of all steps, in order."""
        return self.blobs


def _indented(text: str) -> str:
    return text.replace("\n", "\n   ")


MAX_STEPS = 100
BATCH_TIMEOUT_MS = 300_000
_TO_END_S = 1.5  # for stopping a script that is busy


@attrs.frozen(kw_only=True)
class Step:
    """One command and its arguments."""

    command: Annotated[str, Meta(description="Such as click, drag, upload.")]
    arguments: Annotated[dict[str, Any], Meta(description="Arguments of the command, without tabId.")] = attrs.field(
        factory=dict
    )


@attrs.frozen(kw_only=True)
class Batch:
    """Run several commands in a row."""

    steps: Annotated[list[Step], Meta(min_length=1, max_length=MAX_STEPS, description="Commands in their order.")]
    stop_on_error: Annotated[bool, Meta(description="Stop at a failure.")] = True


# It reads and acts as its steps do; policy judges each of them separately.
@command("batch", access=Access.READ, acts=True, destructive=True, timeout_ms=BATCH_TIMEOUT_MS, long=True)
async def batch(tab: TabContext, params: Batch) -> BatchResult:
    """Run the steps, after checking all of them."""
    for number, step in enumerate(params.steps, 1):
        _check(step, number, tab.tab_id)
    calls = [(step.command, _arguments(step)) for step in params.steps]
    results: list[StepResult] = []
    blobs: list[Blob] = []
    with before_timeout(_TO_END_S) as patience, ScriptsAhead(tab, calls) as scripts:
        for number, step in enumerate(params.steps):
            await tab.progress(number, len(params.steps), f"step {number + 1} of {len(params.steps)}: {step.command}")
            with scripts.turn_of(number):
                result = await _run(tab, *calls[number], blobs)
            results.append(result)
            if result.status == "failed" and params.stop_on_error:
                break
    if patience.ran_out:
        unfinished = params.steps[len(results)].command
        results.append(
            StepResult(
                command=unfinished,
                status="failed",
                text=f"{ErrorCode.COMMAND_TIMEOUT}: The batch timed out during this step, which may have taken effect.",
                error={"code": str(ErrorCode.COMMAND_TIMEOUT), "message": "The batch timed out during this step."},
            )
        )
    results += [StepResult(command=step.command, status="skipped") for step in params.steps[len(results) :]]
    return BatchResult(
        steps=results,
        done=sum(result.status == "done" for result in results),
        failed=sum(result.status == "failed" for result in results),
        blobs=tuple(blobs),
    )


async def _run(tab: TabContext, command: str, arguments: dict[str, Any], blobs: list[Blob]) -> StepResult:
    try:
        result = await tab.invoke(command, arguments, settles=tab.shows_page)
    except Cancelled:
        raise
    except KaptureError as error:
        return StepResult(
            command=command,
            status="failed",
            text=str(error),
            error={"code": str(error.code), "message": error.message, "hint": error.hint, "data": error.data},
        )
    blobs += result.parts
    tab.did = ", ".join(filter(None, (tab.did, result.did)))
    return StepResult(command=command, status="done", text=result.text, data=result.data)


def _arguments(step: Step) -> dict[str, Any]:
    """The step's arguments, by default without a snapshot: the batch's own comes at the end."""
    arguments = {key: value for key, value in step.arguments.items() if key != "tabId"}
    if get_command(step.command).shows_page:
        arguments.setdefault("snapshot", "none")
    return arguments


def _check(step: Step, number: int, tab_id: str) -> None:
    found = get_command(step.command)
    if found.scope is not Scope.TAB or found.name == "batch":
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"Step {number}: {found.name} cannot run in a batch.",
            hint="Steps are commands that work on a tab; call other commands by themselves.",
            data={"step": number, "command": found.name},
        )
    if step.arguments.get("tabId", tab_id) != tab_id:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"Step {number} names another tab; a batch works on one tab.",
            hint="Leave tabId out of the steps.",
            data={"step": number},
        )
