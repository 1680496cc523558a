"""Targets without a page: those that the browser puts in the place of others when it puts tabs to sleep (discards
them).

The new target is announced first, with the old one's address and title and without a renderer, then the old one goes.
The browser reports both before it replies to a command that was sent after the announcement (Chromium 150). A tab that
wakes at once may have its renderer by then; a tab that somebody opens has no title when it is announced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import attrs

from kapture.backends.browser_connection import BrowserConnection
from kapture.backends.chromium.target import TargetInfo
from kapture.cdp import PendingReply
from kapture.cdp.program import Json


@attrs.frozen
class Found:
    """The known facts of a new target. `sleeps`: it has no page now; `replaces`: the target whose place it has
    taken."""

    sleeps: bool
    replaces: str | None


_Address: TypeAlias = tuple[str | None, str]
"""Browser context and URL."""


@attrs.define(eq=False)
class _Examined:
    """A new target. `came_asleep`: it had no page; `sleeps`: see `Found`; `destroyed`: the targets of its address that
    have gone since, each with its title; `then`: what is to be done once it is known which of them it replaces."""

    info: TargetInfo
    came_asleep: bool = False
    sleeps: bool = False
    destroyed: list[tuple[str, str]] = attrs.field(factory=list)
    then: list[Callable[[], None]] = attrs.field(factory=list)


class Replacements:
    """The pages of one browser by their addresses, and the new targets that may replace some of them."""

    def __init__(self, connection: BrowserConnection) -> None:
        self._connection = connection
        self._known: dict[str, TargetInfo] = {}
        self._examined: dict[str, _Examined] = {}  # by session

    def moved(self, info: TargetInfo) -> None:
        """Note the address and title of a target, and that one which had no page has one now."""
        self._known[info.target_id] = info
        for examined in self._examined.values():
            if examined.info.target_id == info.target_id:
                examined.sleeps = False

    def may_replace(self, info: TargetInfo) -> bool:
        """Whether another target has the address of this new one, which no page has opened."""
        return info.opener_id is None and _address(info) in [
            _address(known) for target_id, known in self._known.items() if target_id != info.target_id
        ]

    def examine(self, session_id: str, info: TargetInfo, decide: Callable[[Found], None]) -> None:
        """Call `decide` with what is found; not at all if its session or the connection ends before that."""
        examined = self._examined[session_id] = _Examined(info)

        def deliver(method: str, params: Json, session: str | None) -> None:
            if method == "Inspector.targetCrashed" and session is None:
                examined.came_asleep = examined.sleeps = True

        def answered(reply: PendingReply) -> None:
            if self._examined.pop(session_id, None) is None or self._connection.closed.is_set():
                return
            decide(Found(examined.sleeps, _replaced_by(examined)))
            for act in examined.then:
                act()

        self._connection.open_route(session_id, deliver, lambda: None)
        self._connection.submit("Inspector.enable", {}, session_id)
        self._connection.submit("Browser.getVersion", {}).then(answered)

    async def until_examined(self) -> None:
        """Wait until all that are being examined are known."""
        if self._examined:
            await self._connection.send("Browser.getVersion")  # replied to after those that `examine` has sent

    def ended(self, session_id: str) -> None:
        """Note that a session has ended."""
        if (examined := self._examined.pop(session_id, None)) is not None:
            self._connection.close_route(session_id)
            for act in examined.then:
                act()

    def leaves(self, target_id: str, act: Callable[[], None]) -> None:
        """Call `act`, because a target's session has ended: at once, or once it is known whether it is replaced."""
        if (examined := self._examined_of(target_id)) is None:
            act()
        else:
            examined.then.append(act)

    def destroyed(self, target_id: str, act: Callable[[], None]) -> None:
        """As `leaves`, because the target has gone."""
        if (examined := self._examined_of(target_id)) is not None:
            examined.destroyed.append((target_id, self._known[target_id].title))
        self.leaves(target_id, act)
        self._known.pop(target_id, None)

    def _examined_of(self, target_id: str) -> _Examined | None:
        if (known := self._known.get(target_id)) is None:
            return None
        return next((one for one in self._examined.values() if _address(one.info) == _address(known)), None)


def _replaced_by(examined: _Examined) -> str | None:
    """The target whose place a new one has taken."""
    title = examined.info.title
    return next((gone for gone, its in examined.destroyed if examined.came_asleep or (title and its == title)), None)


def _address(info: TargetInfo) -> _Address:
    return info.browser_context_id, info.url
