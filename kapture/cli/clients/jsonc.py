"""Changes one member of a JSON file with comments, preserving every other character.

Clients' configuration files are often JSON with comments and trailing commas, written by people. Parsing and writing
them as data would lose all of that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")
      | (?P<mark>[{}\[\]:,])
      | (?P<word>[^\s{}\[\]:,"/]+)""",
    re.VERBOSE | re.DOTALL,
)


class JsoncError(ValueError):
    """The text is not JSON with comments; or does not have the expected structure."""


@attrs.frozen
class _Token:
    kind: str
    text: str
    start: int
    end: int


@attrs.frozen
class _Member:
    """A member of an object: where its key begins, and the position of its value."""

    key: str
    key_start: int
    value_start: int
    value_end: int
    comma_end: int | None  # after the comma that follows it, if one does


@attrs.frozen
class _Object:
    start: int
    end: int  # after the closing brace
    members: tuple[_Member, ...]


def loads(text: str) -> Any:
    """Parse, allowing comments and trailing commas; `JsoncError` if the text is invalid."""
    tokens = list(_significant(text))
    plain = list(text)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.text == "," and before.text not in ("{", "[", ",") and after.text in ("}", "]"):
            plain[token.start] = " "
    # Blanks instead of comments keep all positions, for the error's line number.
    for token in _tokens(text):
        if token.kind in ("space", "comment"):
            plain[token.start : token.end] = [char if char == "\n" else " " for char in token.text]
    try:
        return json.loads("".join(plain))
    except json.JSONDecodeError as error:
        raise JsoncError(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # a number with too many digits; nested too deeply
        raise JsoncError(str(error)) from error


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the member at this path set, creating missing objects on the path."""
    if next(_significant(text), None) is None:  # nothing but comments, if anything
        text = f"{text.rstrip()}\n{{}}\n".lstrip()
    loads(text)
    indent = _indent_of(text)
    found = _object_at(text, 0)
    for depth, key in enumerate(path):
        member = next((member for member in reversed(found.members) if member.key == key), None)
        rest = path[depth + 1 :]
        if member is None:
            for name in reversed(rest):
                value = {name: value}
            return _insert(text, found, key, value, indent, depth + 1)
        if not rest:
            rendered = _rendered(value, indent, depth + 1)
            return text[: member.value_start] + rendered + text[member.value_end :]
        if text[member.value_start] != "{":
            raise JsoncError(f"{'.'.join(path[: depth + 1])} is not an object")
        found = _object_at(text, member.value_start)
    raise JsoncError("an empty path names no member")


def remove_member(text: str, path: Sequence[str]) -> str:
    """The text without any member at this path; unchanged if there is none."""
    loads(text)
    found = _object_at(text, 0)
    for key in path[:-1]:
        member = next((member for member in reversed(found.members) if member.key == key), None)
        if member is None or text[member.value_start] != "{":
            return text
        found = _object_at(text, member.value_start)
    for index, member in enumerate(found.members):
        if member.key == path[-1]:
            for start, end in _cuts(text, found, index):
                text = text[:start] + text[end:]
            return remove_member(text, path)  # a file may name a member twice
    return text


def _cuts(text: str, found: _Object, index: int) -> list[tuple[int, int]]:
    """What to remove with a member, last position first: its line, and a comma that is not needed any more."""
    member = found.members[index]
    start, end = member.key_start, member.value_end
    cuts = []
    if member.comma_end is not None:
        end = member.comma_end
    elif index > 0:
        comma_end = found.members[index - 1].comma_end
        assert comma_end is not None  # noqa: S101  a comma stands between two members
        if not text[comma_end:start].strip():
            return [(comma_end - 1, end)]
        cuts.append((comma_end - 1, comma_end))  # a comment after the comma is kept
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    if not text[line_start:start].strip() and line_end >= 0 and not text[end:line_end].strip():
        start, end = line_start, line_end + 1
    return [(start, end), *cuts]


def _insert(text: str, found: _Object, key: str, value: Any, indent: str, depth: int) -> str:
    """The text with a new last member in this object."""
    line = f"{json.dumps(key, ensure_ascii=False)}: {_rendered(value, indent, depth)}"
    if not found.members:
        inner = text[found.start + 1 : found.end - 1]
        kept = inner.rstrip() if inner.strip() else ""  # a comment in an empty object is kept
        return f"{text[: found.start + 1]}{kept}\n{indent * depth}{line}\n{indent * (depth - 1)}{text[found.end - 1 :]}"
    last = found.members[-1]
    at = last.comma_end or last.value_end
    comma = "," if last.comma_end is None else ""
    line += "" if comma else ","  # with a trailing comma if this file uses them
    if "\n" not in text[found.start : found.end]:
        return f"{text[:at]}{comma} {line}{text[at:]}"
    # A comment on the last member's line belongs to that member.
    line_end = text.find("\n", at)
    between = text[at:line_end]
    behind = line_end if line_end < found.end and _only_comment(between) else at
    return f"{text[:at]}{comma}{text[at:behind]}\n{indent * depth}{line}{text[behind:]}"


def _only_comment(text: str) -> bool:
    try:
        return all(token.kind in ("space", "comment") for token in _tokens(text))
    except JsoncError:
        return False


def _rendered(value: Any, indent: str, depth: int) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", "\n" + indent * depth)


def _indent_of(text: str) -> str:
    """The file's own indentation: that of its first member at the beginning of a line."""
    found = re.search(r'\n([ \t]+)"', text)
    return found[1] if found else "  "


def _object_at(text: str, start: int) -> _Object:
    """The object whose brace is the first token at or after `start`."""
    tokens = list(_significant(text, start))
    if not tokens or tokens[0].text != "{":
        raise JsoncError("it does not hold an object")
    members: list[_Member] = []
    index = 1
    while tokens[index].text != "}":
        key = tokens[index]
        first = index + 2
        last = _value_end(tokens, first)
        comma = tokens[last + 1] if tokens[last + 1].text == "," else None
        members.append(
            _Member(
                json.loads(key.text), key.start, tokens[first].start, tokens[last].end, comma.end if comma else None
            )
        )
        index = last + (2 if comma else 1)
    return _Object(tokens[0].start, tokens[index].end, tuple(members))


def _value_end(tokens: Sequence[_Token], first: int) -> int:
    """The index of the last token of the value that begins at `first`."""
    depth = 0
    for index in range(first, len(tokens)):
        if tokens[index].text in ("{", "["):
            depth += 1
        elif tokens[index].text in ("}", "]"):
            depth -= 1
        if depth == 0:
            return index
    raise JsoncError("it ends in the middle of a value")


def _significant(text: str, start: int = 0) -> Iterator[_Token]:
    return (token for token in _tokens(text, start) if token.kind not in ("space", "comment"))


def _tokens(text: str, start: int = 0) -> Iterator[_Token]:
    position = start
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None or found.lastgroup is None:
            line = text.count("\n", 0, position) + 1
            raise JsoncError(f"line {line} is not JSON")
        yield _Token(found.lastgroup, found[0], position, found.end())
        position = found.end()
