"""The page of a tab that carries CDP, as a table: feed events in, get the next state and the actions out.

Only states, events and actions are here; `kapture.backends.tab_page` performs the actions.

    opening ⇄ open
       ↑ ↓      ↓
     failed → detached      (and from everywhere: closed)
       every one of them → opening, when the debugger is attached anew
       open → held → opening, while a script has the debugger's session
"""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """The state of a tab's page, as commands see it."""

    OPENING = "opening"  # being set up, or about to be
    OPEN = "open"
    FAILED = "failed"  # could not be set up, or broke
    DETACHED = "detached"  # the browser does not allow debugging the tab now
    HELD = "held"  # a script uses the debugger's session
    CLOSED = "closed"  # its socket has ended


class Event(Enum):
    """Events of a page."""

    OPENED = auto()  # it is set up
    BROKE = auto()  # setting it up failed, or a task of its engine failed
    ATTACHED = auto()  # the debugger was attached again: a page set up before is void
    DETACHED = auto()
    HELD = auto()  # a script was given the debugger's session
    CHANGED = auto()  # the address, title or grant changed
    CLOSED = auto()  # the socket ended


class Action(Enum):
    """Actions to take next, in this order."""

    KEEP_PAGE = auto()
    DROP_PAGE = auto()  # and end whatever uses it
    KEEP_REASON = auto()  # why commands cannot run
    DROP_REASON = auto()


TABLE: dict[tuple[State, Event], tuple[State, tuple[Action, ...]]] = {
    (State.OPENING, Event.OPENED): (State.OPEN, (Action.KEEP_PAGE,)),
    (State.OPENING, Event.BROKE): (State.FAILED, (Action.DROP_PAGE, Action.KEEP_REASON)),
    (State.OPENING, Event.ATTACHED): (State.OPENING, (Action.DROP_PAGE,)),
    (State.OPENING, Event.DETACHED): (State.DETACHED, (Action.DROP_PAGE, Action.KEEP_REASON)),
    (State.OPENING, Event.CHANGED): (State.OPENING, ()),
    (State.OPENING, Event.CLOSED): (State.CLOSED, (Action.DROP_PAGE, Action.KEEP_REASON)),
    (State.OPEN, Event.BROKE): (State.FAILED, (Action.DROP_PAGE, Action.KEEP_REASON)),
    (State.OPEN, Event.ATTACHED): (State.OPENING, (Action.DROP_PAGE,)),
    (State.OPEN, Event.DETACHED): (State.DETACHED, (Action.DROP_PAGE, Action.KEEP_REASON)),
    (State.OPEN, Event.CHANGED): (State.OPEN, ()),
    (State.OPEN, Event.CLOSED): (State.CLOSED, (Action.DROP_PAGE, Action.KEEP_REASON)),
    (State.OPEN, Event.HELD): (State.HELD, (Action.DROP_PAGE,)),
    (State.FAILED, Event.ATTACHED): (State.OPENING, (Action.DROP_REASON,)),
    (State.FAILED, Event.DETACHED): (State.DETACHED, (Action.KEEP_REASON,)),
    # What prevented setting it up may be gone.
    (State.FAILED, Event.CHANGED): (State.OPENING, (Action.DROP_REASON,)),
    (State.FAILED, Event.CLOSED): (State.CLOSED, (Action.KEEP_REASON,)),
    (State.DETACHED, Event.ATTACHED): (State.OPENING, (Action.DROP_REASON,)),
    (State.DETACHED, Event.DETACHED): (State.DETACHED, (Action.KEEP_REASON,)),
    (State.DETACHED, Event.CHANGED): (State.DETACHED, ()),
    (State.DETACHED, Event.CLOSED): (State.CLOSED, (Action.KEEP_REASON,)),
    (State.HELD, Event.ATTACHED): (State.OPENING, ()),
    (State.HELD, Event.DETACHED): (State.DETACHED, (Action.KEEP_REASON,)),
    (State.HELD, Event.CHANGED): (State.HELD, ()),
    (State.HELD, Event.CLOSED): (State.CLOSED, (Action.KEEP_REASON,)),
}


def step(state: State, event: Event) -> tuple[State, tuple[Action, ...]]:
    """The next state and the actions; `ValueError` for an event that cannot happen in this state."""
    try:
        return TABLE[state, event]
    except KeyError:
        raise ValueError(f"a page that is {state.value} cannot have {event.name}") from None
