"""How far the steps of a batch wait for their effects: the last one as it would alone, if the batch shows the page, and
the others as far as the next step depends on what the page shows.

A step whose next one does not depend on that does not wait for timers: a ref names one element whatever comes, and a
field that is to be filled is waited for by the step that fills it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.commands.core.context import StepPage, TabContext
from kapture.commands.core.page_after import page_now
from kapture.commands.core.registry import Command, Lane, get_command
from kapture.page.documents.ref import parse_ref

_WAIT_THEMSELVES = frozenset({"wait_for", "wait_for_function"})
_OF_NO_PAGE = frozenset({"navigate", "reload", "emulate", "network_conditions", "route", "tab_new"})
"""What they do does not depend on what the page shows."""
_ON_A_REF = frozenset({"click", "hover", "fill", "type", "paste", "upload"})
"""They work on the element of a ref, if they are given one, and on nothing else."""
_FILL = frozenset({"fill", "upload"})
"""They work on a field, which stays what it is while the page goes on."""


class StepSettling:
    """The settling of the steps of one batch: each one's command and its arguments."""

    def __init__(self, tab: TabContext, steps: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        self._tab = tab
        self._steps = [(get_command(name), arguments) for name, arguments in steps]
        self._now = tab.client.last_snapshot  # the page before the next step, if that is known

    async def before(self, number: int) -> StepPage | None:
        """The page before the step at this index, if its effect may have to be waited for."""
        command, arguments = self._steps[number]
        if not command.acts:
            return None
        following = self._steps[number + 1 : number + 2]
        shown = arguments.get("snapshot") != "none" or (self._tab.shows_page and not following)
        if not shown and not any(depends_on_page(*step) for step in following):
            return None
        tree = self._now
        if tree is None and (shown or self._tab.page.leaves_work):
            tree = await page_now(self._tab)
        return StepPage(before=tree, shown=shown)

    def after(self, number: int, page: StepPage | None) -> None:
        """Note that the step at this index has ended."""
        command, _ = self._steps[number]
        if not command.read_only or command.name in _WAIT_THEMSELVES:
            self._now = page.after if page is not None else None
        self._tab.settled = page.after if page is not None and number == len(self._steps) - 1 else None


def depends_on_page(command: Command, arguments: Mapping[str, Any]) -> bool:
    """Whether a step reads the page, or acts on what is there by the time."""
    if command.name in _WAIT_THEMSELVES | _OF_NO_PAGE:
        return False
    if not command.acts:
        return command.lane is Lane.PAGE
    target = arguments.get("target") or arguments.get("selector")
    if command.name in _ON_A_REF and _is_ref(target):
        return False
    return command.name not in _FILL or target is None or _counts(target)


def _is_ref(target: Any) -> bool:
    given = target.get("ref") if isinstance(target, Mapping) else target
    return isinstance(given, str) and parse_ref(given) is not None


def _counts(target: Any) -> bool:
    """Whether a target is a place, or one of several elements."""
    return isinstance(target, Mapping) and any(target.get(key) is not None for key in ("nth", "x", "y"))
