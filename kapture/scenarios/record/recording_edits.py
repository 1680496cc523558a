"""Editing a recording before it is saved: deleting a step, changing its value, or keeping it as a secret.

Pure functions over recorded items. A person edits the steps as they would be saved, so those replace the items that
they were joined from; items that may still be joined with the next action stay as recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from kapture.commands.core.recorder import StepEdit
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.record.captured import Captured, CapturedStep, PageChange, is_wait_for, same_element
from kapture.scenarios.record.optimizer import optimize

VALUE_ARGUMENTS = ("value", "text", "label", "url", "key")
"""The arguments with what was typed, chosen, opened or pressed; a step has at most one of them."""

LONGEST_SHOWN = 2_000
"""Limit of a value in characters; all steps are sent again with each change."""

_TYPED = frozenset({"fill", "type", "paste"})
SECRET = "secret"  # noqa: S105  the kind of secret, and so its name


def edited(captured: Sequence[Captured], edit: StepEdit) -> list[Captured]:
    """The recorded items with this edit; `INVALID_PARAMS` if there is no such step or it cannot be edited in this
    way."""
    if edit.delete:
        return _with(captured, edit.step, lambda step: [])
    if edit.secret:
        return _with(captured, edit.step, lambda step: [_kept_secret(step)])
    if edit.value is not None:
        value = edit.value
        return _with(captured, edit.step, lambda step: [_with_value(step, value)])
    raise _refused("An edit needs delete, value or secret.", "Say what to do with the step.")


def shown_value(step: CapturedStep) -> str | None:
    """The value of a step that a person may read and change; None if there is none, for secrets, and for long texts."""
    if step.secret is not None:
        return None
    key = _value_key(step)
    value = step.arguments.get(key) if key is not None else step.check.expected if step.check is not None else None
    return value if isinstance(value, str) and len(value) <= LONGEST_SHOWN else None


def hidden(step: CapturedStep) -> CapturedStep:
    """The step with what it types as a secret; unchanged if it types nothing or is a secret already."""
    key = _value_key(step)
    if step.secret is not None or step.command not in _TYPED or key is None:
        return step
    arguments = {name: value for name, value in step.arguments.items() if name != key}
    return attrs.evolve(step, arguments=arguments, secret=SECRET, secret_value=step.arguments[key])


def marked_as_secret(captured: Sequence[Captured], step: CapturedStep) -> bool:
    """Whether the person has marked the field that a step types into as a secret."""
    return any(
        isinstance(item, CapturedStep) and item.secret == SECRET and same_element(item, step) for item in captured
    )


def _with(
    captured: Sequence[Captured], key: str, change: Callable[[CapturedStep], list[CapturedStep]]
) -> list[Captured]:
    whole, tail = _settled(captured)
    steps = optimize(whole)
    if not any(step.id == key for step in steps):
        steps, tail = optimize(captured), []
    if not any(step.id == key for step in steps):
        raise _refused(f"The recording has no step {key!r}.", "record_stop lists the steps that there are.")
    found: list[Captured] = []
    gone: set[str] = set()
    for step in steps:
        if step.id != key:
            found.append(step)
            continue
        changed = change(step)
        if not changed:
            gone |= {other.id for other in steps if is_wait_for(other, step)}  # what it waited for comes from this step
            _check_unused_tab(step, [other for other in steps if other.id not in gone], tail)
        found += changed
    return [step for step in found if isinstance(step, PageChange) or step.id not in gone] + list(tail)


def _check_unused_tab(step: CapturedStep, others: Sequence[CapturedStep], tail: Sequence[Captured]) -> None:
    if step.opens is not None and any(other.tab == step.opens for other in (*others, *tail)):
        raise _refused(
            f"{step.title!r} opens tab {step.opens}, in which other steps work.", "Delete the steps in that tab first."
        )


def _settled(captured: Sequence[Captured]) -> tuple[Sequence[Captured], Sequence[Captured]]:
    """Splits off the items that no later action can be joined with: a navigation may follow, or a hover open a menu."""
    end = len(captured)
    while end and _open_ended(captured[end - 1]):
        end -= 1
    return captured[:end], captured[end:]


def _open_ended(item: Captured) -> bool:
    return isinstance(item, PageChange) or item.command == "hover"


def _with_value(step: CapturedStep, value: str) -> CapturedStep:
    if shown_value(step) is None:
        why = "it is a secret" if step.secret is not None else "it has none, or a long text"
        raise _refused(f"The value of {step.title!r} cannot be changed: {why}.", "Delete the step, or record it again.")
    if step.check is not None:
        return attrs.evolve(step, check=type(step.check)(kind=step.check.kind, expected=value))
    return attrs.evolve(step, arguments={**step.arguments, str(_value_key(step)): value})


def _kept_secret(step: CapturedStep) -> CapturedStep:
    secret = hidden(step)
    if secret.secret is None:
        raise _refused(f"{step.title!r} cannot be a secret: it types nothing.", "Only what is typed can be one.")
    return secret


def _value_key(step: CapturedStep) -> str | None:
    return next((key for key in VALUE_ARGUMENTS if isinstance(step.arguments.get(key), str)), None)


def _refused(message: str, hint: str) -> KaptureError:
    """A step's title is made of its page's words."""
    return KaptureError(ErrorCode.INVALID_PARAMS, message, hint=hint, quotes_page=True)
