"""The client's form of an answer: short text, images, errors with code, message and hint.

Text that came from a page is fenced: the fence carries random characters made for this one answer, so that no page
can close it and continue as if it were Kapture. The server's instructions explain the fence to models.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from kapture.commands.core.answer import Blob, CallResult, Said
from kapture.commands.core.bounds import fitting_data, stripped
from kapture.errors import ErrorCode, KaptureError
from kapture.split_url import without_userinfo

ERROR_META = "dev.kapture/error"
FENCE_TAG = "page-content"
PLAIN_MARK = "pageContent"
"""The field that marks text of a page without a fence: in `structuredContent` of plain answers, in an error's data."""

# Errors whose message may quote the page (its exceptions, its element names, its dialogs) or a scenario's file, which a
# stranger may have written. No hint does.
QUOTES_PAGE = frozenset(
    {
        ErrorCode.COMMAND_TIMEOUT,
        ErrorCode.DIALOG_OPEN,
        ErrorCode.ELEMENT_AMBIGUOUS,
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        ErrorCode.ELEMENT_NOT_FOUND,
        ErrorCode.EXECUTION_ERROR,
        ErrorCode.NAVIGATION_FAILED,
        ErrorCode.DOWNLOAD_FAILED,
        ErrorCode.UPLOAD_FAILED,
        ErrorCode.SCENARIO_FAILED,
        ErrorCode.SCENARIO_INVALID,
        ErrorCode.VALUE_REFUSED,
    }
)

_MAX_MESSAGE = 8_000  # characters: a page may throw what it likes

ToolResult = dict[str, Any]


def _random_hex(characters: int) -> Iterator[str]:
    """Random words of this many hex characters, in batches: asking the system for one costs as much as for many."""
    while True:
        block = secrets.token_hex(characters * 256)
        for start in range(0, len(block), characters):
            yield block[start : start + characters]


_nonces = _random_hex(8)


def fence(text: str) -> str:
    """The text between two marks that nothing inside it can forge."""
    nonce = next(_nonces)
    while nonce in text:
        nonce = secrets.token_hex(8)
    return f"<{FENCE_TAG} {nonce}>\n{text}\n</{FENCE_TAG} {nonce}>"


def own_fields(text: str) -> dict[str, Any] | None:
    """The fields of an answer that a profile writes as JSON; anything but an object is put under `result`."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, dict) else {"result": value}


def fitting(fields: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that fit a tool's output schema. A client refuses the whole answer because of one that does not, and
    tabs that execute commands themselves answer as they like."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # slow to import

    schemas = schema.get("properties", {})
    return {
        name: value
        for name, value in fields.items()
        if name not in schemas or Draft202012Validator(schemas[name]).is_valid(value)
    }


def text_result(text: str, *, structured: bool = False, plain: bool = False) -> ToolResult:
    """An answer in a profile's own JSON."""
    # It may quote the page.
    answer: ToolResult = {"content": [{"type": "text", "text": text if plain else fence(text)}]}
    if structured:
        answer["structuredContent"] = own_fields(text) or {}
    elif plain:
        answer["structuredContent"] = {PLAIN_MARK: True}
    return answer


def tool_result(
    result: CallResult,
    *,
    text: str | None = None,
    structured: bool = False,
    plain: bool = False,
    fields: Mapping[str, Any] | None = None,
) -> ToolResult:
    """The result of `tools/call`. `text` and `fields` replace the answer's own, in profiles that have their own.

    `plain`: no fence; only `structuredContent` says that the text comes from a page.
    """
    shown = result.text if text is None else text
    untrusted = bool(result.untrusted and shown)
    content: list[dict[str, Any]] = [{"type": "text", "text": said_text(one, plain=plain)} for one in result.said]
    if shown or not (result.parts or content):
        content.append({"type": "text", "text": fence(shown) if untrusted and not plain else shown})
    content += blocks(result.parts)
    answer: ToolResult = {"content": content}
    if structured:
        answer["structuredContent"] = fitting_data(result.data if fields is None else fields)
    elif plain and untrusted:
        answer["structuredContent"] = {PLAIN_MARK: True}
    return answer


def said_text(said: Said, *, plain: bool = False) -> str:
    """What the person says; what it is about is fenced as the page's."""
    return attrs.evolve(said, about=fence(said.about)).text() if said.about and not plain else said.text()


def blocks(parts: Sequence[Blob]) -> list[dict[str, Any]]:
    """Images as image blocks; anything else as an embedded resource."""
    found: list[dict[str, Any]] = []
    for index, part in enumerate(parts):
        if part.mime_type.startswith("image/"):
            found.append({"type": "image", "data": part.base64, "mimeType": part.mime_type})
        else:
            uri = f"kapture://file/{part.name or index}"
            found.append(
                {"type": "resource", "resource": {"uri": uri, "mimeType": part.mime_type, "blob": part.base64}}
            )
    return found


def error_text(error: KaptureError, *, code: str | None = None) -> str:
    """Return an error in the client's form, with the page's words fenced. `code` is the
    profile's name for it."""
    message = _cut(error.message)
    sentence = " ".join(part for part in (message, error.hint) if part)
    if _may_quote_page(error):
        sentence = "\n".join([fence(message), error.hint]).rstrip()
    return without_userinfo(f"{code or error.code.value}: {sentence}")


def _cut(message: str) -> str:
    shown = message[:_MAX_MESSAGE]
    more = len(message) - len(shown)
    return f"{shown}… [{more} more characters]" if more else shown


def _may_quote_page(error: KaptureError) -> bool:
    return error.code in QUOTES_PAGE or error.quotes_page


def error_result(
    error: KaptureError,
    *,
    code: str | None = None,
    write: Callable[[Mapping[str, Any]], str] | None = None,
) -> ToolResult:
    """An error as the result of `tools/call`; its data are for programs, marked where they may quote the page.

    `write` formats its fields, in profiles that have a format of their own.
    """
    meta: dict[str, Any] = {"code": error.code.value}
    if error.data:
        meta["data"] = stripped(plain_json(error.data))
        if _may_quote_page(error):
            meta[PLAIN_MARK] = True
    text = error_text(error, code=code)
    if write is not None:
        facts = {"code": code or error.code.value, "message": _cut(error.message)}
        text = write({"error": {**facts, "hint": error.hint} if error.hint else facts})
        text = fence(text) if _may_quote_page(error) else text
    return {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {ERROR_META: meta},
    }


def plain_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping with only JSON values in it; other values are converted to text."""
    plain: dict[str, Any] = json.loads(json.dumps(value, default=str))
    return plain
