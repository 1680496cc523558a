"""The page in the answer of an action: all of it, or what has changed since the last snapshot."""

from __future__ import annotations

from contextlib import suppress

import trio

from kapture.commands.core.context import TabContext
from kapture.commands.core.later_effects import (
    follows_up,
    goes_on_unseen,
    left_only_timers,
    shows_step,
    unanswered,
    waits_s,
)
from kapture.commands.core.params import SnapshotMode
from kapture.errors import DialogOpen, KaptureError
from kapture.page.settling.first_answers import without_answer
from kapture.page.settling.outcome import Outcome
from kapture.snapshot import Options, Tree, take
from kapture.snapshot.cover import remembering
from kapture.snapshot.effect import has_gone_on
from kapture.snapshot.render import outline
from kapture.snapshot.ticking import steadied
from kapture.snapshot.view import changes_since, restyled_lines, scrolled_lines, transient_lines

TIMEOUT_MS = 5_000
"""Limit for reading the page: a completed action is answered even if the page cannot be read."""

_ANIMATES = "an animation is running"


def snapshot_mode(tab: TabContext, asked: SnapshotMode | None) -> SnapshotMode:
    """How much of the page the answer shows: by default changes, if this client has a snapshot to compare with."""
    seen = tab.client.last_snapshot is not None or tab.client.forgot_snapshot
    return asked or ("diff" if seen else "none")


async def look_before(tab: TabContext, mode: SnapshotMode) -> None:
    """Take a snapshot to compare with, if changes are requested and this client has none of the tab.

    A failure is ignored: the answer then shows the whole page, and the action is not affected.
    """
    if mode == "diff" and tab.client.last_snapshot is None:
        tab.client.last_snapshot = await page_now(tab)


async def page_now(tab: TabContext) -> Tree | None:
    """A snapshot to compare a later one with; None if the page cannot be read now."""
    if tab.page.dialogs.current is not None or tab.page.awaited.url is not None:
        return None
    with suppress(KaptureError), trio.move_on_after(TIMEOUT_MS / 1000):
        return await take(tab.page)
    return None


async def page_after(tab: TabContext, mode: SnapshotMode) -> str:
    """The page after an action; "" if not requested. Never fails, because the action has been done.

    Of a step, without a snapshot: what the page will not show any more.
    """
    shows = mode != "none"
    if not (shows or follows_up(tab)) or tab.page.dialogs.current is not None:
        _note_late_dialog(tab)
        return ""
    if tab.page.awaited.url is not None:
        return "The page cannot be read until its server has answered, or another one is opened." if shows else ""
    last = tab.client.last_snapshot
    before = tab.before or (last if tab.step is None else None)
    waited_for = ""
    tree = tab.settled
    timers = left_only_timers(tab)
    left = timers + unanswered(tab)
    try:
        with trio.fail_after(TIMEOUT_MS / 1000):
            tree = tree or await (_take_watched(tab) if left else take(tab.page, tab.look))
            within_s = await waits_s(tab, left, before, tree, shows=shows) if tab.settled is None else 0
            came = True
            if goes_on_unseen(tab, before, tree):
                waited_for = _ANIMATES
            if within_s:
                tree, came = await _take_after_change(tab, tree, within_s)
                waited_for = "" if came else _still_going_on(tab, timers) or waited_for
            if came and any(outcome.heard or outcome.timers for outcome in tab.outcomes):
                tab.page.note_effect()
    except trio.TooSlowError:
        if tree is None:  # else a frame stopped answering when the page had been read
            return f"The page is not shown: it did not answer within {TIMEOUT_MS} ms." if shows else ""
    except DialogOpen:
        _note_late_dialog(tab)
        return ""
    except KaptureError as error:
        return f"The page is not shown: {error.explanation}" if shows else ""
    messages = transient_lines([text for outcome in tab.outcomes for text in outcome.transients], tree)
    restyled = _restyled(tab, before, tree)
    if tab.step is not None:
        tab.step.after = tree
    if not shows:
        return "\n".join([*messages, *restyled, *_pending(waited_for)]) if shows_step(tab) else ""
    tab.client.last_snapshot = remembering(last, tree)
    options = Options(known_furniture=tab.client.furniture)
    if mode == "full" or last is None:
        rendering = outline(tree, options)
        tab.client.remember_furniture(rendering.furniture)
        return "\n".join([*messages, *_pending(waited_for), rendering.text])
    steady = steadied(last, tree)
    ticked = [line] if (line := steady.line()) else []
    view = changes_since(steady.old, tree, options)
    tab.client.remember_furniture(view.furniture)
    if view.kind != "unchanged":
        pending = _pending(waited_for, "other ") or _unanswered(tab)
        return "\n".join([*messages, *view.lines(), *restyled, *ticked, *pending])
    if restyled := _all_restyled(tab):
        pending = _pending(waited_for, "other ") or _unanswered(tab)
        return "\n".join([*messages, "changes:", *restyled, *ticked, *pending])
    return "\n".join([*messages, *(_pending(waited_for) or view.lines()), *ticked])


