"""What a group needs of the server between its machines. No command of the server is named here.

The server is not trusted: it holds what machines offer and carries what they send one another, each signed with the
group's key, which it does not have (`kapture.group.messages`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import attrs

LEASE_S = 15.0
"""Seconds for which a hub's entries last that it does not renew."""
RENEW_S = 5.0
"""Seconds between two renewals."""
STREAM_S = 30.0
"""Seconds for which the messages to a hub last that does not renew: longer than its lease, so that a server that stops
for a while loses none."""
MOST_ENTRIES = 20_000
"""Messages to one hub that wait at the server; the oldest are dropped."""
CHUNK_S = 60.0
"""Seconds for which a part of a large message lasts that is not fetched."""


class EngineAway(Exception):  # noqa: N818  it is a state of the server, not a mistake
    """The server cannot be reached, or does not answer. The text says why, for people."""


@attrs.frozen(kw_only=True)
class Renewal:
    """The outcome of a renewal. `fresh`: the server knew nothing of the hub; `taken`: ids of tabs that another hub has;
    `now`: the server's clock, in Unix seconds."""

    fresh: bool
    taken: Sequence[str]
    now: float


class Engine(Protocol):
    """One connection to the server. Everything raises `EngineAway`, after which it is of no use. A hub is known by its
    `run`, a random word that is new for each start."""

    async def renew(self, run: str, facts: bytes, changed: Mapping[str, bytes], gone: Collection[str]) -> Renewal:
        """Renew the lease of a hub and of the tabs that it has offered; offer these records of tabs, by id, and
        withdraw these ids. Each id is one hub's: the first that offers it."""

    async def leave(self, run: str) -> None:
        """Withdraw all that this hub has at the server."""

    async def owner(self, tab_id: str) -> str | None:
        """The run of the hub that offers a tab."""

    async def facts(self, run: str) -> bytes | None:
        """The facts of a hub."""

    async def live(self) -> frozenset[str]:
        """The runs of the hubs whose lease has not ended."""

    async def hubs(self, *, tabs: bool) -> Mapping[str, Mapping[str, bytes]]:
        """By run, the facts of each hub (key "") and, with `tabs`, the records of its tabs by id."""

    async def send(self, messages: Sequence[tuple[str, bytes]]) -> Sequence[bool]:
        """Send messages to hubs, named by their runs. Returns for each whether there is such a hub."""

    async def receive(self, run: str) -> Sequence[bytes]:
        """Wait for messages to this hub, in the order in which they were sent. Each is returned once."""

    async def put(self, chunks: Mapping[str, bytes]) -> None:
        """Keep the parts of a large message, by name, for `CHUNK_S`."""

    async def take(self, names: Sequence[str]) -> Sequence[bytes | None]:
        """Fetch such parts and remove them; None for those that are not there any more."""


Connect = Callable[[], AbstractAsyncContextManager[Engine]]
"""Connects to the server for the length of a block; raises `EngineAway`."""
