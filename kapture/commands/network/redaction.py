"""Requests without the secrets that they carry: the person's session in headers, and what was typed into secret fields.

A snapshot shows no password, so the request that sends it must not either. Secret is what is sent under a name that
says so, and what was typed into a password field; `cdp`, at level full, shows bodies as they are.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote_plus

import msgspec

from kapture.page.typed_secrets import TypedSecrets
from kapture.wire.codec import decode_json

_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
_FIELD = re.compile(
    r"pass[ _-]?(?:word|wd|code|phrase)|^pass$|pwd|passwort|kennwort|contrase[nñ]a|mot[ _-]?de[ _-]?passe|^pin$|otp$|"
    r"one[ _-]?time|secret(?!ar)|(?:access|refresh|id)[ _-]?token|^cv[cv]2?$|card[ _-]?number",
    re.IGNORECASE,
)
_PART_NAME = re.compile(rb';[ \t]*name="([^"]*)"', re.IGNORECASE)
_REDACTED = "(redacted)"
_TYPED = (str, int, float)


def redacted_headers(headers: dict[str, str]) -> dict[str, str]:
    """Headers without a session: the names are kept."""
    return {name: _REDACTED if name.lower() in _HEADERS else value for name, value in headers.items()}


def redacted_body(headers: dict[str, str], body: bytes, typed: TypedSecrets) -> bytes:
    """What a request sends, by its headers, without the values of secret fields, of a form or of JSON, and without what
    was typed into password fields."""
    return typed.in_bytes(_by_names(headers, body))


def _by_names(headers: dict[str, str], body: bytes) -> bytes:
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    if kind.lower().startswith("application/x-www-form-urlencoded"):
        return b"&".join(map(_pair, body.split(b"&")))
    if kind.lower().startswith("multipart/form-data") and (boundary := kind.partition("boundary=")[2].strip('" ')):
        mark = f"--{boundary}".encode()
        return mark.join(map(_part, body.split(mark)))
    if body.lstrip()[:1] in (b"{", b"["):
        return _json(body)
    return body


def _pair(pair: bytes) -> bytes:
    name, sign, _ = pair.partition(b"=")
    return name + sign + _REDACTED.encode() if sign and _is_secret(unquote_plus(name.decode("latin-1"))) else pair


def _part(part: bytes) -> bytes:
    head, blank, _ = part.partition(b"\r\n\r\n")
    name = _PART_NAME.search(head)
    secret = blank and name is not None and _is_secret(name[1].decode("utf-8", "replace"))
    return head + blank + _REDACTED.encode() + b"\r\n" if secret else part


def _json(body: bytes) -> bytes:
    try:
        value = decode_json(body)
        found = _without_secrets(value)
        return body if found == value else msgspec.json.encode(found)
    except (msgspec.MsgspecError, RecursionError):
        return body


def _without_secrets(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if isinstance(value, dict):
        pair = value.keys() >= {"name", "value"} and isinstance(value["name"], str) and _is_secret(value["name"])
        return {
            name: _REDACTED
            if (_is_secret(name) or (pair and name == "value")) and type(item) in _TYPED
            else _without_secrets(item)
            for name, item in value.items()
        }
    return value


def _is_secret(name: str) -> bool:
    return _FIELD.search(name) is not None