def _restyled(tab: TabContext, before: Tree | None, tree: Tree) -> list[str]:
    if before is None:
        return []
    if has_gone_on(before, tree):
        return _scrolled(tab) if any(outcome.same_document for outcome in tab.outcomes) else []
    return _all_restyled(tab)


def _all_restyled(tab: TabContext) -> list[str]:
    return restyled_lines([one for each in tab.outcomes for one in each.restyled]) + _scrolled(tab)


def _scrolled(tab: TabContext) -> list[str]:
    return scrolled_lines([one for each in tab.outcomes for one in each.scrolled])


def _pending(waited_for: str, other: str = "") -> list[str]:
    return [f"no {other}change yet; {waited_for}: if more should come, wait for its text"] if waited_for else []


def _unanswered(tab: TabContext) -> list[str]:
    """A line on requests without an answer. Pages show what they ask a server for before it has agreed, and take it
    back if it refuses."""
    words = without_answer(unanswered(tab))
    return [words] if words else []


def _still_going_on(tab: TabContext, timers: int) -> str:
    """What may still bring an effect of the action; "" if nothing is known of."""
    if timers:
        return f"{timers} timer{'' if timers == 1 else 's'} may be pending"  # whether they have fired is not known
    if words := _unanswered(tab):
        return words[0]
    return _ANIMATES if any(outcome.draws for outcome in tab.outcomes) else ""


def _note_late_dialog(tab: TabContext) -> None:
    """Add the open dialog to the outcomes, if it opened after the action had ended and none mentions it."""
    dialog = tab.page.dialogs.current
    if dialog is not None and not any(outcome.dialog for outcome in tab.outcomes):
        tab.outcomes.append(Outcome(dialog=dialog))


async def _take_watched(tab: TabContext) -> Tree:
    """Take a snapshot while timers of the action may fire: what they start is an outcome of the action too."""
    async with tab.page.acting() as outcome:
        tab.outcomes.append(outcome)
        tree = await take(tab.page)
    return await take(tab.page) if outcome.lines() else tree


async def _take_after_change(tab: TabContext, before: Tree, within_s: float) -> tuple[Tree, bool]:
    """A snapshot after the first visible change, or after this time; and whether there was a change."""
    until = trio.current_time() + within_s
    tree = before
    had_scrolled = bool(_scrolled(tab))  # then something else is waited for

    async def has_changed() -> bool:
        return has_gone_on(before, await take(tab.page))

    while not has_gone_on(before, tree):
        came = False
        # What a timer or an answer starts belongs to the action, and settles in the same way.
        async with tab.acting(further=True) as outcome:
            if (left_s := until - trio.current_time()) > 0:
                came = await tab.page.first_change(left_s, has_changed, not had_scrolled)
        tree = await take(tab.page)
        if outcome.scrolled and not had_scrolled:
            return tree, True
        if not came:
            return tree, has_gone_on(before, tree)
    return tree, True
