"""A recording's items: a step for each action, command and answered dialog, and a mark for each navigation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import msgspec

from kapture.page.recording.recording import AnsweredDialog, CapturedAction, Navigation, RanCommand
from kapture.scenarios.model import Appearance, Check, Destination, StepTarget

MOST_TARGETS = 8
"""Ways to find one element."""
LONGEST_MESSAGE = 10_000
"""Characters of a dialog's message that are recorded and compared."""
_MOST_SHOWN = 120
"""Characters of one value in a step's title."""
_SHOWN = frozenset({"name", "url", "key", "label", "count", "button"})
_OF_TABS = {"tab_activate": "change to", "tab_close": "close"}


@attrs.frozen(kw_only=True)
class CapturedStep:
    """One step as it was recorded. `secret` is the kind of secret that it types (`password`), whose value is
    `secret_value` and in no argument, into a document of `origin`. `document` is empty if it is not known. `id` is that
    of the action which it came from. `tab` and `opens` are numbers of tabs, as in a scenario's step. `click`: see
    `RanCommand`."""

    command: str = ""
    check: Check | None = None
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    targets: Sequence[StepTarget] = ()
    element: Appearance | None = None
    at: Sequence[float] | None = None
    onto: Destination | None = None
    secret: str | None = None
    secret_value: str | None = attrs.field(default=None, repr=False)
    origin: str = ""
    document: str = ""
    id: str = ""
    tab: int = 1
    opens: int | None = None
    click: CapturedStep | None = None

    @property
    def title(self) -> str:
        """For people, and therefore short: `fill textbox "City"`."""
        if self.command in _OF_TABS:
            return f"{_OF_TABS[self.command]} tab {self.tab}"
        return self._what if self.tab == 1 else f"{self._what} in tab {self.tab}"

    @property
    def _what(self) -> str:
        if self.check is not None:
            expected = "" if self.check.expected is None else f" {_cut(self.check.expected)}"
            return f"check {self.check.kind}{expected}{self._where}"
        what = "".join(f" {_cut(value)}" for key, value in self.arguments.items() if key in _SHOWN)
        return f"{self.command.replace('_', ' ')}{what}{self._where}"

    @property
    def _where(self) -> str:
        if self.element is not None and (self.element.role or self.element.tag):
            onto = None if self.onto is None else self.onto.element
            return f" {_shown(self.element)}" + ("" if onto is None else f" onto {_shown(onto)}")
        return ""


@attrs.frozen(kw_only=True)
class PageChange:
    """The page navigated after the previous step."""

    url: str
    same_document: bool = False
    tab: int = 1


Captured: TypeAlias = CapturedStep | PageChange


def of_action(action: CapturedAction) -> CapturedStep:
    """The step for a person's action."""
    return attrs.evolve(_step(action), id=action.id)


def of_command(ran: RanCommand) -> CapturedStep:
    """The step for a client's command."""
    click = None if ran.click is None else of_command(ran.click)
    return attrs.evolve(_step(ran), secret_value=ran.secret_value, click=click)


def of_dialog(answered: AnsweredDialog) -> CapturedStep:
    """The step for a dialog that a person has answered."""
    given = {"text": answered.text} if answered.text is not None else {}
    asked = Appearance(text=message) if (message := answered.dialog.message[:LONGEST_MESSAGE]) else None
    return CapturedStep(command="handle_dialog", arguments={"accept": answered.accepted, **given}, element=asked)


def of_navigation(navigation: Navigation) -> Captured:
    """The item for a navigation: a step if the person entered the URL."""
    match navigation.cause:
        case "address":
            return CapturedStep(command="navigate", arguments={"url": navigation.url})
        case "reload":
            return CapturedStep(command="reload")
        case "page":
            return PageChange(url=navigation.url, same_document=navigation.same_document)


def updated(step: CapturedStep, message: CapturedAction) -> CapturedStep:
    """The step with its field's latest value."""
    if message.secretValue is not None or step.secret is not None:
        return attrs.evolve(step, secret_value=message.value if message.secretValue is None else message.secretValue)
    return attrs.evolve(step, arguments={**step.arguments, "value": message.value})


def wait_id(step: CapturedStep, *, opened: bool = False) -> str:
    """The id of the wait for what a step has led to, in its own tab or in the one that it has opened."""
    return f"{step.id}.opened" if opened else f"{step.id}.wait"


def is_wait_for(step: CapturedStep, cause: CapturedStep) -> bool:
    """Whether a step is the wait for what another one has led to."""
    return step.id in (wait_id(cause), wait_id(cause, opened=True))


def same_element(one: CapturedStep, other: CapturedStep) -> bool:
    """Whether two steps act on the same element, judging by their targets: they share a sufficiently unique one."""
    if not one.targets or not other.targets:
        return False
    return any(target in other.targets for target in one.targets)


def in_other_documents(one: CapturedStep, other: CapturedStep) -> bool:
    """Whether two steps act in different documents: of frames that load one page, elements have the same targets."""
    return bool(one.document and other.document) and one.document != other.document


def _shown(element: Appearance) -> str:
    named = element.name or element.text
    return (element.role or element.tag) + (f' "{_cut(named)}"' if named else "")


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


def _step(done: CapturedAction | RanCommand) -> CapturedStep:
    return CapturedStep(
        command=done.command,
        arguments=dict(done.arguments),
        targets=_targets(done.targets),
        element=_appearance(done.element),
        at=done.at,
        onto=_destination(done.onto),
        secret=done.secret,
        origin=done.origin,
        document=done.document,
    )


def _targets(targets: Sequence[Mapping[str, Any]]) -> list[StepTarget]:
    known = {field.name for field in msgspec.structs.fields(StepTarget)}
    fitting = [target for target in targets if target.keys() <= known]
    return [msgspec.convert(target, StepTarget) for target in fitting[:MOST_TARGETS]]


def _destination(onto: Mapping[str, Any] | None) -> Destination | None:
    targets = [] if onto is None else _targets(onto["targets"])
    if not onto or not targets:
        return None
    return Destination(targets=targets, element=_appearance(onto.get("element")), at=onto.get("at"))


def _appearance(element: Mapping[str, Any] | None) -> Appearance | None:
    return None if element is None else msgspec.convert(element, Appearance)
