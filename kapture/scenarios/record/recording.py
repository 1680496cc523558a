"""One recording: what is captured on its tabs, in the order in which it happened.

A recording begins on one tab, which is its tab 1, and goes on in tabs that its pages open, which are numbered in the
order in which they open. Nothing here knows more of a tab than its number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypeGuard

import attrs
import msgspec

from kapture.commands.core.recorder import StepEdit
from kapture.errors import ErrorCode, KaptureError
from kapture.page.recording.recording import (
    AnsweredDialog,
    CapturedAction,
    Navigation,
    OpenedTab,
    RanCommand,
    RecordedEvent,
)
from kapture.scenarios.record.captured import (
    Captured,
    CapturedStep,
    of_action,
    of_command,
    of_dialog,
    of_navigation,
    updated,
)
from kapture.scenarios.record.recording_edits import edited, hidden, marked_as_secret

MOST_CAPTURED = 2_000
"""Steps of one recording; what comes after them is counted and left out."""

MOST_BYTES = 8 * 1024 * 1024
"""Limit for all steps together, as JSON."""

MOST_TABS = 20
"""Tabs of one recording; what is done in others is not in it."""

_MOST_EARLY = 50
"""Events of one tab that are kept while what has opened it is still going on."""

_OPENS_NOTHING = frozenset({"hover", "scroll", "wait_for", "tab_activate", "tab_close", ""})


@attrs.define(eq=False)
class Recording:
    """One recording. `url` is where it began; `going` until it is stopped. `full` says why nothing more is added."""

    url: str
    recorded_at: str
    captured: list[Captured] = attrs.field(factory=list)
    left_out: int = 0
    going: bool = True
    full: str = ""
    forgotten: list[CapturedStep] = attrs.field(factory=list)
    """Deleted steps that have typed a secret: it may stand in the address of another step."""
    tabs: dict[str, int] = attrs.field(factory=dict)
    """The numbers of the tabs that are there, by id."""
    _openers: dict[int, int | None] = attrs.field(factory=lambda: {1: None})
    _opened: set[int] = attrs.field(factory=lambda: {1})
    _followed: set[int] = attrs.field(factory=lambda: {1})
    _early: dict[int, list[RecordedEvent]] = attrs.field(factory=dict)
    _front: int | None = 1
    _bytes: int = 0
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))

    def edit(self, edit: StepEdit) -> None:
        """Delete or change a step."""
        if edit.delete and self.going:
            self._check_opens_no_open_tab(edit.step)
        before, self.captured = self.captured, edited(self.captured, edit)
        if edit.delete:
            self.forgotten += [item for item in before if _types_secret(item) and not self._types(item)]
        self._bytes = sum(map(_size, (*self.captured, *self.forgotten)))
        if self._bytes < MOST_BYTES and len(self.captured) < MOST_CAPTURED:
            self.full = ""

    def _types(self, step: CapturedStep) -> bool:
        """Whether a step still types this secret, or one was deleted before that did."""
        others = (*self.captured, *self.forgotten)
        return any(isinstance(item, CapturedStep) and item.secret_value == step.secret_value for item in others)

    def begins(self, tab_id: str) -> bool:
        """Whether a tab that was opened has not been recorded before; asked once of each page of a tab."""
        number = self.tabs[tab_id]
        new = number not in self._followed
        self._followed.add(number)
        return new

    def join(self, tab_id: str, opener: str) -> bool:
        """Go on in this tab too, which one of its tabs has opened; whether it does."""
        if len(self._openers) >= MOST_TABS:
            return False
        number = len(self._openers) + 1
        self._openers[number] = self.tabs[opener]
        self.tabs[tab_id] = number
        return True

    def leave(self, tab_id: str, *, closed: bool) -> None:
        """The tab is not there any more. `closed`: it was closed, and not only disconnected."""
        number = self.tabs.pop(tab_id)
        if not (closed and self.going and self.tabs and number in self._opened):
            return
        self.add(CapturedStep(command="tab_close", tab=number))
        self._front = self._openers[number]

    def take(self, event: RecordedEvent, tab: int = 1) -> None:
        """Something happened on the page of the tab with this number."""
        if tab not in self._opened:  # what has opened it is still going on, and comes first
            self._hold(event, tab)
            return
        match event:
            case CapturedAction():
                self._take_action(event, tab)
            case RanCommand(command="tab_close"):
                return  # once it is closed
            case RanCommand():
                self.add(attrs.evolve(of_command(event), tab=tab))
                self._front = tab if event.command == "tab_activate" else self._front
            case AnsweredDialog():
                self._add_persons(attrs.evolve(of_dialog(event), tab=tab))
            case Navigation():
                self._take_navigation(attrs.evolve(of_navigation(event), tab=tab))
            case OpenedTab():
                self._take_tab(event)

    def add(self, item: Captured) -> None:
        """Put something at the end."""
        size = _size(item)
        if not self._has_room(size, steps=1):
            return
        if isinstance(item, CapturedStep) and not item.id:
            item = attrs.evolve(item, id=f"hub-{next(self._numbers)}")
        self._bytes += size
        self.captured.append(item)

    def _add_persons(self, step: CapturedStep) -> None:
        """A step that a person has done, who must have gone to its tab."""
        if step.tab != self._front:
            self.add(CapturedStep(command="tab_activate", tab=step.tab))
            self._front = step.tab
        self.add(step)

    def _take_action(self, action: CapturedAction, tab: int) -> None:
        if action.withdrawn:
            self._take_back(action.id)
            return
        if not action.command:
            self._update(action)
            return
        step = attrs.evolve(of_action(action), tab=tab)
        if action.replaces is not None and (replaced := self._take_back(action.replaces)) is not None:
            step = attrs.evolve(step, opens=replaced.opens)
        self._add_persons(hidden(step) if marked_as_secret(self.captured, step) else step)

    def _take_back(self, action_id: str) -> CapturedStep | None:
        """Remove the step of an action, unless a person has deleted it."""
        for item in self.captured:
            if isinstance(item, CapturedStep) and item.id == action_id:
                self.captured.remove(item)
                self._bytes -= _size(item)
                return item
        return None

    def _take_navigation(self, item: Captured) -> None:
        if isinstance(item, CapturedStep):
            self._add_persons(item)
            return
        for index, step in enumerate(self.captured):
            if not isinstance(step, CapturedStep) or step.arguments:
                continue
            if step.opens == item.tab and step.command == "tab_new":
                self.captured[index] = attrs.evolve(step, arguments={"url": item.url})
                self._bytes += _size(self.captured[index]) - _size(step)
                return
        self.add(item)

    def _update(self, action: CapturedAction) -> None:
        for number in reversed(range(len(self.captured))):
            step = self.captured[number]
            if isinstance(step, CapturedStep) and step.id == action.id:
                changed = updated(step, action)
                if self._has_room(more := _size(changed) - _size(step), steps=0):
                    self.captured[number] = changed
                    self._bytes += more
                return

    def _hold(self, event: RecordedEvent, tab: int) -> None:
        """Keep it until the step that has opened its tab is there."""
        early = self._early.setdefault(tab, [])
        if len(early) < _MOST_EARLY and not self.full:
            early.append(event)
        else:
            self.left_out += 1

    def _take_tab(self, event: OpenedTab) -> None:
        """The step that has opened a tab, the last one of its opener, is the one that a run waits for the tab after."""
        number = self.tabs.get(event.tab_id)
        if number is None or number in self._opened:
            return
        opener = self._openers[number] or 1
        for index in reversed(range(len(self.captured))):
            step = self.captured[index]
            if isinstance(step, CapturedStep) and step.tab == opener and step.command not in _OPENS_NOTHING:
                if step.opens is None:
                    self.captured[index] = attrs.evolve(step, opens=number)
                    self._opened.add(number)
                break
        if number not in self._opened:  # nothing that was done has opened it, or that has opened another one
            self.add(CapturedStep(command="tab_new", tab=opener, opens=number))
            if self.full:
                return
            self._opened.add(number)
        self._front = number
        for early in self._early.pop(number, ()):
            self.take(early, number)

    def _has_room(self, size: int, *, steps: int) -> bool:
        """Whether so much more fits; else it is counted as left out, and so is all that comes after it."""
        if self.full and (steps or size > 0):
            pass
        elif len(self.captured) + steps > MOST_CAPTURED:
            self.full = f"it has {MOST_CAPTURED:,} steps, the most that a recording may have"
        elif self._bytes + size > MOST_BYTES:
            self.full = f"its steps take {MOST_BYTES // 1024 // 1024} MB, the most that a recording may take"
        else:
            return True
        self.left_out += 1
        return False

    def _check_opens_no_open_tab(self, step_id: str) -> None:
        for step in self.captured:
            if isinstance(step, CapturedStep) and step.id == step_id and step.opens in self.tabs.values():
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    f"{step.title!r} opens tab {step.opens}, which is being recorded.",
                    hint="Stop the recording, or close that tab, before you delete the step.",
                    quotes_page=True,
                )


def _types_secret(item: Captured) -> TypeGuard[CapturedStep]:
    return isinstance(item, CapturedStep) and bool(item.secret_value)


def _size(item: Captured) -> int:
    return len(msgspec.json.encode(item))
