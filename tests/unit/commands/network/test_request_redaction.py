"""What is left out of requests before they are shown."""

from __future__ import annotations

import pytest

from kapture.commands.network.redaction import redacted_body, redacted_headers
from kapture.page.typed_secrets import TypedSecrets

FORM = "application/x-www-form-urlencoded;charset=UTF-8"
JSON = "application/json"
PARTS = (
    b'--X\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r\n'
    b'--X\r\nContent-Disposition: form-data; name="pass_word"\r\n\r\nhunter2\r\n--X--\r\n'
)


def test_headers_that_carry_a_session_are_redacted() -> None:
    shown = redacted_headers({"Cookie": "a=1", "AUTHORIZATION": "Bearer x", "Accept": "*/*"})
    assert shown == {"Cookie": "(redacted)", "AUTHORIZATION": "(redacted)", "Accept": "*/*"}


@pytest.mark.parametrize(
    ("kind", "sent", "shown"),
    [
        (FORM, b"user=ada&password=hunter2&next=%2F", b"user=ada&password=(redacted)&next=%2F"),
        (FORM, b"user%5Bpass+word%5D=hunter2&a", b"user%5Bpass+word%5D=(redacted)&a"),
        (JSON, b'{"user":"ada","login":[{"newPassword":"hunter2","pin":1234}]}', None),
        (JSON, b'[{"name": "password", "value": "hunter2"}, {"value": 1234, "name": "pin"}]', None),
        ("text/plain", b' {"refresh_token": "hunter2"}', None),
        ("multipart/form-data; boundary=X", PARTS, PARTS.replace(b"hunter2", b"(redacted)")),
    ],
)
def test_the_values_of_secret_fields_are_not_shown(kind: str, sent: bytes, shown: bytes | None) -> None:
    found = redacted_body({"content-type": kind}, sent, TypedSecrets())
    assert b"hunter2" not in found
    assert b"1234" not in found
    assert b"(redacted)" in found
    assert shown is None or found == shown


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (FORM, b"passage=long&compass=north&secretary=ada&q=password"),
        (JSON, b'{ "text": "my password", "password": {"rules": []}, "password_set": true }'),
        (JSON, b'{"password": "cut off'),
        (JSON, b"[" * 5_000),
        ("multipart/form-data", PARTS),
        ("", b"\xff\xfe password=x"),
    ],
)
def test_anything_else_is_shown_as_it_was_sent(kind: str, sent: bytes) -> None:
    assert redacted_body({"Content-Type": kind}, sent, TypedSecrets()) == sent
