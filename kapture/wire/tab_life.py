"""The life of a tab in the hub, as a table: an event comes, the next state and what to do come out.

Only states, events and actions may stand here. `kapture.hub.tab` performs the actions; sockets, clocks and queues
are its business.

    connecting → ready ⇄ executing → disconnected → gone
                   ↑__________________________|________|   (the same tab registers again)
"""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """Where a tab is in its life."""

    CONNECTING = "connecting"  # known by a socket only
    READY = "ready"
    EXECUTING = "executing"
    DISCONNECTED = "disconnected"  # its socket ended; commands wait for it to come back
    GONE = "gone"


class Event(Enum):
    """What happens to a tab."""

    REGISTERED = auto()
    STARTED = auto()  # a queued command runs
    ENDED = auto()  # it runs no more, however it ended
    LOST = auto()  # the socket ended
    LEFT = auto()  # the tab was closed, or its person disconnected it
    EXPIRED = auto()  # it did not come back in time


class Action(Enum):
    """What is to be done now, in the order given."""

    FAIL_RUNNING = auto()
    FAIL_WAITING = auto()
    START_GRACE = auto()
    END_GRACE = auto()
    START_NEXT = auto()


_TABLE: dict[tuple[State, Event], tuple[State, tuple[Action, ...]]] = {
    (State.CONNECTING, Event.REGISTERED): (State.READY, (Action.START_NEXT,)),
    (State.CONNECTING, Event.LOST): (State.GONE, ()),
    (State.CONNECTING, Event.LEFT): (State.GONE, ()),
    (State.READY, Event.STARTED): (State.EXECUTING, ()),
    # A command of the socket before may still be unwinding when the tab is back.
    (State.READY, Event.ENDED): (State.READY, (Action.START_NEXT,)),
    (State.READY, Event.LOST): (State.DISCONNECTED, (Action.FAIL_RUNNING, Action.START_GRACE)),
    (State.READY, Event.LEFT): (State.GONE, (Action.FAIL_RUNNING, Action.FAIL_WAITING)),
    (State.EXECUTING, Event.ENDED): (State.READY, (Action.START_NEXT,)),
    (State.EXECUTING, Event.LOST): (State.DISCONNECTED, (Action.FAIL_RUNNING, Action.START_GRACE)),
    (State.EXECUTING, Event.LEFT): (State.GONE, (Action.FAIL_RUNNING, Action.FAIL_WAITING)),
    (State.DISCONNECTED, Event.REGISTERED): (State.READY, (Action.END_GRACE, Action.START_NEXT)),
    (State.DISCONNECTED, Event.ENDED): (State.DISCONNECTED, ()),
    (State.DISCONNECTED, Event.LEFT): (State.GONE, (Action.END_GRACE, Action.FAIL_WAITING)),
    (State.DISCONNECTED, Event.EXPIRED): (State.GONE, (Action.FAIL_WAITING,)),
    (State.GONE, Event.REGISTERED): (State.READY, (Action.START_NEXT,)),
    (State.GONE, Event.ENDED): (State.GONE, ()),
}


def step(state: State, event: Event) -> tuple[State, tuple[Action, ...]]:
    """The next state and the actions; `ValueError` for an event that cannot happen in this state."""
    try:
        return _TABLE[state, event]
    except KeyError:
        raise ValueError(f"a tab that is {state.value} cannot have {event.name}") from None


CONNECTED = frozenset({State.READY, State.EXECUTING})
"""The states in which a tab has a socket."""
