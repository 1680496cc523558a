from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.wire import command_life, tab_life


@given(st.lists(st.sampled_from(command_life.Event)))
def test_a_command_is_answered_exactly_once_whatever_happens(events: list[command_life.Event]) -> None:
    state, answers = command_life.State.WAITING, 0
    for event in [*events, command_life.Event.LOST]:
        try:
            state, actions = command_life.step(state, event)
        except ValueError:
            assert event is command_life.Event.STARTED
            assert state is not command_life.State.WAITING
            continue
        answers += actions.count(command_life.Action.ANSWER_CALLER)
    assert state is command_life.State.ANSWERED
    assert answers == 1


def test_a_command_is_sent_only_from_waiting_and_a_late_answer_is_never_delivered() -> None:
    for state in command_life.State:
        for event in command_life.Event:
            try:
                _, actions = command_life.step(state, event)
            except ValueError:
                continue
            assert (command_life.Action.SEND in actions) == (event is command_life.Event.STARTED)
            if state in (command_life.State.CANCELLING, command_life.State.ANSWERED):
                assert command_life.Action.ANSWER_CALLER not in actions
            if command_life.Action.TELL_TAB in actions:
                assert state is command_life.State.RUNNING


@given(st.lists(st.sampled_from(tab_life.Event)))
def test_a_tab_that_goes_never_leaves_commands_behind(events: list[tab_life.Event]) -> None:
    """Model: who waits and what runs. Gone tabs have neither; a tab with a socket has no grace running."""
    state, grace, may_run, running = tab_life.State.CONNECTING, False, False, False
    for event in events:
        try:
            state, actions = tab_life.step(state, event)
        except ValueError:
            continue
        for action in actions:
            match action:
                case tab_life.Action.START_GRACE:
                    assert not grace
                    grace = True
                case tab_life.Action.END_GRACE:
                    assert grace
                    grace = False
                case tab_life.Action.FAIL_RUNNING:
                    running = False
        if event is tab_life.Event.EXPIRED:
            grace = False
        running = event is tab_life.Event.STARTED or (running and event is not tab_life.Event.ENDED)
        may_run = state in tab_life.CONNECTED
        assert not (running and not may_run), "a command runs on a tab without a socket"
        assert grace == (state is tab_life.State.DISCONNECTED)


def test_a_gone_tab_fails_what_waits() -> None:
    for state in tab_life.State:
        for event in tab_life.Event:
            try:
                after, actions = tab_life.step(state, event)
            except ValueError:
                continue
            if after is tab_life.State.GONE and state not in (tab_life.State.GONE, tab_life.State.CONNECTING):
                assert tab_life.Action.FAIL_WAITING in actions
            if tab_life.Action.START_NEXT in actions:
                assert after is tab_life.State.READY


def test_what_cannot_happen_is_an_error() -> None:
    with pytest.raises(ValueError, match="gone"):
        tab_life.step(tab_life.State.GONE, tab_life.Event.STARTED)
    with pytest.raises(ValueError, match="running"):
        command_life.step(command_life.State.RUNNING, command_life.Event.STARTED)
