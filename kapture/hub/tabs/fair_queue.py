"""A queue that is fair between clients: each client's own items stay in order, and clients take turns."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """First in, first out for each client; round-robin between clients. Not bounded: the caller limits it."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, deque[T]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __iter__(self) -> Iterator[T]:
        """Every item, client by client."""
        for line in self._lines.values():
            yield from line

    def has(self, client: Hashable) -> bool:
        """Whether something of this client's is in the queue."""
        return client in self._lines

    def push(self, client: Hashable, item: T) -> None:
        """Put an item at the end of its client's line. A client without a line is served last in this round."""
        self._lines.setdefault(client, deque()).append(item)

    def pop(self, ready: Callable[[T], bool] = lambda _: True) -> T | None:
        """Take the next item that is ready; None if there is none.

        An item that is not `ready` keeps its position: later items of the same client wait, those of other clients do
        not.
        """
        for client, line in self._lines.items():
            if ready(line[0]):
                item = line.popleft()
                if line:
                    self._lines.move_to_end(client)
                else:
                    del self._lines[client]
                return item
        return None

    def remove(self, client: Hashable, item: T) -> bool:
        """Remove an item, wherever it is. Returns whether it was there."""
        line = self._lines.get(client)
        if line is None or item not in line:
            return False
        line.remove(item)
        if not line:
            del self._lines[client]
        return True

    def clear(self) -> list[T]:
        """Remove everything; returns it in the order in which it would have been served."""
        items = []
        while (item := self.pop()) is not None:
            items.append(item)
        return items
