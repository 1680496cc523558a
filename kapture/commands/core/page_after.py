"""The page in the answer of an action: all of it, or what has changed since the last snapshot."""

from __future__ import annotations

from contextlib import suppress

import trio

from kapture.commands.core.context import TabContext
from kapture.commands.core.params import SnapshotMode
from kapture.errors import DialogOpen, KaptureError
from kapture.page.settling.outcome import Outcome
from kapture.snapshot import Options, Tree, take
from kapture.snapshot.own_changes import only_focus_moved
from kapture.snapshot.render import outline
from kapture.snapshot.take import remembering
from kapture.snapshot.ticking import steadied
from kapture.snapshot.view import changes_since, restyled_lines, scrolled_lines, transient_lines

TIMEOUT_MS = 5_000
"""Limit for reading the page: a completed action is answered even if the page cannot be read."""


def snapshot_mode(tab: TabContext, asked: SnapshotMode | None) -> SnapshotMode:
    """How much of the page the answer shows: by default changes, if this client has a snapshot to compare with."""
    seen = tab.client.last_snapshot is not None or tab.client.forgot_snapshot
    return asked or ("diff" if seen else "none")


async def look_before(tab: TabContext, mode: SnapshotMode) -> None:
    """Take a snapshot to compare with, if changes are requested and this client has none of the tab.

    A failure is ignored: the answer then shows the whole page, and the action is not affected.
    """
    if mode != "diff" or tab.client.last_snapshot is not None:
        return
    if tab.page.dialogs.current is None and tab.page.awaited.url is None:
        with suppress(KaptureError), trio.move_on_after(TIMEOUT_MS / 1000):
            tab.client.last_snapshot = await take(tab.page)


async def page_after(tab: TabContext, mode: SnapshotMode, max_chars: int) -> str:
    """The page after an action; "" if not requested. Never fails, because the action has been done.

    Of a step, without a snapshot: what the page will not show any more.
    """
    messages = [text for outcome in tab.outcomes for text in outcome.transients]
    scrolled = scrolled_lines([one for outcome in tab.outcomes for one in outcome.scrolled])
    if tab.page.dialogs.current is not None:
        _note_late_dialog(tab)
        return ""
    if mode == "none":
        return "\n".join([*transient_lines(messages), *scrolled]) if tab.settles else ""
    if tab.page.awaited.url is not None:
        return "The page cannot be read until its server has answered, or another one is opened."
    try:
        with trio.fail_after(TIMEOUT_MS / 1000):
            tree = await take(tab.page)
    except trio.TooSlowError:
        return f"The page is not shown: it did not answer within {TIMEOUT_MS} ms."
    except DialogOpen:
        _note_late_dialog(tab)
        return ""
    except KaptureError as error:
        return f"The page is not shown: {error.explanation}"
    last = tab.client.last_snapshot
    tab.client.last_snapshot = remembering(last, tree)
    options = Options(max_chars=max_chars)
    before = [*transient_lines(messages, tree), *scrolled]
    if mode == "full" or last is None:
        rendering = outline(tree, options)
        return "\n".join([*before, rendering.text])
    return "\n".join([*before, *_changes(tab, last, tree, options)])


def _changes(tab: TabContext, last: Tree, tree: Tree, options: Options) -> list[str]:
    ticking = set[str]().union(*(outcome.ticking for outcome in tab.outcomes))
    steady = steadied(last, tree, ticking)
    ticked = [line] if (line := steady.line()) else []
    view = changes_since(steady.old, tree, options)
    changed = view.kind != "unchanged"
    lines = view.lines() if changed else []
    if not changed or (view.kind == "diff" and _only_focus_moved(steady.old, tree)):
        restyled = restyled_lines([one for outcome in tab.outcomes for one in outcome.restyled])
        lines += [*([] if changed else ["changes:"]), *restyled] if restyled else []
        seen = any(outcome.lines() or outcome.transients or outcome.scrolled for outcome in tab.outcomes)
        if not restyled and not seen:
            lines.append(f"no {'other ' if changed else ''}change yet: if something should come, wait for its text")
        elif not lines:
            lines += view.lines()
    return [*lines, *ticked]


def _only_focus_moved(old: Tree, new: Tree) -> bool:
    def same(key: str) -> bool:
        was, now = old.frames[key].root, new.frames[key].root
        return was == now or (was is not None and now is not None and only_focus_moved(was, now))

    return old.frames.keys() == new.frames.keys() and all(map(same, old.frames))


def _note_late_dialog(tab: TabContext) -> None:
    """Add the open dialog to the outcomes, if it opened after the action had ended and none mentions it."""
    dialog = tab.page.dialogs.current
    if dialog is not None and not any(outcome.dialog for outcome in tab.outcomes):
        tab.outcomes.append(Outcome(dialog=dialog))
