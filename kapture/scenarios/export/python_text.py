"""Values of a scenario as Python expressions. Every text goes through `repr`, so that none ends its literal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.scenarios.parameters.placeholders import Placeholder, pieces


def expression(value: Any, secrets: Mapping[str, str]) -> str:
    """The JSON value as Python, its placeholders looked up in `values`. `secrets`: environment variable by name."""
    if isinstance(value, str):
        parts = list(pieces(value))
        if len(parts) == 1 and isinstance(parts[0], Placeholder):
            return _value(parts[0], secrets)
        return " + ".join(repr(part) if isinstance(part, str) else _text(part, secrets) for part in parts) or "''"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {expression(item, secrets)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(expression(item, secrets) for item in value) + "]"
    return repr(value)


def text_expression(value: Any, secrets: Mapping[str, str]) -> str:
    """The JSON value as an expression for a string."""
    if isinstance(value, str):
        parts = list(pieces(value))
        if len(parts) == 1 and isinstance(parts[0], Placeholder) and parts[0].path not in secrets:
            return _text(parts[0], secrets)
        return expression(value, secrets)
    return f"text({expression(value, secrets)})"


def has_placeholder(value: Any) -> bool:
    """Whether a text contains a placeholder."""
    return isinstance(value, str) and any(isinstance(piece, Placeholder) for piece in pieces(value))


def _value(placeholder: Placeholder, secrets: Mapping[str, str]) -> str:
    return _text(placeholder, secrets) if placeholder.encoded else _look_up(placeholder.path, secrets)


def _text(placeholder: Placeholder, secrets: Mapping[str, str]) -> str:
    found = f"text({_look_up(placeholder.path, secrets)})"
    for _ in range(placeholder.encoded):
        found = f"url_part({found})"
    return found


def _look_up(path: str, secrets: Mapping[str, str]) -> str:
    if path in secrets:
        return f"secret({secrets[path]!r})"
    return f"look_up(values, {path!r})" if "." in path else f"values[{path!r}]"
