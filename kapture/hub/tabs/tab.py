"""One tab as the router sees it: its identity, its queue, and what runs on it.

A command runs in the task of its caller: `turn` gives the caller the tab for the duration of a block, one block at a
time. So cancelling a caller cancels its command, whether it waits or runs, and each caller gets exactly one answer
because it is one function call.
"""

from __future__ import annotations

import datetime
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Generic, TypeVar

import attrs
import trio

from kapture.backends.backend import Address, Backend, ScriptSessions, TabPanel, left_error
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.call import Call
from kapture.hub.client import Client
from kapture.hub.tabs import tab_life
from kapture.hub.tabs.tab_life import Action, Event, State
from kapture.policy import Grant
from kapture.settings import Limits
from kapture.wire.extension_messages import Bond

_GONE_URL = 500
"""Characters kept of a gone tab's URL: records name its site."""

_ACTION_ENDS_S = 1.0
"""How long an action may go on after its tab was closed, in seconds."""


def _nothing() -> None:
    return


@attrs.frozen(kw_only=True)
class Identity:
    """The identity of a tab: how its socket was authenticated, and the secret id of its browser instance."""

    kind: str
    instance: str = attrs.field(repr=False)

    def allows(self, other: Identity, *, connected: bool) -> bool:
        """Whether another socket may take over the id that this one uses, or (not `connected`) used."""
        if self != other:
            return False
        return bool(self.instance) or not connected  # without an instance two clients cannot be told apart


@attrs.define(eq=False)
class _QueueEntry:
    """A command in the queue. `called` is set when its turn comes, or, with `error`, when it never will."""

    running: Call
    ready: bool = True
    called: trio.Event = attrs.field(factory=trio.Event)
    error: KaptureError | None = None
    asking: trio.CancelScope | None = None  # around `admit`

    def fail(self, error: KaptureError) -> None:
        """Give up waiting: its turn will never come."""
        self.error = error
        self.called.set()
        if self.asking is not None:
            self.asking.cancel()


