"""A hub in its group: it keeps its lease and what it offers at the server, and sends and receives messages.

While the server is away everything on this machine goes on. What is to be sent waits for up to a lease, and is then
dropped: from then on the other machines count this one as lost, and it counts them so.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain

import attrs
import msgspec
import trio

from kapture import __version__
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.group import messages
from kapture.group.directory import Directory, HubFacts, Offer, TabRecord
from kapture.group.engine import LEASE_S, RENEW_S, Connect, Engine, EngineAway
from kapture.group.key import GroupKey
from kapture.group.messages import Body, Envelope, Inbox, Large, Refused
from kapture.policy.shown import escaped

_MOST_NAMED = 128
logger = logging.getLogger(__name__)

_MOST_BUFFERED = 16 * 2**20
_GATHER_S = 0.05
"""Changes of tabs within this time are written together."""
_NOT_YET = "it is not connected yet"
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 1.0
_LISTS_S = 2.0
"""Seconds that a list of this machine's own tabs waits for those of the others."""
_MOST_FETCHED = 4
"""Large messages that are fetched at once."""


@attrs.frozen
class Listener:
    """What happens to a member."""

    body: Callable[[str, Body], None] = lambda _, __: None
    undelivered: Callable[[str, Sequence[Body]], None] = lambda _, __: None
    """There is no such hub (any more): these messages will not arrive."""
    lost: Callable[[], None] = lambda: None
    """The server has been away for a lease."""
    tick: Callable[[], None] = lambda: None
    """Each `RENEW_S`."""
    refused: Callable[[str, str, str], None] = lambda _, __, ___: None
    """What was refused ("message", "tab" or "hub"), of whom, and why."""


