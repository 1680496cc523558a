"""Whether an action's effect may still come, by what the action has left, with no page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.commands.core.context import TabContext
from kapture.commands.core.later_effects import (
    AFTER_ANIMATION_S,
    FIRST_CHANGE_S,
    FURTHER_CHANGE_S,
    REPLY_S,
    UNTRACED_CHANGE_S,
    follows_up,
    left_only_timers,
    unanswered,
    waits_s,
)
from kapture.page.settling.outcome import Outcome, Restyled, ScrolledPart
from kapture.snapshot import Tree
from kapture.snapshot.node import Node
from kapture.snapshot.tree import FrameView

STYLED = Restyled(element="a button", attribute="class", now="on", was="")
SCROLLED = ScrolledPart(what="the page", positions=("y 300 of 900",))


def _page(*words: str) -> Tree:
    return Tree({"": FrameView(key="", root=Node("document", 1, children=words))})


BEFORE = _page("Words")


def _tab(*outcomes: Outcome, step: Any = None, workers: bool = False, databases: bool = False) -> TabContext:
    async def exist() -> bool:
        await trio.lowlevel.checkpoint()
        return databases

    network = SimpleNamespace(kept=SimpleNamespace(unanswered=len))
    page = SimpleNamespace(network=network, has_workers=workers, databases=SimpleNamespace(exist=exist))
    return cast("TabContext", SimpleNamespace(page=page, outcomes=list(outcomes), step=step))


async def _waits(tab: TabContext, *, left: int = 0, before: Tree | None = BEFORE, tree: Tree = BEFORE) -> float:
    return await waits_s(tab, left, before, tree, shows=True)


@pytest.mark.parametrize(
    ("outcome", "seconds"),
    [
        (Outcome(), 0),
        (Outcome(draws=True), FIRST_CHANGE_S),
        (Outcome(requests=1), REPLY_S),
        (Outcome(asks=True), REPLY_S),
        (Outcome(heard=True), UNTRACED_CHANGE_S),
        (Outcome(animates_ms=300), 0.3 + AFTER_ANIMATION_S),
        (Outcome(animates_ms=900, requests=1), 0.9 + AFTER_ANIMATION_S),
        (Outcome(scrolled=[SCROLLED], draws=True, heard=True), 0),
        (Outcome(restyled=[STYLED], animates_ms=300, requests=1), 0.3 + AFTER_ANIMATION_S),
        (Outcome(transients=["Saved"], draws=True), 0),
        (Outcome(opened_tabs=["tab2"], draws=True), 0),
    ],
)
async def test_a_sign_is_waited_for_as_long_as_it_is_worth(outcome: Outcome, seconds: float) -> None:
    assert await _waits(_tab(outcome)) == pytest.approx(seconds)


async def test_workers_and_databases_may_go_on_without_a_trace() -> None:
    assert await _waits(_tab(Outcome(), workers=True)) == UNTRACED_CHANGE_S
    assert await _waits(_tab(Outcome(), databases=True)) == UNTRACED_CHANGE_S


async def test_what_an_action_has_left_is_waited_for_until_the_page_has_changed() -> None:
    assert await _waits(_tab(Outcome(timers=1)), left=1) == FIRST_CHANGE_S
    assert await _waits(_tab(Outcome(timers=1)), left=1, tree=_page("Words", "More")) == 0
    assert await _waits(_tab(Outcome()), tree=_page("Words", "Loading…")) == FIRST_CHANGE_S


async def test_timers_beside_a_caret_in_an_editor_are_not_worth_as_much() -> None:
    assert await _waits(_tab(Outcome(timers=1, shown=True)), left=1) == FURTHER_CHANGE_S
    assert await _waits(_tab(Outcome(timers=1, shown=True)), left=1, tree=_page("Words", "Saving…")) == FIRST_CHANGE_S
    asked = Outcome(timers=1, shown=True, unanswered=frozenset({(None, "1")}))
    assert await _waits(_tab(asked), left=2) == FIRST_CHANGE_S


async def test_words_that_are_set_differently_are_the_effect_whatever_timers_are_left() -> None:
    """ProseMirror and Monaco set timers of their own at every click and key."""
    bold = Restyled(element='<div> "Text" ref=e2', attribute="markup", now="<b>", was="")
    outcome = Outcome(restyled=[bold], timers=1)
    assert await _waits(_tab(outcome), left=1) == 0
    assert await _waits(_tab(outcome), left=1, tree=_page("Words", "Saving…")) == FIRST_CHANGE_S


async def test_nothing_is_waited_for_where_nobody_looks() -> None:
    assert await waits_s(_tab(Outcome(draws=True)), 0, BEFORE, BEFORE, shows=False) == 0
    assert await _waits(_tab(Outcome(draws=True)), before=None) == 0


async def test_a_step_without_a_snapshot_waits_for_the_timers_that_the_next_one_needs() -> None:
    hidden = SimpleNamespace(shown=False)
    assert await _waits(_tab(Outcome(timers=1), step=hidden), left=1, before=None) == FIRST_CHANGE_S
    assert follows_up(_tab(Outcome(timers=1), step=hidden))
    assert follows_up(_tab(Outcome(), step=SimpleNamespace(shown=True)))
    assert not follows_up(_tab(Outcome(), step=hidden))
    assert not follows_up(_tab(Outcome(timers=1)))


def test_what_is_left_beside_another_effect_does_not_count() -> None:
    waiting = Outcome(timers=2, unanswered=frozenset({(None, "1")}))
    assert (left_only_timers(_tab(waiting)), unanswered(_tab(waiting))) == (2, 1)
    route = Outcome(navigated_to="https://a.example/next", same_document=True)
    assert (left_only_timers(_tab(waiting, route)), unanswered(_tab(waiting, route))) == (2, 1)
    opened = Outcome(opened_tabs=["tab2"])
    assert (left_only_timers(_tab(waiting, opened)), unanswered(_tab(waiting, opened))) == (0, 0)
