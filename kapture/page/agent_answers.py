"""Decodes the agent's answers, and converts its exceptions to errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.wire.codec import decode_json

_REF_IN_TEXT = re.compile(r"\{ref:([0-9]{1,15})\}")


class AgentAnswer(msgspec.Struct):
    """The answer of `kapture.run`. `top` is the highest ref number assigned so far; `hosts` counts elements that may
    have closed shadow roots and were not searched. `ask` says what the
    agent must be given before it can answer; `roots` changes with the shadow roots of the document, and `timeout` is
    how long the next call may wait, in milliseconds, if it is not as long as this one."""

    top: int
    value: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None
    hosts: int = 0
    ask: Literal["internals", "listeners"] | None = None
    roots: int = 0
    timeout: float | None = None

    def decode(self, into: Any) -> Any:
        """The value, decoded into a type."""
        return decode_value(self.value, into)


def decode_value(value: msgspec.Raw, into: Any) -> Any:
    """A value in an answer of the agent, decoded into a type."""
    try:
        return decode_json(bytes(value).decode(), into)
    except msgspec.ValidationError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The page agent's answer is malformed: {error}.") from error
    except RecursionError:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            "The page nests its elements too deeply to be read as a whole.",
            hint=Wording("Read a part of it: give {root}."),
        ) from None


def is_missing(outcome: Mapping[str, Any]) -> bool:
    """Whether a `Runtime.evaluate` failed because the agent is missing from the document."""
    exception = outcome.get("exceptionDetails", {}).get("exception", {})
    return "kapture is not defined" in exception.get("description", "")


def spell_refs(words: str, ref: Callable[[int], str]) -> str:
    """Replace the agent's `{ref:12}` in a text by refs as clients write them."""
    return _REF_IN_TEXT.sub(lambda match: ref(int(match[1])), words)


def agent_error(error: Mapping[str, Any], ref: Callable[[int], str]) -> KaptureError:
    """The error that the agent threw: its message may quote the page, whatever its code. It writes refs as `{ref:12}`
    in texts and as numbers in data; `ref` spells them."""

    def text(words: str) -> str:
        return spell_refs(words, ref)

    def data(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: ref(inner) if name == "ref" and isinstance(inner, int) else data(inner)
                for name, inner in value.items()
            }
        return [data(inner) for inner in value] if isinstance(value, list) else value

    return KaptureError(
        ErrorCode(error["code"]),
        text(error["message"]),
        hint=Wording(text(error.get("hint", ""))),
        data=data(error.get("data") or {}),
        quotes_page=True,
    )


def thrown(details: Mapping[str, Any]) -> KaptureError:
    """`EXECUTION_ERROR` with the message and stack of a script's exception."""
    exception = details.get("exception") or {}
    text: str = exception.get("description") or ""
    if not text:
        text = str(exception["value"]) if "value" in exception else details.get("text", "The script failed.")
    message, _, stack = text.partition("\n    at ")
    return KaptureError(
        ErrorCode.EXECUTION_ERROR,
        message,
        data={"stack": f"    at {stack}", "line": details.get("lineNumber")} if stack else None,
    )
