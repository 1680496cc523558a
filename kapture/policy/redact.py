"""Which parts of a call's arguments may be kept in the audit log: structure, never content.

Texts are kept only under names that are known to hold structure (a ref, a selector, a unit); all others are replaced by
their length, because what was typed, sent or requested may be a password.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from kapture.policy.address import parse

_MAX_DEPTH = 6
_MAX_ITEMS = 50
_MAX_TEXT = 200
_MAX_PART = 32

# Names whose texts are Kapture's own vocabulary, or say where on a page something is.
_STRUCTURE = frozenset(
    {
        *("action", "button", "codec", "command", "direction", "edge", "event", "format", "frame", "level", "method"),
        *("mode", "name_of_step", "nth", "ref", "role", "scope", "snapshot", "state", "tabId", "testId", "toolset"),
        *("type", "unit", "wait_until"),
    }
)
_SELECTORS = frozenset({"selector", "css", "xpath", "target", "root"})
_ADDRESSES = frozenset({"url", "origin"})
_NAMED_KEYS = frozenset(
    {
        *("Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown"),
        *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "ContextMenu", *(f"F{number}" for number in range(1, 13))),
    }
)
_SCHEMES = frozenset({"about", "blob", "chrome", "chrome-error", "chrome-extension", "data", "devtools", "javascript"})
_CODE = frozenset({"code", "expression", "function", "script"})
_NAMED_BY_OTHERS = frozenset({"args", "override_secrets", "parameters", "params"})
"""Objects whose keys the client or a scenario chooses: a secret may be called "code" or "state"."""


def redact(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without anything that could be a secret."""
    return {str(name)[:_MAX_TEXT]: _value(str(name), value, 0) for name, value in list(arguments.items())[:_MAX_ITEMS]}


def site_for_log(url: str | None) -> str | None:
    """A page's origin: never its path or query, which carry searches, names and tokens."""
    if not url:
        return None
    address = parse(url)
    if address is not None:
        return address.origin
    scheme = url.partition(":")[0].lower()
    return f"{scheme}:" if scheme in _SCHEMES and ":" in url else "(other)"


def path_for_log(path: str) -> str:
    """A path that was asked for on the hub's port. What is longer than a name of ours may be a ticket or a token."""
    parts = (part if len(part) <= _MAX_PART else f"({len(part)} characters)" for part in path.split("/", _MAX_DEPTH))
    return "/".join(parts)


def _value(name: str, value: object, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | float):
        # A number put into a field is typed text too.
        return value if name not in ("value", "values", "text") or value is None else "(number)"
    if isinstance(value, str):
        return _text(name, value)
    if depth >= _MAX_DEPTH:
        return "(deeper)"
    if isinstance(value, Mapping):
        if name in _NAMED_BY_OTHERS:
            return {"(keys)": sorted(str(key)[:_MAX_TEXT] for key in value)[:_MAX_ITEMS]}
        return {
            str(key)[:_MAX_TEXT]: _value(str(key), item, depth + 1) for key, item in list(value.items())[:_MAX_ITEMS]
        }
    if isinstance(value, Sequence):
        return [_value(name, item, depth + 1) for item in value[:_MAX_ITEMS]]
    return f"({type(value).__name__})"


def _text(name: str, value: str) -> str:
    if name in _ADDRESSES:
        return site_for_log(value) or ""
    if name in _CODE:
        digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"({len(value)} characters, sha256 {digest})"
    if name in _STRUCTURE:
        return value[:_MAX_TEXT]
    if name in _SELECTORS and not set(value) & set("\"'="):
        return value[:_MAX_TEXT]  # a selector that quotes or compares no text is structure only
    if name in ("key", "keys") and value in _NAMED_KEYS:
        return value  # but not a single letter, which may be one of a password
    return f"({len(value)} characters)"