class Tab:
    """A tab that has registered at least once. `start_grace` is called when its socket is lost."""

    def __init__(self, tab_id: str, identity: Identity, limits: Limits, start_grace: Callable[[Tab], None]) -> None:
        self.tab_id = tab_id
        self.identity = identity
        self.grant: Grant | None = None
        self.bond: Bond | None = None  # the standing grant that its own is a part of
        self.for_group = False  # whether it is also for the agents of the hub's group
        self.connected_at = time.time()
        self.last_address = Address(url="", title="")  # while there is no backend
        self.state = State.NEW
        self.backend: Backend | None = None
        self.on_replaced: Callable[[], None] = _nothing
        self.gone_at: float | None = None  # since when it has no backend, Unix seconds
        self.back = trio.Event()  # set when a disconnected tab is back, or gone
        self.control_commands: set[Call] = set()
        self.handed_over: Call | None = None
        """The call by which a client has given the tab to its person, while they have it."""
        self.barred: set[str] = set()
        """Ids of clients whose scripts may not hold the tab again, because its person took it back from them."""
        self.shows = True
        """Whether its page may show who acts on it."""
        self._limits = limits
        self._start_grace = start_grace
        self._queue: LinedQueue[_QueueEntry] = LinedQueue()
        self._holder: _QueueEntry | None = None
        self._why_left = ""
        self.was_closed = False
        """Whether it is not there any more in the browser either."""
        self.used_at = 0.0
        """When a command on it has ended last, on Trio's clock."""
        self.registered = 0
        """How many times it has registered."""

    @property
    def connected(self) -> bool:
        """Whether it has a socket now."""
        return self.state is State.CONNECTED

    @property
    def running(self) -> Call | None:
        """The queued command whose turn it is."""
        return self._holder.running if self._holder is not None else None

    @property
    def panel(self) -> TabPanel | None:
        """The user interface in the tab's browser, while it is connected."""
        return self.backend.panel if self.backend is not None else None

    @property
    def scripts(self) -> ScriptSessions | None:
        """Return the tab's interface for scripts, while it is connected."""
        return self.backend.scripts if self.backend is not None else None

    def all_running(self) -> list[Call]:
        """The command whose turn it is, and the commands of the control lane."""
        return [*filter(None, [self.running]), *self.control_commands]

    @property
    def script(self) -> Call | None:
        """The script that holds the tab, while one does."""
        running = self.running
        return running if running is not None and running.holds else None

    @property
    def waiting(self) -> int:
        """The number of commands that wait for their turn."""
        return len(self._queue)

    @property
    def idle(self) -> bool:
        """Whether nothing runs on the tab or waits for it."""
        return self._holder is None and not self._queue and not self.control_commands

    def attach(self, backend: Backend, on_replaced: Callable[[], None]) -> None:
        """Use the backend of a tab that has registered. `on_replaced` closes it when a newer one takes over."""
        self.backend = backend
        self.on_replaced = on_replaced
        self.shows = True
        self.registered += 1
        self.connected_at = time.time()
        self.gone_at = None
        self._happened(Event.REGISTERED)

    def detach(self, backend: Backend, error: KaptureError, *, left: bool) -> None:
        """Remove a backend that is closed; what ran on it fails with this error. `left`: the tab will not come back."""
        if self.backend is not backend:
            return  # a newer one has taken over
        self.last_address = backend.address
        self._why_left = backend.why_left
        self.was_closed = left and (backend.closing or backend.why_left == "target_closed")
        self.backend = None
        self.gone_at = time.time()
        self.on_replaced = _nothing  # it holds the connection
        if self.script is not None:
            self.script.fail(error)  # even if a command closed the tab: only that command ends by itself
        if left:
            self._happened(Event.CLOSED if backend.closing else Event.LEFT, error)
        else:
            self._happened(Event.LOST, error)

    def expire(self) -> None:
        """End the grace period of a tab that did not come back."""
        if self.state is State.DISCONNECTED:
            self._happened(Event.EXPIRED)

    def shorten_address(self) -> None:
        """Keep of a gone tab's address what the record of its last call names: many gone tabs are remembered."""
        self.last_address = Address(url=self.last_address.url[:_GONE_URL], title="")

    def _happened(self, event: Event, error: KaptureError | None = None) -> None:
        self.state, actions = tab_life.step(self.state, event)
        for action in actions:
            match action:
                case Action.FAIL_RUNNING:
                    self.fail_running(error or self.gone_error())
                case Action.FAIL_WAITING:
                    self.fail_waiting(self.gone_error())
                case Action.START_GRACE:
                    self.back = trio.Event()
                    self._start_grace(self)
                case Action.END_GRACE:
                    self.back.set()
                case Action.START_NEXT:
                    self._start_next()

    def fail_running(self, error: KaptureError) -> None:
        """End every running command with this error. An action whose tab is closed may have closed it."""
        was_closed = error.data.get("reason") == "target_closed"
        for running in self.all_running():
            running.fail(error, within_s=_ACTION_ENDS_S if was_closed and running.command.acts else 0)

    def end_hold(self) -> None:
        """End the hold of the script that has the tab, because the person takes it back."""
        if (script := self.script) is not None:
            self.barred.add(script.client.client_id)
            script.fail(KaptureError(ErrorCode.CANCELLED, f"The person has taken tab {self.tab_id} back."))

    def fail_of(self, whose: Callable[[Client], bool], error: KaptureError) -> None:
        """End with this error what these clients run or wait for; a script of theirs may not hold the tab again."""
        if (script := self.script) is not None and whose(script.client):
            self.barred.add(script.client.client_id)
        for running in self.all_running():
            if whose(running.client):
                running.fail(error)
        for entry in [entry for entry in self._queue if whose(entry.running.client)]:
            self._queue.remove(entry.running.client, entry)
            entry.fail(error)

    def fail_waiting(self, error: KaptureError) -> None:
        """End every waiting command with this error."""
        for entry in self._queue.clear():
            entry.fail(error)

    def gone_error(self) -> KaptureError:
        """`TAB_DISCONNECTED`, saying why and how long ago."""
        if self.gone_at is None:
            when = "a moment ago"
        else:
            seconds = max(0, time.time() - self.gone_at)
            when = f"{seconds:.0f} s ago" if seconds < 120 else f"{seconds / 60:.0f} min ago"
        return left_error(self.tab_id, self._why_left, when)

    @asynccontextmanager
    async def turn(self, running: Call, admit: Callable[[], Awaitable[None]] | None = None) -> AsyncIterator[bool]:
        """Wait in the queue and have the tab for the duration of the block. Yields whether anything else ran meanwhile.

        `admit` must be done before (asking a person): the command keeps its position meanwhile, and other clients'
        commands go on. Raises `QUEUE_FULL`, `DIALOG_OPEN`, `TAB_DISCONNECTED`, or what `admit` raises, before the block
        begins.
        """
        entry = self._enter(running, ready=admit is None)
        try:
            if admit is not None:
                with trio.CancelScope() as entry.asking:
                    await admit()
                entry.ready = True
                self._start_next()
            if at_once := admit is None and entry.called.is_set():
                await trio.lowlevel.checkpoint_if_cancelled()
            else:
                await entry.called.wait()
            if entry.error is not None:
                raise entry.error
            yield not at_once
        finally:
            self._leave(entry)

    @contextmanager
    def control(self, running: Call) -> Iterator[None]:
        """Have the tab for a command of the control lane, without waiting. Raises `TAB_DISCONNECTED`."""
        if not self.connected:
            raise self.gone_error() if self.state is State.GONE else disconnected_error(self.tab_id)
        if self.handed_over is not None:
            raise handed_over_error(self.tab_id, self.handed_over)
        if self.script is not None:
            raise busy_error(self.tab_id, self.script)
        has_one = any(one.client.line == running.client.line for one in self.control_commands)
        if len(self.control_commands) >= self._limits.queue and has_one:
            raise self._full()
        self.control_commands.add(running)
        try:
            yield
        finally:
            self.control_commands.discard(running)
            self.used_at = trio.current_time()

    def _enter(self, running: Call, *, ready: bool) -> _QueueEntry:
        if self.state is State.GONE:
            raise self.gone_error()
        if self.script is not None and not running.holds:
            raise busy_error(self.tab_id, self.script)
        handed_over = self.handed_over
        if handed_over and not running.holds and running.client.session != handed_over.client.session:
            raise handed_over_error(self.tab_id, handed_over)
        if (blocked := self.backend and self.backend.blocked) and running.command.name not in blocked.lets:
            raise blocked
        if len(self._queue) + (self._holder is not None) >= self._limits.queue and self._has(running.client):
            raise self._full()
        entry = _QueueEntry(running, ready=ready)
        self._queue.push(running.client, entry)
        self._start_next()
        return entry

    def _has(self, client: Client) -> bool:
        """Whether a command of this client's line runs or waits. One that has none gets in where others fill the
        queue."""
        return self._queue.has(client) or (self.running is not None and self.running.client.line == client.line)

    def _full(self) -> KaptureError:
        return KaptureError(
            ErrorCode.QUEUE_FULL,
            f"Tab {self.tab_id} already has {self._limits.queue} commands running or waiting.",
            hint="Wait for answers before sending more.",
            data={"limit": self._limits.queue},
        )

    def _start_next(self) -> None:
        if self.state is not State.CONNECTED or self._holder is not None:
            return
        self._holder = self._queue.pop(lambda entry: entry.ready)
        if self._holder is not None:
            self._holder.running.turn_at = time.time()
            self._holder.called.set()
            if self._holder.running.holds:
                self._fail_commands(busy_error(self.tab_id, self._holder.running))

    def _fail_commands(self, error: KaptureError) -> None:
        """End every waiting command with this error; scripts that wait for the tab go on waiting."""
        for entry in [entry for entry in self._queue if not entry.running.holds]:
            self._queue.remove(entry.running.client, entry)
            entry.fail(error)

    def _leave(self, entry: _QueueEntry) -> None:
        self.used_at = trio.current_time()
        if entry is self._holder:
            self._holder = None
            self._start_next()
        else:
            self._queue.remove(entry.running.client, entry)


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


