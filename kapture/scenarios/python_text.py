"""Values of a scenario as Python expressions. Every text goes through `repr`, so that none ends its literal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.scenarios.placeholders import pieces


def expression(value: Any, secrets: Mapping[str, str]) -> str:
    """The JSON value as Python, its placeholders looked up in `values`. `secrets`: environment variable by name."""
    if isinstance(value, str):
        parts = list(pieces(value))
        if len(parts) == 1 and parts[0][0]:
            return _look_up(parts[0][1], secrets)
        written = [f"text({_look_up(part, secrets)})" if named else repr(part) for named, part in parts]
        return " + ".join(written) or "''"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {expression(item, secrets)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(expression(item, secrets) for item in value) + "]"
    return repr(value)


def text_expression(value: Any, secrets: Mapping[str, str]) -> str:
    """The JSON value as an expression for a string."""
    if isinstance(value, str):
        found = expression(value, secrets)
        return found if not _is_placeholder(value) or found.startswith("secret(") else f"text({found})"
    return f"text({expression(value, secrets)})"


def has_placeholder(value: Any) -> bool:
    """Whether a text contains a placeholder."""
    return isinstance(value, str) and any(named for named, _ in pieces(value))


def _is_placeholder(value: str) -> bool:
    parts = list(pieces(value))
    return len(parts) == 1 and parts[0][0]


def _look_up(path: str, secrets: Mapping[str, str]) -> str:
    if path in secrets:
        return f"secret({secrets[path]!r})"
    return f"look_up(values, {path!r})" if "." in path else f"values[{path!r}]"
