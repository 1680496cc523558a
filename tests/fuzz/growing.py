"""Readers of foreign text, given texts that grow: ten times the text may take at most fifteen times as long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from kapture.backends.remote import split_blobs
from kapture.commands.core.destination import destination
from kapture.commands.network import redacted_body
from kapture.commands.scripts.script import _FUNCTION
from kapture.errors import KaptureError
from kapture.glob import MAX_CHARS, glob_matches
from kapture.page.documents.frame import parse_ref
from kapture.page.script_terminator import may_not_end
from kapture.page.typed_secrets import TypedSecrets
from kapture.policy import grant as address
from kapture.policy.file_rules import safe_name
from kapture.policy.policy_file import Pattern, PatternError
from kapture.policy.shown import escaped, escaped_address
from kapture.settings import duration_ms
from kapture.snapshot import quoting
from kapture.split_url import join_url, split_url

PIECES = (
    *(
        " ",
        "\t\n",
        "a",
        "0",
        "/",
        "../",
        "a/",
        ".",
        ".{",
        "{",
        "}",
        ". {",
        "(",
        ")",
        "()",
        "for(",
        "for (;",
        "async ",
        "=>",
    ),
    *(
        "\\",
        '"',
        "'",
        "`",
        "=",
        "&a=",
        "%2e",
        "%C3%A9",
        ":",
        "http://",
        "blob:",
        "@",
        "#",
        "?",
        "*",
        "a*",
        "[",
        "]",
        "-",
    ),
    *(
        "é",
        "e\u0301\u0316",
        "\u202e",
        "\U0001f600",
        "\u1160",
        "ا",
        "{e1}",
        "<",
        "</",
        "<!--",
        "data:a/b;",
        ";a=",
        "\ud800",
    ),
    *("iVBORw0KGgo", "--b\r\n", '{"a":', "[1,", "while ", "1:", "0.", "- at `$.", "password="),
)
BEGINNINGS = ("", "http://", "https://a.test/", "file:///", "iVBORw0KGgo", "data:image/png;base64,", "(", '{"a":"', "[")
_SMALL, _LARGE = 4_000, 40_000
_QUICK_S = 0.02
_GROWTH = 15

Reader = Callable[[str], object]


def _refusable(read: Reader) -> Reader:
    def call(text: str) -> object:
        with suppress(KaptureError, PatternError):
            return read(text)
        return None

    return call


_TYPED = TypedSecrets()
for _value in ("aaaaaaa", "/a/a/a/a", "é=%25 x", "(((((("):
    _TYPED.add(_value)

_READERS: dict[str, Reader] = {
    "address": address.parse,
    "destination": lambda text: destination(text, base="https://a.test/", may_open=lambda url: True),
    "escaped": escaped,
    "escaped_address": escaped_address,
    "split_url": split_url,
    "join_url": lambda text: join_url("https://a.test/b", text),
    "file_name": safe_name,
    "may_not_end": may_not_end,
    "function": _FUNCTION.match,
    "picture": lambda text: split_blobs(text, name="a", picture=True),
    "glob_text": lambda text: glob_matches(text, "*a*/?b*c*"),
    "glob": lambda text: glob_matches("/a" * 1_000, text[:MAX_CHARS]),
    "pattern": Pattern.compile,
    "ref": parse_ref,
    "duration": lambda text: duration_ms("a", text),
    "quoting": quoting.flat,
    "form": lambda text: redacted_body(
        {"content-type": "application/x-www-form-urlencoded"}, text.encode("utf-8", "replace"), _TYPED
    ),
    "parts": lambda text: redacted_body(
        {"content-type": "multipart/form-data; boundary=b"}, text.encode("utf-8", "replace"), _TYPED
    ),
    "json": lambda text: redacted_body({}, text.encode("utf-8", "replace"), _TYPED),
    "typed": _TYPED.in_text,
}
READERS = {name: _refusable(read) for name, read in _READERS.items()}


def slow(read: Reader, pieces: Iterable[str] = PIECES) -> Iterator[tuple[str, float]]:
    """The beginning and piece of each text that takes more than linear time, and the seconds it took."""
    for beginning in BEGINNINGS:
        for piece in pieces:
            small, large = (beginning + piece * (size // len(piece)) + "\x00" for size in (_SMALL, _LARGE))
            before = _took(read, small)
            if (took := _took(read, large)) > max(_QUICK_S, _GROWTH * before):
                again = min(_took(read, large) for _ in range(2))
                if again > max(_QUICK_S, _GROWTH * max(before, _took(read, small))):
                    yield beginning + piece, took


def _took(read: Reader, text: str) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began
