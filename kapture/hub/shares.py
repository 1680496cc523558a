"""The shares that are open (`kapture.server.shares`), as people see them, and how they end one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Clients
from kapture.hub.events import Events
from kapture.policy.policy import ShareCaps


@attrs.frozen(kw_only=True)
class OpenShare:
    """A share. `end` ends it for its program, which says so to the person."""

    name: str
    caps: ShareCaps
    end: Callable[[], None]
    since: float = attrs.field(factory=time.time)


class OpenShares:
    """The shares of one hub that are open."""

    def __init__(self, clients: Clients, events: Events) -> None:
        self._clients = clients
        self._events = events
        self._open: dict[str, OpenShare] = {}

    def __len__(self) -> int:
        return len(self._open)

    @contextmanager
    def opened(self, share: OpenShare) -> Iterator[None]:
        """Show the share for the duration of the block."""
        self._open[share.name] = share
        self._events.publish("shares_changed")
        try:
            yield
        finally:
            del self._open[share.name]
            self._events.publish("shares_changed")

    def rows(self) -> list[dict[str, Any]]:
        """One row for each: the highest level, the sites and names of clients to which it is limited (None: it is not),
        since when in Unix milliseconds, and the clients that are connected through it."""
        return [
            {
                "name": share.name,
                "level": share.caps.section.level,
                "sites": share.caps.section.allow,
                "only": share.caps.clients,
                "since": round(share.since * 1_000),
                "clients": sorted({client.display_name for client in self._clients if client.share == share.name}),
            }
            for share in self._open.values()
        ]

    def end(self, name: str) -> None:
        """End a share for the person. `INVALID_PARAMS` if none has this name."""
        if (share := self._open.get(name)) is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"No share {name[:40]!r} is open.",
                hint="`kapture status` lists those that are.",
            )
        share.end()
