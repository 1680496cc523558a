from __future__ import annotations

import pytest

from kapture.client.json_rpc import MessageHead, Subject, read_head, read_subject

DEEP = b"[" * 3_000


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"nonsense",
        b'{"method": "\x80"}',
        b'{"id": 1.5, "method": "ping"}',
        b'{"id": ' + DEEP,
        b'{"params": ' + DEEP,
    ],
)
def test_what_is_no_message_has_an_empty_head_and_no_subject(message: bytes) -> None:
    assert read_head(message) == MessageHead()
    assert read_subject(message) == Subject()
