"""The life of a command, as a table: an event comes, the next state and what to do come out.

    waiting → running → answered
                 └→ cancelling → answered     (timed out or cancelled: its caller has an answer, the tab not yet)

The caller gets exactly one answer: `ANSWER_CALLER` is in exactly one step of every path from `waiting`.
"""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """Where a command is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    CANCELLING = "cancelling"
    ANSWERED = "answered"


class Event(Enum):
    """What happens to a command."""

    STARTED = auto()
    ANSWERED = auto()  # the tab answers
    ABANDONED = auto()  # its time is up, its caller has gone, or it is no longer allowed
    LOST = auto()  # its tab has gone


class Action(Enum):
    """What is to be done now, in the order given."""

    SEND = auto()
    ANSWER_CALLER = auto()
    TELL_TAB = auto()  # send `cancel`
    DROP_LATE = auto()  # an answer that nobody waits for: count it
    DROP_FOREIGN = auto()  # an answer to what was never asked: count it as a bad message


_TABLE: dict[tuple[State, Event], tuple[State, tuple[Action, ...]]] = {
    (State.WAITING, Event.STARTED): (State.RUNNING, (Action.SEND,)),
    (State.WAITING, Event.ANSWERED): (State.WAITING, (Action.DROP_FOREIGN,)),
    (State.WAITING, Event.ABANDONED): (State.ANSWERED, (Action.ANSWER_CALLER,)),
    (State.WAITING, Event.LOST): (State.ANSWERED, (Action.ANSWER_CALLER,)),
    (State.RUNNING, Event.ANSWERED): (State.ANSWERED, (Action.ANSWER_CALLER,)),
    (State.RUNNING, Event.ABANDONED): (State.CANCELLING, (Action.ANSWER_CALLER, Action.TELL_TAB)),
    (State.RUNNING, Event.LOST): (State.ANSWERED, (Action.ANSWER_CALLER,)),
    (State.CANCELLING, Event.ANSWERED): (State.ANSWERED, (Action.DROP_LATE,)),
    (State.CANCELLING, Event.ABANDONED): (State.CANCELLING, ()),
    (State.CANCELLING, Event.LOST): (State.ANSWERED, ()),
    (State.ANSWERED, Event.ANSWERED): (State.ANSWERED, (Action.DROP_LATE,)),
    (State.ANSWERED, Event.ABANDONED): (State.ANSWERED, ()),
    (State.ANSWERED, Event.LOST): (State.ANSWERED, ()),
}


def step(state: State, event: Event) -> tuple[State, tuple[Action, ...]]:
    """The next state and the actions; `ValueError` for an event that cannot happen in this state."""
    try:
        return _TABLE[state, event]
    except KeyError:
        raise ValueError(f"a command that is {state.value} cannot have {event.name}") from None