class Member:
    """One hub in its group. `serve` runs it. `clock`: Unix seconds; `machine`: its name."""

    def __init__(
        self, connect: Connect, key: GroupKey, machine: str, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.key = key
        self.machine = machine
        self.run = secrets.token_hex(16)
        self.on = Listener()
        self._connect = connect
        self._clock = clock
        self.offer = Offer(key, self.run)
        self.directory = Directory(key, self.run, clock, on_stranger=self._stranger)
        self.refusals: Counter[str] = Counter()
        self.changed = Changed()
        """Notified when the server is there, or away, or each time it could not be reached."""
        self.away: str | None = _NOT_YET
        """Why the server is away; None while it is there."""
        self.since = clock()
        """Since when it is there, or away, in Unix seconds."""
        self.clock_differs_s = 0.0
        """By how much this machine's clock is ahead of the server's."""
        self._engine: Engine | None = None
        self._renewed_at = -LEASE_S
        self._lost = True
        self._offered = Changed()
        self._posted = Changed()
        self._inbox = Inbox(key, self.run, trio.current_time)
        self._outbox: dict[str, list[bytes]] = {}
        self._unsent: list[Envelope] = []
        self._buffered = 0
        self._number = 0
        self._fetching = trio.CapacityLimiter(_MOST_FETCHED)

    # What the hub offers

    def put(self, tab_id: str, record: TabRecord) -> None:
        """Offer a tab, or change what is offered of it."""
        if self.offer.put(tab_id, record):
            self._offered.notify()

    def withdraw(self, tab_id: str) -> None:
        """Offer a tab no more."""
        if self.offer.withdraw(tab_id):
            self._offered.notify()

    # The directory

    @property
    def engine(self) -> Engine:
        """The server; `TAB_DISCONNECTED` while it is away."""
        if self._engine is None:
            raise self.away_error()
        return self._engine

    def away_error(self) -> KaptureError:
        """`TAB_DISCONNECTED`: the tabs of other machines are out of reach, because the server is."""
        return KaptureError(
            ErrorCode.TAB_DISCONNECTED,
            f"The tabs of other machines are out of reach: there is no connection to the server of the group"
            f" {self.key.name} ({self.away or 'it has just been lost'}).",
            hint="This machine's own tabs can be used. Try again in a moment.",
            quotes_page=True,  # the server's words
        )

    async def route(self, tab_id: str) -> str | None:
        """The run of the hub that has a tab; None if none has. `TAB_DISCONNECTED` while the server is away."""
        try:
            return await self.directory.route(self.engine, tab_id)
        except EngineAway:
            raise self.away_error() from None

    async def tabs(self) -> list[tuple[str, str, TabRecord]]:
        """All tabs of the other machines: machine, tab id, record; none while the server is away."""
        with trio.move_on_after(_LISTS_S), suppress(EngineAway):
            return [] if self._engine is None else await self.directory.tabs(self._engine)
        return []

    async def machines(self) -> list[HubFacts]:
        """The other machines; none while the server is away."""
        with trio.move_on_after(_LISTS_S), suppress(EngineAway):
            return [] if self._engine is None else await self.directory.machines(self._engine)
        return []

    async def live(self) -> frozenset[str] | None:
        """The runs of all hubs whose lease has not ended; None while the server is away."""
        try:
            return None if self._engine is None else await self._engine.live()
        except EngineAway:
            return None

    # Messages

    def post(self, run: str, body: Body) -> None:
        """Send a message that is not large. `QUEUE_FULL` if too much waits to be sent."""
        self._post(run, _encoded(body))

    def _post(self, run: str, raw: bytes) -> None:
        if self._buffered + len(raw) > _MOST_BUFFERED:
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                "Too much waits to be sent to the other machines of the group.",
                hint="Wait for answers before sending more.",
            )
        self._outbox.setdefault(run, []).append(raw)
        self._buffered += len(raw)
        self._posted.notify()

    async def send(self, run: str, body: messages.Call | messages.End) -> None:
        """Send a message of any size."""
        raw = _encoded(body)
        if len(raw) > messages.LARGE_BYTES:
            raw = _encoded(await self._chunked(body.call, isinstance(body, messages.Call), raw))
        self._post(run, raw)

    async def _chunked(self, call: int, is_call: bool, raw: bytes) -> Large:
        if len(raw) > messages.MOST_BYTES:
            raise KaptureError(
                ErrorCode.EXECUTION_ERROR,
                f"{len(raw):,} bytes are more than go to another machine at once ({messages.MOST_BYTES:,}).",
                hint="Ask for less: a smaller picture, or max_chars.",
            )
        parts = range(0, len(raw), messages.CHUNK_BYTES)
        chunks = {secrets.token_hex(16): raw[start : start + messages.CHUNK_BYTES] for start in parts}
        try:
            for name, chunk in chunks.items():
                await self.engine.put({name: chunk})
        except EngineAway:
            raise self.away_error() from None
        return Large(call, is_call, list(chunks), len(raw), hashlib.sha256(raw).digest())

    async def fetch(self, large: Large) -> Body:
        """The message that was left in chunks; `Refused` if it is not there, or not as it was."""
        if large.size > messages.MOST_BYTES or len(large.chunks) > -(-large.size // messages.CHUNK_BYTES):
            raise Refused("unreadable")
        raw = bytearray()
        try:
            async with self._fetching:
                for name in large.chunks:
                    for part in await self.engine.take([name]):
                        raw += part or b""
                    if len(raw) > large.size:
                        raise Refused("unreadable")
        except (EngineAway, KaptureError):
            raise Refused("unreadable") from None
        if len(raw) != large.size or hashlib.sha256(raw).digest() != large.sha256:
            raise Refused("unreadable")
        body = messages.decode_body(bytes(raw))
        of_call = isinstance(body, messages.Call)
        if of_call != large.is_call or not isinstance(body, messages.Call | messages.Answered | messages.Failed):
            raise Refused("unreadable")
        if body.call != large.call:
            raise Refused("unreadable")
        return body

    def refused(self, what: str, of: str, why: str) -> None:
        """Count and report what is not taken."""
        self.refusals[what] += 1
        self.on.refused(what, escaped(of[:_MOST_NAMED]), why)

    def _stranger(self, run: str) -> None:
        self.refused("hub", run, messages.WHY["signature"])

    async def leave(self) -> None:
        """Withdraw all that this hub has at the server, if that is there; else the lease ends by itself."""
        with trio.move_on_after(1), suppress(EngineAway):
            if self._engine is not None:
                await self._engine.leave(self.run)

    # The tasks

    async def serve(self) -> None:
        """Be in the group until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick)
            pause_s = _FIRST_PAUSE_S
            try:
                while True:
                    try:
                        async with self._connect() as engine:
                            await self._with(engine)
                    except* EngineAway as group:  # several tasks may meet it at once
                        was, self.away = self.away, str(_first_of(group))
                        if was is None:
                            self.since, pause_s = self._clock(), _FIRST_PAUSE_S
                        if was is None or was is _NOT_YET:
                            logger.warning("No connection to the server of the group %s: %s", self.key.name, self.away)
                        self.changed.notify()
                    await trio.sleep(pause_s * (0.75 + secrets.randbelow(500) / 1_000))  # not all come back at once
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            finally:
                nursery.cancel_scope.cancel()

    async def _with(self, engine: Engine) -> None:
        """Be connected, until that raises `EngineAway`."""
        self.offer.all_again()
        await self._renew(engine)
        self._engine, self.away, self.since = engine, None, self._clock()
        logger.info("In the group %s as %s.", self.key.name, self.machine)
        self.changed.notify()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_lease, engine)
                nursery.start_soon(self._send, engine)
                nursery.start_soon(self._receive, engine)
        finally:
            self._engine = None

    async def _keep_lease(self, engine: Engine) -> None:
        while True:
            with trio.move_on_after(RENEW_S):
                while not self.offer.pending:
                    await self._offered.wait()
                await trio.sleep(_GATHER_S)
            await self._renew(engine)

    async def _renew(self, engine: Engine) -> None:
        at = trio.current_time()
        for _ in range(2):
            facts = self.offer.facts(self.machine, __version__, self._clock())
            changed, gone = self.offer.changes()
            renewal = await engine.renew(self.run, facts, changed, gone)
            for tab_id in self.offer.renewed(gone, renewal.taken):
                self.refused("tab", tab_id, "another machine of the group has a tab with this id")
            if not renewal.fresh:
                break
            self.offer.all_again()
        self._renewed_at, self._lost = at, False
        self.clock_differs_s = self._clock() - renewal.now

    async def _send(self, engine: Engine) -> None:
        # The others refuse what is older: nothing that the server does not take is in the way of what comes later.
        oldest = self._clock() - messages.CLOCK_S
        kept = [envelope for envelope in self._unsent if envelope.sent > oldest]
        self._unsent = [msgspec.structs.replace(envelope, again=True) for envelope in kept]
        self._buffered = sum(map(len, chain(*self._outbox.values(), *(envelope.bodies for envelope in kept))))
        while True:
            while not self._outbox and not self._unsent:
                await self._posted.wait()
            for run, waiting in self._outbox.items():
                self._unsent += [self._envelope(run, bodies) for bodies in messages.in_envelopes(waiting)]
            self._outbox.clear()
            sending = self._unsent
            delivered = await engine.send(
                [(envelope.receiver, messages.sealed(self.key, envelope)) for envelope in sending]
            )
            if sending is not self._unsent:
                continue  # dropped meanwhile
            self._unsent, self._buffered = [], sum(map(len, chain(*self._outbox.values())))
            for envelope, arrives in zip(sending, delivered, strict=True):
                if not arrives:
                    self.directory.forget_hub(envelope.receiver)
                    # What is sent again may have arrived before: it is not known whether it has run.
                    bodies = [] if envelope.again else envelope.bodies
                    self.on.undelivered(envelope.receiver, [messages.decode_body(body) for body in bodies])

    def _envelope(self, run: str, bodies: Sequence[bytes]) -> Envelope:
        self._number += 1
        return Envelope(run, self.run, self._number, self._clock(), False, [msgspec.Raw(body) for body in bodies])

    async def _receive(self, engine: Engine) -> None:
        while True:
            for raw in await engine.receive(self.run):
                await trio.lowlevel.checkpoint()  # whatever comes, others have their turns
                try:
                    sender, bodies = self._inbox.open(raw, self._clock())
                except Refused as refused:
                    self.refused("message", refused.sender, str(refused))
                    continue
                for body in bodies:
                    self.on.body(sender, body)

    async def _tick(self) -> None:
        while True:
            await trio.sleep(RENEW_S)
            self._inbox.forget(self._clock())
            if trio.current_time() - self._renewed_at > LEASE_S:
                self._outbox, self._unsent, self._buffered = {}, [], 0
                if not self._lost:
                    self._lost = True
                    self.directory.forget_all()
                    self.on.lost()
            self.on.tick()


def _encoded(body: Body) -> bytes:
    """A message as it travels; `EXECUTION_ERROR` if it cannot, as with half of a character, which pages can make."""
    try:
        return messages.encode(body)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            f"This cannot cross from one machine to another: {error}.",
            hint="It may have taken effect: look at the page.",
        ) from error


def _first_of(error: BaseException) -> BaseException:
    """The first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
