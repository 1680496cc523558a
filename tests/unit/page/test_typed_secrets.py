"""Redaction of typed passwords wherever requests show them."""

from __future__ import annotations

import base64
import html
import json
import time
from urllib.parse import quote, quote_plus

import pytest

from kapture.page.typed_secrets import MOST_BYTES, MOST_VALUES, REDACTED, TypedSecrets

PASSWORDS = [
    "hunter2",
    'pä$$ & "wörd" <1>/=%+',
    "a b+c/d?e",
    "\U0001f511key",
    "1234",
    "".join(map(chr, range(48, 123))) * 6,
]


def typed(*values: str) -> TypedSecrets:
    secrets = TypedSecrets()
    for value in values:
        secrets.add(value)
    return secrets


def spelled(value: str) -> list[str]:
    encoded = quote(value, safe="!*'()")
    return [
        value,
        f"password: {value}\r\n",
        json.dumps({"pw": value}),
        json.dumps([value], ensure_ascii=False),
        f"<p>{html.escape(value)}</p>",
        quote(value, safe=""),
        encoded,
        encoded.replace("%C3", "%c3").replace("%2F", "%2f"),
        f"user=a&p={quote_plus(value)}&n=1",
        quote(encoded, safe=""),
        "".join(f"%{byte:02x}" for byte in value.encode()),
        "".join(f"&#{ord(char)};" for char in value),
        json.dumps(json.dumps(value)),
        *(
            base64.b64encode(f"{before}{value}{after}".encode()).decode()
            for before in ("", "u", "me", "me:")
            for after in ("", "z")
        ),
        base64.urlsafe_b64encode(value.encode()).decode().rstrip("="),
        value.encode().hex(),
        value.encode().hex().upper(),
        value.encode("utf-16-le").decode("latin-1") if value.isascii() else value,
        value.encode("utf-16-be").decode("latin-1") if value.isascii() else value,
        "".join(f"\\x{ord(char):02x}" if ord(char) < 256 else char for char in value),
        "".join(f"%u{unit.hex()}" for unit in utf_16_units(value)),
    ]


def utf_16_units(value: str) -> list[bytes]:
    encoded = value.encode("utf-16-be")
    return [encoded[at : at + 2] for at in range(0, len(encoded), 2)]


@pytest.mark.parametrize("value", PASSWORDS)
def test_a_typed_password_is_redacted_in_every_spelling(value: str) -> None:
    secrets = typed("another one", value)
    for text in spelled(value):
        shown = secrets.in_text(text)
        assert REDACTED in shown, text
        kept = shown.replace(REDACTED, "")
        assert value not in kept
        assert len(kept) <= len(text) - len(value), text
        assert secrets.in_bytes(text.encode()) == shown.encode()


def test_partly_typed_password_is_redacted_and_nothing_else() -> None:
    secrets = typed("hunter2x", "hun", "hunter2xy")
    assert secrets.in_text("hunter hunter2x hunter2xyz hunted hu") == f"{REDACTED} {REDACTED} {REDACTED}z hunted hu"
    assert typed("abc").in_text("abc") == "abc", "too short"
    assert typed("pass").in_text("passage pas") == f"{REDACTED}age pas"


def test_overlapping_and_adjacent_values_are_all_redacted() -> None:
    assert typed("abcdef", "defghi").in_text("xabcdefghix") == f"x{REDACTED}x"
    assert typed("aaaa").in_text("aaaaaaaaa") == REDACTED


def test_the_newest_values_are_kept() -> None:
    secrets = typed(*(f"{number}-password" for number in range(MOST_VALUES + 1)))
    assert secrets.in_text("0-password") == "0-password"
    assert secrets.in_text("1-password") == REDACTED


def test_a_text_with_too_much_to_compare_is_not_shown_and_takes_no_time() -> None:
    secrets = typed(*(f"aaa{number}" for number in range(MOST_VALUES)))
    begun = time.process_time()
    assert secrets.in_bytes(b"a" * (MOST_BYTES + 5)) == f"{REDACTED}(redacted: 5 more bytes)".encode()
    assert typed("x" * 500).in_text("x" * 2_000) == REDACTED
    assert secrets.in_bytes(b"%61" * (MOST_BYTES // 3)) == REDACTED.encode()
    assert time.process_time() - begun < 2
    assert TypedSecrets().in_bytes(b"a" * (MOST_BYTES + 5)) == b"a" * (MOST_BYTES + 5)
