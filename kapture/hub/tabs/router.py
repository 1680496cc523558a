"""The tabs of a hub by id: connected, expected back, or gone; and who may use an id."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping

import attrs
import trio

from kapture.backends.backend import Backend
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.call import now_text
from kapture.hub.tabs.tab import Identity, Tab
from kapture.hub.tabs.tab_life import State
from kapture.settings import Limits, at_limit

logger = logging.getLogger(__name__)

_MAX_REMEMBERED = 10_000
_MAX_REFUSALS = 20
_NEW_ID = "A tab chooses a new random id when it starts, and keeps it."


@attrs.frozen(kw_only=True)
class Displacement:
    """A socket that asked for the id of a tab that another one had, and was refused, or took it over."""

    tab_id: str
    at: str
    reason: str


class Router:
    """All tabs of one hub. `nursery` runs the grace periods of disconnected tabs.

    `on_disconnected` is called when a tab's socket has ended and no other serves the tab, `on_gone` when the tab will
    not come back: at once when its person disconnected or closed it, else after the grace period.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        limits: Limits,
        *,
        on_disconnected: Callable[[Tab], None] = lambda _: None,
        on_gone: Callable[[Tab], None] = lambda _: None,
    ) -> None:
        self._nursery = nursery
        self._limits = limits
        self._on_disconnected = on_disconnected
        self._on_gone = on_gone
        self._tabs: dict[str, Tab] = {}
        self._gone: OrderedDict[str, Tab] = OrderedDict()
        self._registered = Changed()
        self.relay_word: str | None = None
        """How the ids `NUMBER.word` of tabs behind relays end; "" once several browsers have had some."""
        self.refusals: deque[Displacement] = deque(maxlen=_MAX_REFUSALS)
        self.superseded: deque[Displacement] = deque(maxlen=_MAX_REFUSALS)

    def __iter__(self) -> Iterator[Tab]:
        """Every tab that is connected or may still come back."""
        return iter(tuple(self._tabs.values()))

    def __len__(self) -> int:
        return len(self._tabs)

    @property
    def room(self) -> int:
        """How many more tabs the hub takes."""
        return max(self._limits.tabs - len(self._tabs), 0)

    @property
    def connected(self) -> Mapping[str, Tab]:
        """The connected tabs, by id."""
        return {tab_id: tab for tab_id, tab in self._tabs.items() if tab.connected}

    def find(self, tab_id: str) -> Tab:
        """The tab with this id; `TAB_NOT_FOUND` if none ever had it, `TAB_DISCONNECTED` if it is gone."""
        if (tab := self._tabs.get(tab_id)) is not None:
            return tab
        if (gone := self._gone.get(tab_id)) is not None:
            raise gone.gone_error()
        some = list(self._tabs)[:10]
        raise KaptureError(
            ErrorCode.TAB_NOT_FOUND,
            f"There is no tab {tab_id[:128]!r}.",
            hint=Wording("{list_tabs} shows the connected tabs.")
            if some
            else "No tab is connected: connect one first.",
            data={"tabId": tab_id[:128], "connected": some},
        )

    def known(self, tab_id: str) -> Tab | None:
        """The tab that has this id, or had it; None if none did."""
        return self._tabs.get(tab_id) or self._gone.get(tab_id)

    def numbered(self, number: str) -> list[str]:
        """The ids `NUMBER.word` of tabs behind relays, whose browsers call them so; of tabs that are gone, too."""
        return [tab_id for tab_id in (*self._tabs, *self._gone) if tab_id.startswith(f"{number}.")]

    def register(self, backend: Backend, identity: Identity, on_replaced: Callable[[], None]) -> Tab:
        """Give this backend the id that it asks for; `UNAUTHORIZED` if it may not use it, which is recorded.

        `on_replaced` is called when a newer backend of the same tab takes over.
        """
        tab_id = backend.tab_id
        known = self.known(tab_id)
        if tab_id not in self._tabs and not self.room:
            reason, hint = at_limit("tabs", "max_tabs", self._limits.tabs)
            raise self._refuse(tab_id, reason, ErrorCode.QUEUE_FULL, hint)
        if known is None:
            tab = Tab(tab_id, identity, self._limits, self._start_grace)
        elif known.identity.allows(identity, connected=known.connected):
            tab = known
        else:
            raise self.refuse(
                tab_id, "another connection uses it" if known.connected else "it belonged to another browser"
            )
        if (older := tab.backend) is not None:
            reason = "a newer connection of the same browser took it over"
            logger.warning("Tab %s: %s.", tab_id, reason)
            self.superseded.append(Displacement(tab_id=tab_id, at=now_text(), reason=reason))
            close_older = tab.on_replaced
            tab.detach(older, _replaced(tab_id), left=False)
            close_older()
        self._gone.pop(tab_id, None)
        self._tabs[tab_id] = tab
        if word := tab_id.partition(".")[2]:
            self.relay_word = word if self.relay_word in (None, word) else ""
        tab.attach(backend, on_replaced)
        self._registered.notify()
        return tab

    def unregister(self, tab: Tab, backend: Backend, error: KaptureError, *, left: bool) -> None:
        """Detach a backend that is closed. `left`: its tab will not come back."""
        if tab.backend is not backend:
            return  # a newer backend serves the tab
        tab.detach(backend, error, left=left)
        self._on_disconnected(tab)
        if tab.state is State.GONE:
            self._forget(tab)

    async def wait_connected(self, tab_id: str) -> None:
        """Wait until a tab with this id is connected."""
        while (tab := self._tabs.get(tab_id)) is None or not tab.connected:
            await self._registered.wait()

    def _start_grace(self, tab: Tab) -> None:
        self._nursery.start_soon(self._grace, tab, tab.back)

    async def _grace(self, tab: Tab, back: trio.Event) -> None:
        with trio.move_on_after(self._limits.grace_ms / 1_000):
            await back.wait()
            return
        if tab.back is back and not back.is_set():
            tab.expire()
            self._forget(tab)

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.tab_id) is tab:
            del self._tabs[tab.tab_id]
            self._gone[tab.tab_id] = tab
            tab.shorten_address()
            if len(self._gone) > _MAX_REMEMBERED:
                self._gone.popitem(last=False)
            self._on_gone(tab)

    def refuse(self, tab_id: str, reason: str) -> KaptureError:
        """`UNAUTHORIZED`: this id may not be used. It is recorded for `status`."""
        return self._refuse(tab_id, f"The tab id {tab_id} cannot be used: {reason}.", ErrorCode.UNAUTHORIZED)

    def _refuse(self, tab_id: str, reason: str, code: ErrorCode, hint: str = _NEW_ID) -> KaptureError:
        self.refusals.append(Displacement(tab_id=tab_id, at=now_text(), reason=reason))
        return KaptureError(code, reason, hint=hint)


def _replaced(tab_id: str) -> KaptureError:
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        f"Tab {tab_id} reconnected while this ran; it may have taken effect.",
        hint="Look at the page before trying again.",
        data={"tabId": tab_id},
    )
