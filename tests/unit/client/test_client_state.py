"""What outlives a hub, message by message."""

from __future__ import annotations

import json
from typing import Any

from kapture.client.client_state import ClientState


def message(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


INITIALIZE = message(id=0, method="initialize", params={})
INITIALIZED = message(method="notifications/initialized")


def connected() -> ClientState:
    state = ClientState()
    state.from_client(INITIALIZE)
    state.from_hub(message(id=0, result={}))
    state.from_client(INITIALIZED)
    return state


def test_an_unanswered_request_is_answered_with_an_error_when_the_hub_is_lost() -> None:
    state = connected()
    state.from_client(message(id=1, method="tools/call", params={}))
    state.from_client(message(id=2, method="tools/call", params={}))
    state.from_hub(message(id=1, result={}))
    lost = [json.loads(one) for one in state.hub_lost()]
    assert [one["id"] for one in lost] == [2]
    assert "restarted during tools/call" in lost[0]["error"]["message"]
    assert state.waiting == ()


def test_a_lost_handshake_is_repeated_three_times_and_then_an_error() -> None:
    state = ClientState()
    state.from_client(INITIALIZE)
    for _ in range(3):
        assert list(state.hub_lost()) == []
        assert state.handshake == INITIALIZE
        assert state.handshake_waits
    (error,) = state.hub_lost()
    assert json.loads(error)["id"] == 0
    assert state.handshake is None


def test_questions_of_a_lost_hub_are_cancelled_and_their_answers_reach_no_other() -> None:
    state = connected()
    state.from_hub(message(id="q", method="elicitation/create", params={}))
    (cancelled,) = (json.loads(one) for one in state.hub_lost())
    assert cancelled["params"]["requestId"] == "q"
    assert not state.from_client(message(id="q", result={}))
    assert state.from_client(message(id="q", result={})), "the id may be used again by the next hub"


def test_a_new_hub_gets_the_settings_and_the_client_none_of_its_answers_to_them() -> None:
    state = connected()
    level = message(id=1, method="logging/setLevel", params={"level": "info"})
    kept = message(id=2, method="resources/subscribe", params={"uri": "kapture://tab/a"})
    dropped = message(id=3, method="resources/subscribe", params={"uri": "kapture://tab/b"})
    for line in (level, kept, dropped):
        state.from_client(line)
    state.from_client(message(id=4, method="resources/unsubscribe", params={"uri": "kapture://tab/b"}))
    for number in (1, 2, 3, 4):
        assert state.from_hub(message(id=number, result={}))
    list(state.hub_lost())
    assert list(state.replay()) == [INITIALIZED, level, kept]
    assert not state.from_hub(message(id=1, result={}))
    assert not state.from_hub(message(id=2, result={}))
    assert state.from_hub(message(id=2, result={})), "a second answer is not one to a repeated request"
