"""How long an answer may be, and where the whole of it goes that does not fit.

Every answer has a limit: `DEFAULT_CHARS` in all, unless the call asks for more with `max_chars`. Text beyond it is left
out in whole lines, and a last line says how much and how to get it. Long URLs are cut in their middle, unless the call
has `max_chars`. With `save_to` the whole answer is written to a file in the download folder instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from kapture.commands.core.answer import MOST_CHARS, NOTE_CHARS, CallResult, bounded
from kapture.commands.core.context import FileRules
from kapture.commands.core.params import Arguments
from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from kapture.split_url import without_userinfo

MOST_URL_CHARS = 200

_URL_CHARS = r"[!#-&*-;=?-\[\]_a-~]"
_LONG_URL = re.compile(
    r"(?:\b(?:https?|wss?|ftp|file|blob|data|javascript|chrome-extension):"  # an absolute URL,
    r"|(?<=[\"'(=\s])/|(?<=href=[\"'])|(?<=src=[\"']))"  # a path, or the value of an attribute
    rf"{_URL_CHARS}{{{MOST_URL_CHARS},}}",
    re.IGNORECASE,
)
_KEPT_TAIL = 40
_MARK_END = " characters)…"


def shortened_urls(text: str) -> str:
    """The text with each URL that is longer than `MOST_URL_CHARS` cut in its middle, and a last line on that."""
    shown = _LONG_URL.sub(lambda found: _cut_in_middle(found[0]), text)
    count = shown.count(_MARK_END)
    if not count:
        return text
    return f"{shown}\n({count} long URL{'' if count == 1 else 's'} cut in the middle: max_chars shows them whole)"


def _cut_in_middle(url: str) -> str:
    mark = f"…({len(url):,}{_MARK_END}"
    return f"{url[: MOST_URL_CHARS - _KEPT_TAIL - len(mark)]}{mark}{url[-_KEPT_TAIL:]}"


async def finished(result: CallResult, arguments: Arguments, files: FileRules) -> CallResult:
    """The result as the client gets it: within its limit, or in a file; without the userinfo of URLs."""
    text = without_userinfo(result.text)
    if arguments.save_to is not None:
        return await _saved(attrs.evolve(result, text=text), arguments.save_to, files)
    if not arguments.whole and not result.answer.exact:
        text = shortened_urls(text)
    return attrs.evolve(result, text=bounded(text, arguments.limit + NOTE_CHARS))


async def _saved(result: CallResult, name: str, files: FileRules) -> CallResult:
    """Write the whole answer: its only picture or file, the facts as JSON if the name ends in .json, or the text."""
    if len(result.parts) == 1:
        content, what = result.parts[0].content(), f"{result.parts[0].mime_type}, "
    elif Path(name).suffix.lower() == ".json":
        content, what = msgspec.json.encode(stripped(result.data)), ""
    else:
        content, what = result.text.encode("utf-8", "replace"), f"{len(result.text):,} characters, "
    if len(content) > files.max_download_bytes():
        raise PolicyDenied(
            ErrorCode.POLICY_DENIED,
            f"The answer has {len(content):,} bytes, more than a file may have ({files.max_download_bytes():,}).",
            data={"rule": "downloads.max_bytes"},
        )
    path = _free_path(name, files)
    kept = False
    try:
        await trio.Path(path).write_bytes(content)
        kept = True
    except OSError as error:
        raise KaptureError(ErrorCode.DOWNLOAD_FAILED, f"{path} could not be written: {error.strerror}.") from error
    finally:
        if not kept:
            path.unlink(missing_ok=True)
    there = await files.hand(path)
    first = result.text.partition("\n")[0][:200] if len(result.parts) == 1 else ""
    said = f"Saved the whole answer to {there} ({what}{len(content):,} bytes)."
    return attrs.evolve(
        result,
        text=f"{first}\n{said}".lstrip(),
        data={"saved": {"path": there, "bytes": len(content)}},
        parts=(),
        untrusted=result.untrusted and bool(first),
    )


def _free_path(name: str, files: FileRules) -> Path:
    """A new empty file of this name in the download folder; `POLICY_DENIED` for a path to any other place."""
    folder = files.download_folder()
    given = Path(name).expanduser()
    if given.name in ("", "..") or (given.name != name and given.parent != folder):
        raise PolicyDenied(
            ErrorCode.POLICY_DENIED,
            f"Answers are saved in {folder} only.",
            hint="Give a file name without a folder, or ask the person to set downloads.folder in the policy file.",
            data={"rule": "downloads.folder", "folder": str(folder)},
        )
    return files.download_path(given.name)


def fitting_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """The facts without the userinfo of URLs, in at most `MOST_CHARS` of JSON: with shorter texts and lists if need be,
    and then `cut`, which says so."""
    whole = shown = stripped(data)
    for longest, most in ((20_000, 1_000), (2_000, 200), (500, 50), (100, 10), (20, 2)):
        if len(msgspec.json.encode(shown)) <= MOST_CHARS:
            return dict(shown)
        shown = {
            **_shorter(whole, longest, most),
            "cut": f"texts at {longest} characters, lists at {most} entries: save_to writes all to a file",
        }
    return dict(shown)


def _shorter(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}…"
    if isinstance(value, Mapping):
        return {key: _shorter(value[key], longest, most) for key in list(value)[: 10 * most]}
    return [_shorter(inner, longest, most) for inner in value[:most]] if isinstance(value, list) else value


def stripped(value: Any) -> Any:
    """A value without the userinfo of the URLs in it."""
    if isinstance(value, str):
        return without_userinfo(value)
    if isinstance(value, Mapping):
        return {key: stripped(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [stripped(inner) for inner in value]
    return value
