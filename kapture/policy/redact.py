"""Which parts of a call's arguments may be kept in the audit log: structure, never content.

What is not known to be harmless is logged as its name and size: texts are kept only if they are words of Kapture's own
under the names that have them, or say where on a page something is; numbers only under names of measures. Objects are
looked into only where Kapture itself defines them: the keys and values of others are a page's, a client's or a
scenario's, and may be a password under any name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kapture.policy.grant import parse

_MAX_DEPTH = 6
_MAX_ITEMS = 50
_MAX_TEXT = 200
_MAX_PART = 32

_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "action": "accept block clear click delete dismiss down get list mock move press read remove set subscribe"
        " unsubscribe up wheel",
        "area": "local session",
        "button": "left middle right",
        "device": "desktop laptop phone tablet",
        "direction": "up down left right",
        "edge": "top bottom left right",
        "to": "top bottom left right",
        "format": "jpeg json png toon tree webp",
        "kind": "count no_console_error no_text state text url value",
        "level": "none read interact full debug error info log warn",
        "media": "print screen",
        "method": "GET HEAD POST PUT PATCH DELETE OPTIONS",
        "modifiers": "Alt Control Meta Shift",
        "name": "camera clipboard-read geolocation microphone notifications",
        "policy": "accept ask dismiss",
        "screenshots": "failure none steps",
        "setting": "allow ask block",
        "snapshot": "diff full none",
        "source": "browser console exception network",
        "state": "attached gone hidden visible",
        "type": "document fetch xhr script image stylesheet font media websocket eventsource other",
        "wait_until": "commit domcontentloaded load networkidle",
        "role": "alert article button cell checkbox columnheader combobox dialog form grid gridcell heading img link"
        " list listbox listitem main menu menuitem navigation option progressbar radio region row rowheader search"
        " searchbox slider spinbutton status switch tab table tablist tabpanel textbox toolbar tree treeitem",
    }.items()
}
"""Texts of Kapture's own vocabulary, by the name of the parameter that has them."""

_SHAPES: Mapping[str, re.Pattern[str]] = {
    "command": re.compile(r"[a-z_]{1,30}", re.ASCII),
    "frame": re.compile(r"f[0-9]{1,6}|main", re.ASCII),
    "method": re.compile(r"[A-Z][A-Za-z]{1,30}\.[a-z][A-Za-z0-9]{1,60}", re.ASCII),
    "ref": re.compile(r"(?:f[0-9]{1,6})?e[0-9]{1,9}", re.ASCII),
    "session": re.compile(r"f[0-9]{1,6}|main", re.ASCII),
    "tabId": re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII),
}
_NUMBERS = frozenset(
    {
        *("accuracy", "count", "cpu_slowdown", "delta_x", "delta_y", "depth", "device_scale", "download_kbps"),
        *("height", "index", "last_ms", "latency_ms", "max", "max_bytes", "max_chars", "max_height", "max_rows"),
        *("max_side", "nth", "quality", "scale", "since", "start", "status", "timeout", "upload_kbps", "watch_ms"),
        *("width", "x", "y"),
    }
)
_OWN_OBJECTS = frozenset(
    {"before", "clip", "fields", "from", "onto", "region", "scope", "source", "steps", "target", "to", "viewport"}
)
"""Parameters whose objects Kapture defines."""
_SELECTORS = frozenset({"selector", "css", "xpath", "target", "root"})
_ADDRESSES = frozenset({"frame", "url", "origin"})
_NAMED_KEYS = frozenset(
    {
        *("Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown"),
        *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "ContextMenu", *(f"F{number}" for number in range(1, 13))),
    }
)
_SCHEMES = frozenset({"about", "blob", "chrome", "chrome-error", "chrome-extension", "data", "devtools", "javascript"})
_CODE = frozenset({"code", "expression", "function", "script"})


def redact(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without anything that could be a secret."""
    return _object(arguments, 0)


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


def _object(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    """An object that Kapture defines."""
    return {str(key)[:_MAX_TEXT]: _value(str(key), item, depth) for key, item in list(value.items())[:_MAX_ITEMS]}


def _value(name: str, value: object, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if name in _NUMBERS else "(number)"
    if isinstance(value, str):
        return _text(name, value)
    if depth >= _MAX_DEPTH:
        return "(deeper)"
    if isinstance(value, Mapping):
        if name == "steps" and isinstance(value.get("arguments"), Mapping):
            # A step's arguments are those of a command; but a page's tool has some of its own in there.
            return {**_object(value, depth + 1), "arguments": _object(value["arguments"], depth + 1)}
        return _object(value, depth + 1) if name in _OWN_OBJECTS else _sizes(value)
    if isinstance(value, Sequence):
        return [_value(name, item, depth + 1) for item in value[:_MAX_ITEMS]]
    return f"({type(value).__name__})"


def _sizes(value: Mapping[Any, Any]) -> dict[str, str]:
    """The names and sizes in an object that others define."""
    return {str(key)[:_MAX_TEXT]: _size(item) for key, item in list(value.items())[:_MAX_ITEMS]}


def _size(value: object) -> str:
    if isinstance(value, str):
        return f"({len(value)} characters)"
    if isinstance(value, Mapping | Sequence):
        return f"({len(value)} values)"
    return "(none)" if value is None else "(boolean)" if isinstance(value, bool) else "(number)"


def _text(name: str, value: str) -> str:
    if value in _WORDS.get(name, ()) or ((shape := _SHAPES.get(name)) is not None and shape.fullmatch(value)):
        return value
    if name in _ADDRESSES and ":" in value:
        return site_for_log(value) or ""
    if name in _CODE:
        digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"({len(value)} characters, sha256 {digest})"
    if name in _SELECTORS and not set(value) & set("\"'="):
        return value[:_MAX_TEXT]  # a selector that quotes or compares no text is structure only
    if name in ("key", "keys") and value in _NAMED_KEYS:
        return value  # but not a single letter, which may be one of a password
    return f"({len(value)} characters)"
