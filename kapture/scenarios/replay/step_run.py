"""Running one step: substitutes placeholders, finds the element, and runs the command or check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import msgspec

from kapture.commands.core.context import HubCall
from kapture.commands.core.registry import get_command
from kapture.errors import ElementNotFound, ErrorCode, KaptureError, RefExpired
from kapture.scenarios.files.decode import target_parameter
from kapture.scenarios.model import Appearance, Check, Step, StepTarget
from kapture.scenarios.parameters.placeholders import look_up, substitute
from kapture.scenarios.record.captured import LONGEST_MESSAGE
from kapture.scenarios.replay.checks import Checker
from kapture.scenarios.replay.finding import Finder, FoundElement
from kapture.scenarios.replay.places import Places
from kapture.scenarios.replay.same_element import normalized
from kapture.scenarios.secrets.secret_origins import RunSecret, check_origin

_TRIES = 3
_WAITED_FOR = frozenset({"hidden", "gone"})


@attrs.frozen(kw_only=True)
class StepOutcome:
    """The result of a step. `found` is its element, `onto` the drop target; `hints` are what the action caused
    beside what was asked, `new_document` whether it loaded another document. `opened_tab` is the tab that `tab_new` has
    opened.
    """

    captured: Mapping[str, Any] = attrs.field(factory=dict)
    found: FoundElement | None = None
    onto: FoundElement | None = None
    hints: list[str] = attrs.field(factory=list)
    new_document: bool = False
    opened_tab: str | None = None


@attrs.frozen(kw_only=True)
class StepRunner:
    """Runs steps on one tab."""

    call: HubCall
    tab_id: str
    finder: Finder
    checker: Checker

    async def run(
        self, scenario: str, step: Step, variables: Mapping[str, Any], secrets: Mapping[str, RunSecret]
    ) -> StepOutcome:
        """Run a step of a scenario, with the secrets that it names; raises `KaptureError`, or `CheckFailedError` with
        what was found."""
        targets = _filled_in(step.targets, variables)
        if step.check is not None:
            expected = substitute(step.check.expected, variables)
            await self.checker.check(Check(kind=step.check.kind, expected=expected), targets, step.timeout)
            return StepOutcome()
        values = {name: secret.value for name, secret in secrets.items()}
        arguments = substitute(step.arguments, {**variables, **values})
        shown = substitute(step.arguments, {**variables, **{name: f"{{{{{name}}}}}" for name in secrets}})
        if step.timeout is not None:
            arguments["timeout"] = step.timeout
        if not targets:
            if step.element is not None and get_command(step.command).name == "handle_dialog":
                arguments = {"message": await self._expected_message(step.element, arguments), **arguments}
            return await self._call(step, arguments, shown, None)
        if get_command(step.command).name == "wait_for" and arguments.get("state") in _WAITED_FOR:
            return await self._call(step, {**arguments, "target": targets[0].as_argument()}, shown, None)
        texts = [str(value) for value in variables.values() if isinstance(value, str | int | float)]
        finder = attrs.evolve(self.finder, values=texts)
        places = Places(self.call, self.tab_id, finder)
        for last in (False,) * (_TRIES - 1) + (True,):
            found = await finder.find(targets, step.element, step.timeout)
            check_origin(scenario, secrets, found.seen.origin)  # the ref below is only valid in that document
            named: dict[str, Any] = {target_parameter(step.command): {"ref": found.ref}}
            onto = None
            if step.onto is not None:
                goals = _filled_in(step.onto.targets, variables)
                onto = await finder.find(goals, step.onto.element, step.timeout, "drop target")
            try:
                start = None
                if step.at is not None:
                    start = await places.point_in(found, step.at, step.element)
                    named[target_parameter(step.command)] = start
                if step.onto is not None and onto is not None:
                    named |= await places.release(found, onto, step.onto.at, start)
                done = await self._call(step, {**arguments, **named}, {**shown, **named}, found)
                return attrs.evolve(done, onto=onto)
            except (RefExpired, ElementNotFound):
                if last:
                    raise
        raise AssertionError("the last try returns or raises")

    async def _expected_message(self, wanted: Appearance, arguments: Mapping[str, Any]) -> str | None:
        """Return the text that the answered dialog must have, since another may open meanwhile; None if any may be
        dismissed.

        Raises if the one to accept asks something else than the recorded one.
        """
        if not arguments.get("accept", True):
            return None
        dialog = (await self.call("tab_info", {"tabId": self.tab_id})).data.get("dialog")
        if dialog is None:
            return wanted.text
        message = str(dialog.get("message", ""))  # a beforeunload dialog has none
        asks = message[:LONGEST_MESSAGE]
        if normalized(asks) != normalized(wanted.text):
            raise KaptureError(
                ErrorCode.ELEMENT_NOT_FOUND,
                f"The dialog is not the recorded one: it asks {asks!r}, the recorded one {wanted.text!r}.",
                hint="Nothing was answered. Record the step again if the page has changed.",
            )
        return message

    async def _call(
        self, step: Step, arguments: dict[str, Any], shown: dict[str, Any], found: FoundElement | None
    ) -> StepOutcome:
        command = get_command(step.command)
        given = {**arguments}
        if command.scope == "tab":
            given["tabId"] = self.tab_id
        if command.shows_page:
            given.setdefault("snapshot", "none")
        answer = await self.call(command.name, given, shown=shown if step.secret else None)
        captured = {name: look_up(path, answer.data) if path else answer.data for name, path in step.capture.items()}
        return StepOutcome(
            captured=captured,
            found=found,
            hints=list(answer.data.get("effects") or []),
            new_document=answer.new_document,
            opened_tab=str(answer.data["tabId"]) if command.name == "tab_new" else None,
        )


def _filled_in(targets: Sequence[StepTarget], variables: Mapping[str, Any]) -> list[StepTarget]:
    return [msgspec.convert(substitute(target.as_argument(), variables), StepTarget) for target in targets]
