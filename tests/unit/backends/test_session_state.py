"""Earlier events replayed to the users of a shared session."""

from __future__ import annotations

from typing import Any

from kapture.backends.shared_session import ConsoleMessages
from kapture.cdp.session_settings import SessionId

LOGGED = "Runtime.consoleAPICalled"


def log(messages: ConsoleMessages, text: str, session_id: SessionId = None) -> None:
    messages.take(LOGGED, {"args": [{"type": "string", "value": text}]}, session_id)


def texts(messages: ConsoleMessages, session_id: SessionId = None) -> list[Any]:
    return [params["args"][0]["value"] for _, params in messages.of(session_id)]


def test_the_newest_messages_are_kept() -> None:
    messages = ConsoleMessages()
    for number in range(1_002):
        log(messages, str(number))
    assert texts(messages)[0] == "2"
    assert len(texts(messages)) == 1_000


def test_long_messages_are_kept_up_to_four_megabytes() -> None:
    messages = ConsoleMessages()
    for letter in "abcde":
        log(messages, letter * 1_000_000)
    assert [text[0] for text in texts(messages)] == ["c", "d", "e"]
    log(messages, "f" * 5_000_000)
    assert texts(messages) == []


def test_messages_go_with_the_documents_and_the_session_that_logged_them() -> None:
    messages = ConsoleMessages()
    log(messages, "page")
    log(messages, "frame", "S")
    messages.take("Runtime.executionContextsCleared", {}, None)
    assert (texts(messages), texts(messages, "S")) == ([], ["frame"])
    messages.discard("S")
    assert texts(messages, "S") == []
