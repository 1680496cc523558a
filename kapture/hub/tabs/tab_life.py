"""The connection of a tab to the hub, as a table: feed events in, get the next state and the actions out.

Only states, events and actions are here. `kapture.hub.tabs.tab.Tab` performs the actions; sockets, clocks and queues
are its business. What runs on the tab is no part of this: a command that a lost socket took along may still be
unwinding when the tab is back, and keeps its turn until it has.

    new → connected ⇄ disconnected → gone
              ↑    └──────────────────↑│
              └────────────────────────┘   (a tab that left connects again)
"""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """Whether a tab has a socket, may get it back, or has left."""

    NEW = "new"
    CONNECTED = "connected"
    DISCONNECTED = "disconnected"  # its socket ended; commands wait for it to come back
    GONE = "gone"


class Event(Enum):
    """Events of a tab."""

    REGISTERED = auto()
    LOST = auto()  # the socket ended
    LEFT = auto()  # the tab was closed, or its person disconnected it
    CLOSED = auto()  # a command closed the tab, and says itself how that went
    EXPIRED = auto()  # it did not come back in time


class Action(Enum):
    """Actions to take now, in the order given."""

    FAIL_RUNNING = auto()
    FAIL_WAITING = auto()
    START_GRACE = auto()
    END_GRACE = auto()
    START_NEXT = auto()


TABLE: dict[tuple[State, Event], tuple[State, tuple[Action, ...]]] = {
    (State.NEW, Event.REGISTERED): (State.CONNECTED, ()),
    (State.CONNECTED, Event.LOST): (State.DISCONNECTED, (Action.FAIL_RUNNING, Action.START_GRACE)),
    (State.CONNECTED, Event.LEFT): (State.GONE, (Action.FAIL_RUNNING, Action.FAIL_WAITING)),
    (State.CONNECTED, Event.CLOSED): (State.GONE, (Action.FAIL_WAITING,)),
    (State.DISCONNECTED, Event.REGISTERED): (State.CONNECTED, (Action.END_GRACE, Action.START_NEXT)),
    (State.DISCONNECTED, Event.EXPIRED): (State.GONE, (Action.FAIL_WAITING,)),
    (State.GONE, Event.REGISTERED): (State.CONNECTED, ()),
}


def step(state: State, event: Event) -> tuple[State, tuple[Action, ...]]:
    """The next state and the actions; `ValueError` for an event that cannot happen in this state."""
    try:
        return TABLE[state, event]
    except KeyError:
        raise ValueError(f"a tab that is {state.value} cannot have {event.name}") from None
