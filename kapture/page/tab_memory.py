"""Bounds what the hub keeps of one tab, in bytes: console entries, requests, events, trees, answers.

Each store of such data is a holder. Together they stay within the tab's limit: when one grows, the largest holder drops
its oldest data, so that a page that logs without end loses its own log entries and not the requests. Sizes are
estimates of what Python allocates, from `sys.getsizeof` and a constant for each object.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

LIMIT_BYTES = 4 * 2**20
_MAX_URL_CHARS = 4_000

T = TypeVar("T")


class Holder(Protocol):
    """Keeps data of a tab. It calls `on_grown` when it has grown."""

    on_grown: Callable[[], None]

    @property
    def held_bytes(self) -> int:
        """Bytes that it keeps; 0 if it keeps nothing."""

    def drop_oldest(self) -> None:
        """Drop its oldest data. Called only while `held_bytes` is not 0, and must lower it."""


class Kept(Protocol):
    """Data of a tab that a client has set, and that is never dropped: its own limit is half of the tab's at most."""

    on_grown: Callable[[], None]

    @property
    def held_bytes(self) -> int:
        """Bytes that it keeps."""


class TabMemory:
    """The holders of one tab, by weak reference.

    `on_changed` is called with the total in bytes, whenever a holder has grown and the limit is met again.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES, on_changed: Callable[[int], None] = lambda _: None) -> None:
        self._limit_bytes = limit_bytes
        self._on_changed = on_changed
        self._holders: WeakKeyDictionary[Holder, str] = WeakKeyDictionary()
        self._kept: WeakKeyDictionary[Kept, str] = WeakKeyDictionary()

    @property
    def held_bytes(self) -> int:
        """Bytes that all holders keep."""
        return sum(one.held_bytes for one in [*self._holders, *self._kept])

    def by_kind(self) -> Mapping[str, int]:
        """Bytes by kind of data (`logs`, `requests`, …)."""
        found: defaultdict[str, int] = defaultdict(int)
        for holder, kind in [*self._holders.items(), *self._kept.items()]:
            found[kind] += holder.held_bytes
        return {kind: found[kind] for kind in sorted(found)}

    def add(self, kind: str, holder: Holder) -> None:
        """Count this holder from now on."""
        self._holders[holder] = kind
        holder.on_grown = self.check
        self.check()

    def count(self, kind: str, kept: Kept) -> None:
        """Count what is not dropped from now on: there is less room for the holders."""
        self._kept[kept] = kind
        kept.on_grown = self.check
        self.check()

    def forget(self, kind: str) -> None:
        """Drop all data of this kind."""
        for holder, its_kind in list(self._holders.items()):
            while its_kind == kind and holder.held_bytes:
                holder.drop_oldest()

    def check(self) -> None:
        """Enforce the limit, after something has grown."""
        self._on_changed(self.shrink_to(self._limit_bytes))

    def shrink_to(self, limit_bytes: int) -> int:
        """Drop the oldest data of the largest holders until no more than this is left; returns the bytes that are
        left."""
        held = {holder: holder.held_bytes for holder in list(self._holders)}
        total = self.held_bytes
        while total > limit_bytes and any(held.values()):
            largest = max(held, key=held.__getitem__)
            largest.drop_oldest()
            total += largest.held_bytes - held[largest]
            held[largest] = largest.held_bytes
        return total


class Ring(Generic[T]):
    """The newest items, bounded in number; a holder. `size` estimates an item's bytes."""

    def __init__(self, capacity: int, size: Callable[[T], int]) -> None:
        self.on_grown: Callable[[], None] = lambda: None
        self.held_bytes = 0
        self._capacity = capacity
        self._size = size
        self._items: deque[tuple[T, int]] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return (item for item, _ in self._items)

    def __reversed__(self) -> Iterator[T]:
        return (item for item, _ in reversed(self._items))

    @property
    def oldest(self) -> T | None:
        """The oldest item; None if there is none."""
        return self._items[0][0] if self._items else None

    def append(self, item: T) -> None:
        """Add an item; drops the oldest for it."""
        size = self._size(item)
        self._items.append((item, size))
        self.held_bytes += size
        while len(self._items) > self._capacity:
            self.drop_oldest()
        self.on_grown()

    def drop_oldest(self) -> None:
        """Drop the oldest item."""
        self.held_bytes -= self._items.popleft()[1]


def kept_url(url: str) -> str:
    """The part of a URL that is kept: `data:` URLs have up to two million characters."""
    return url if len(url) <= _MAX_URL_CHARS else f"{url[:_MAX_URL_CHARS]}…"


def texts_bytes(*texts: str) -> int:
    """The estimated bytes of these texts."""
    return sum(text.__sizeof__() for text in texts)


def mapping_bytes(mapping: Mapping[str, Any]) -> int:
    """The estimated bytes of a flat mapping, with its keys and values."""
    held: int = mapping.__sizeof__() + sum(key.__sizeof__() + value.__sizeof__() for key, value in mapping.items())
    return held