class LinedQueue(Generic[T]):
    """A queue in which the lines of clients (`Client.line`) take turns, and in each line its clients."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, FairQueue[T]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __iter__(self) -> Iterator[T]:
        """Every item, client by client."""
        for line in self._lines.values():
            yield from line

    def has(self, client: Client) -> bool:
        """Whether something of this client's line is in the queue."""
        return client.line in self._lines

    def push(self, client: Client, item: T) -> None:
        """Put a client's item at the end of its own."""
        self._lines.setdefault(client.line, FairQueue()).push(client.client_id, item)

    def pop(self, ready: Callable[[T], bool] = lambda _: True) -> T | None:
        """Take the next item that is ready; None if there is none."""
        for name, line in self._lines.items():
            if (item := line.pop(ready)) is not None:
                self._lines.move_to_end(name)
                self._drop_empty(name)
                return item
        return None

    def remove(self, client: Client, item: T) -> None:
        """Remove an item of a client's, if it is there."""
        if (line := self._lines.get(client.line)) is not None:
            line.remove(client.client_id, item)
            self._drop_empty(client.line)

    def clear(self) -> list[T]:
        """Remove everything; returns it in the order in which it would have been served."""
        return list(iter(self.pop, None))

    def _drop_empty(self, name: str) -> None:
        if not self._lines[name]:
            del self._lines[name]


