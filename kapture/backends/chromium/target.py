"""The targets of a browser's tabs, and the ids that the tabs keep when their targets change."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

import attrs
import msgspec

from kapture.backends.browser_connection import SessionTransport
from kapture.backends.cdp_tab import CdpTab
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError

_TAB_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


@attrs.frozen(kw_only=True)
class KnownTarget:
    """A target of which something is kept. `opened`: by Kapture; `let_go`: it is to be left alone."""

    target_id: str
    tab_id: str
    opened: bool = False
    let_go: bool = False


class TabIds:
    """The ids of a browser's tabs, by CDP target. Kept while the browser is disconnected, so that tabs keep their ids.

    `owner` is the secret by which only this browser may use these ids. Made anew with what another hub has `known`.
    """

    def __init__(self, owner: str | None = None, known: Iterable[KnownTarget] = ()) -> None:
        self.owner = owner or secrets.token_hex(16)
        self.changed = Changed()
        known = tuple(known)
        self._ids = {one.target_id: one.tab_id for one in known}
        self._opened = {one.target_id for one in known if one.opened}
        self._let_go = {one.target_id for one in known if one.let_go}

    @property
    def known(self) -> Sequence[KnownTarget]:
        """Every target that has an id."""
        return [
            KnownTarget(target_id=one, tab_id=tab_id, opened=self.is_opened(one), let_go=self.is_let_go(one))
            for one, tab_id in self._ids.items()
        ]

    def of(self, target_id: str) -> str:
        """The tab's id, chosen on first use."""
        if target_id not in self._ids:
            self._ids[target_id] = "".join(secrets.choice(_TAB_ID_LETTERS) for _ in range(8))
            self.changed.notify()
        return self._ids[target_id]

    def known_id(self, target_id: str | None) -> str | None:
        """The tab's id; None if it has none."""
        return self._ids.get(target_id or "")

    def open(self, target_id: str) -> str:
        """The id of a tab that Kapture has opened, and may close therefore."""
        self._opened.add(target_id)
        self.changed.notify()
        return self.of(target_id)

    def is_opened(self, target_id: str) -> bool:
        """Whether Kapture has opened this tab."""
        return target_id in self._opened

    def let_go(self, target_id: str) -> None:
        """Leave a tab alone for good."""
        self._let_go.add(target_id)
        self.changed.notify()

    def is_let_go(self, target_id: str) -> bool:
        """Whether a tab is to be left alone."""
        return target_id in self._let_go

    def replace(self, target_id: str, by: str) -> None:
        """Pass on what is kept of a target to the one that the browser has put in its place."""
        self._ids[by] = self._ids.pop(target_id)
        for kept in (self._opened, self._let_go):
            if target_id in kept:
                kept.add(by)
        self.changed.notify()

    def forget(self, target_id: str) -> None:
        """Forget a tab that was closed."""
        if self._ids.pop(target_id, None) is not None:
            self.changed.notify()
        self._opened.discard(target_id)
        self._let_go.discard(target_id)


@attrs.define(eq=False)
class Target:
    """The target of a tab. `asleep`: it has no page, because the browser has put it to sleep, or it has crashed;
    `handed_over`: its person has the tab, and it has no session.

    `waiting`: the session that resumes a popup which is paused before its first document, until a script takes it.
    """

    target_id: str
    transport: SessionTransport
    context: str | None
    tab: CdpTab
    asleep: bool = False
    handed_over: bool = False
    waiting: str | None = None

    def pause(self, session_id: str) -> None:
        """Note that the popup waits for this session."""
        self.waiting, self.tab.paused = session_id, self.target_id

    def take(self) -> str | None:
        """The session for which the popup waits, if there is one: whoever takes it resumes it."""
        session_id, self.waiting, self.tab.paused = self.waiting, None, None
        return session_id

    def fall_asleep(self, why: str = "The browser has put this tab to sleep.") -> None:
        """Take the page away from commands."""
        self.asleep = True
        self.tab.detached(
            KaptureError(
                ErrorCode.DETACHED,
                why,
                hint="Navigate it, or wake it with tab_activate.",
                data={"reason": "replaced", "state": "tab_paused"},
            )
        )


class TargetInfo(msgspec.Struct, rename="camel"):
    """`Target.TargetInfo`, as far as it is used."""

    target_id: str
    url: str
    title: str = ""
    subtype: str = ""
    opener_id: str | None = None
    browser_context_id: str | None = None


class AttachedToTarget(msgspec.Struct, rename="camel"):
    """`Target.attachedToTarget`."""

    session_id: str
    target_info: TargetInfo


class DetachedFromTarget(msgspec.Struct, rename="camel"):
    """`Target.detachedFromTarget`."""

    session_id: str


class TargetInfoChanged(msgspec.Struct, rename="camel"):
    """`Target.targetInfoChanged`."""

    target_info: TargetInfo


class TargetDestroyed(msgspec.Struct, rename="camel"):
    """`Target.targetDestroyed`."""

    target_id: str
