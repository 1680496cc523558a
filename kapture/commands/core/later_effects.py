"""Whether an action's effect may still come when the action is over, and how long it is waited for.

An action has settled once what the browser reports of it is over. What it has left to timers, servers, workers and
animations comes later, so the page is watched for its first change where there is a sign that one comes, for as long
as that kind of sign is worth: see the constants. `page_after` waits, and writes the answer.
"""

from __future__ import annotations

from kapture.commands.core.context import TabContext
from kapture.page.settling.outcome import Outcome
from kapture.snapshot import Tree
from kapture.snapshot.effect import announces_more, has_gone_on, is_awaited, may_suggest_more

FIRST_CHANGE_S = 1.0
"""How long to wait for the first visible effect of an action that has only set timers, waits for an answer, or draws
frame by frame."""

FURTHER_CHANGE_S = 0.4
"""The same for an action that has put the caret into an editor and has left only timers: editors set such timers at
every press and key, to tidy up."""

UNTRACED_CHANGE_S = 0.2
"""The same for an action that has left nothing to see and no timer, where the page listens for it or has workers or
databases: what a handler had the browser or one of them do leaves no trace."""

REPLY_S = 0.5
"""The same for an action whose requests have been answered, or after which only an image is loaded, or a message was
sent over a WebSocket: the page may take a while to show the answer."""

AFTER_ANIMATION_S = 0.1
"""How long after the end of an animation the page may go on."""


def shows_step(tab: TabContext) -> bool:
    """Whether this is a step after which another command shows the page."""
    return tab.step is not None and tab.step.shown


def follows_up(tab: TabContext) -> bool:
    """Whether the effect of a step may have to be waited for, though its answer does not show the page."""
    if tab.step is None:
        return False
    return tab.step.shown or any(outcome.timers or outcome.requests for outcome in tab.outcomes)


def _may_come(tab: TabContext, left: int, before: Tree | None, tree: Tree) -> bool:
    """Whether the effect of the action is still to come, or may be, if a next step depends on it. `left`: how many
    timers and unanswered requests the action has left."""
    if before is None:
        return tab.step is not None and left_only_timers(tab) > 0
    typed = any(outcome.typed for outcome in tab.outcomes)
    if left and typed and may_suggest_more(before, tree):
        return True
    return bool(left or announces_more(before, tree)) and is_awaited(before, tree)


async def waits_s(tab: TabContext, left: int, before: Tree | None, tree: Tree, *, shows: bool) -> float:
    """How long to wait for the first effect of the action, in seconds; 0 if it has come. `left`: see `_may_come`."""
    if before is not None and any(map(_sets_words, tab.outcomes)) and not announces_more(before, tree):
        return 0
    if _may_come(tab, left, before, tree):
        return FURTHER_CHANGE_S if before is not None and _is_shown(tab, before, tree) else FIRST_CHANGE_S
    if before is None or not tab.outcomes or not (shows or shows_step(tab)):
        return 0
    if any(outcome.lines() or outcome.transients for outcome in tab.outcomes) or has_gone_on(before, tree):
        return 0
    animates_ms = max(outcome.animates_ms for outcome in tab.outcomes)
    animation_s = animates_ms / 1000 + AFTER_ANIMATION_S if animates_ms else 0
    if any(map(_looks_different, tab.outcomes)):
        return animation_s
    if any(outcome.draws for outcome in tab.outcomes):
        return FIRST_CHANGE_S
    if any(outcome.asks or outcome.requests for outcome in tab.outcomes):
        return max(REPLY_S, animation_s)
    heard = any(outcome.heard for outcome in tab.outcomes)
    untraced = heard or tab.page.has_workers or await tab.page.databases.exist()
    return max(UNTRACED_CHANGE_S, animation_s) if untraced else animation_s


def _is_shown(tab: TabContext, before: Tree, tree: Tree) -> bool:
    """Whether what the action is for can be seen, and only timers are left."""
    return any(outcome.shown for outcome in tab.outcomes) and not announces_more(before, tree) and not unanswered(tab)


def goes_on_unseen(tab: TabContext, before: Tree | None, tree: Tree) -> bool:
    """Whether the action has changed nothing, but has begun an animation that is too long to be waited for."""
    if before is None or not any(outcome.animates_on for outcome in tab.outcomes):
        return False
    seen = any(outcome.lines() or outcome.transients or _looks_different(outcome) for outcome in tab.outcomes)
    return not seen and not has_gone_on(before, tree)


def _looks_different(outcome: Outcome) -> bool:
    return bool(outcome.scrolled) or not all(one.elsewhere for one in outcome.restyled)


def _sets_words(outcome: Outcome) -> bool:
    """Whether the action has set words of an editor differently, as in bold: what its timers do beside is no effect."""
    return any(one.attribute == "markup" for one in outcome.restyled)


def left_only_timers(tab: TabContext) -> int:
    """How many timers the action has set, if nothing else came of it than another URL of the same document."""
    if any(outcome.lines(beside_route=True) for outcome in tab.outcomes):
        return 0
    return sum(outcome.timers for outcome in tab.outcomes)


def unanswered(tab: TabContext) -> int:
    """How many requests of the action have no answer yet, if nothing else came of it than another URL of the same
    document."""
    if any(outcome.lines(beside_route=True) for outcome in tab.outcomes):
        return 0
    return tab.page.network.kept.unanswered({key for outcome in tab.outcomes for key in outcome.unanswered})