def busy_error(tab_id: str, script: Call) -> KaptureError:
    """`TAB_BUSY`: which script holds the tab, and since when."""
    held_by = held_by_row(script)
    return KaptureError(
        ErrorCode.TAB_BUSY,
        f"A script, {held_by['client']}, has held tab {tab_id} since {held_by['since']}.",
        hint=f"Wait until it has left, or have the person take it back: `kapture release {tab_id}`, or the panel.",
        data={"tabId": tab_id, "heldBy": held_by},
    )


def handed_over_error(tab_id: str, call: Call) -> KaptureError:
    """`TAB_BUSY`: the person has the tab, since when and for whom."""
    held_by = held_by_row(call)
    return KaptureError(
        ErrorCode.TAB_BUSY,
        f"The person has had tab {tab_id} since {held_by['since']}, because {held_by['client']} has asked them to do"
        " something in it.",
        hint="Wait until they give it back, or work in another tab.",
        data={"tabId": tab_id, "handedOver": held_by},
    )


def held_by_row(script: Call) -> dict[str, str]:
    """Which script holds a tab since when, for `list_tabs` and `status`."""
    since = datetime.datetime.fromtimestamp(script.turn_at or time.time(), datetime.UTC)
    return {"client": script.client.display_name, "since": since.isoformat(timespec="seconds").replace("+00:00", "Z")}


def disconnected_error(tab_id: str) -> KaptureError:
    """`TAB_DISCONNECTED`, of a tab that may come back."""
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        f"Tab {tab_id} lost its connection a moment ago.",
        hint=Wording("It may reconnect within seconds: try again.", "{list_tabs} shows whether it is back."),
        data={"tabId": tab_id},
    )


UNVOUCHED = frozenset({"token", "open"})
"""The kinds of tabs whose program has shown no more than a client has: the client token, or nothing on an open port.
That program decides what such a tab shows, so it is not chosen for calls that do not name it; on an open port, where
everybody may be everything, `open` ones are if there are no others."""

_VOUCHED = frozenset({"extension", "launch", "attach"})
"""The kinds whose documents have the origins that a browser has given them, and not a client."""


def kind_of(tab: Tab) -> str:
    """How its browser was connected: `extension` (the tab's socket has proved that it holds the key), `launch`,
    `attach`, `relay`, or one of `UNVOUCHED`."""
    return kind_of_identity(tab.identity)


def kind_of_identity(identity: Identity) -> str:
    """The same of a tab that is registering."""
    return "extension" if identity.kind == "key" else identity.kind


def check_vouched(tab: Tab) -> None:
    """`POLICY_DENIED` if stored secrets may not be sent to this tab: nobody but a client says what it shows."""
    kind, backend = kind_of(tab), tab.backend
    if kind in _VOUCHED and backend is None:
        raise tab.gone_error()
    if kind not in _VOUCHED or backend is None or backend.executes_itself:
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"Stored secrets are not given to tab {tab.tab_id}, of the kind {kind}: no browser that Kapture trusts "
            "says what it shows.",
            hint="Run the scenario on a tab of the Kapture extension, or of `kapture launch` or `kapture attach`; or "
            "give the secrets to this run with override_secrets.",
            data={"tabId": tab.tab_id, "kind": kind},
        )


def how_widened(tab: Tab) -> str:
    """How the person widens the tab's grant; "" if in the extension."""
    return _WIDENED_BY.get(tab.identity.kind, "")


_AGAIN = "Ask the person to run `kapture {}` again with {{missing}}."
_WIDENED_BY = {
    "launch": _AGAIN.format("launch"),
    "attach": _AGAIN.format("attach"),
    "relay": "A part of its grant was taken away in the Console, for as long as the hub runs: ask the person.",
}
