"""Parses TOML from any source in linear time.

`tomllib` takes quadratic time for a dotted key: 31 s for one of 50,000 parts.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 100

_STRING = r"""(?:"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_PART = rf"(?:[A-Za-z0-9_-]++|{_STRING})"
_TOKEN = re.compile(
    r'(?P<whole>#[^\n]*|"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}' + r"|'''(?:[^']|'(?!''))*+'{3,5})"
    r"""|(?P<open>\"""|''')"""
    rf"|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+)"
    r"""|(?P<unclosed>["'])"""
    r"|(?P<begin>[\[{])|(?P<end>[\]}])|(?P<newline>\n)",
    re.DOTALL,
)
_KEY_PART = re.compile(_PART)


def loads(text: str) -> dict[str, Any]:
    """Parse; `ValueError` (mostly its `tomllib.TOMLDecodeError`) if it is no TOML or a key has more than
    `MAX_KEY_PARTS` parts, `RecursionError` if it is nested too deeply."""
    for token in _TOKEN.finditer(text):
        if token["open"] or token["unclosed"]:  # a string without an end, where tomllib ends too
            break
        key = token["key"]
        if key and key.count(".") >= MAX_KEY_PARTS and len(_KEY_PART.findall(key)) > MAX_KEY_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            raise tomllib.TOMLDecodeError(f"A key has more than {MAX_KEY_PARTS} parts (at line {line}, column 1)")
    return tomllib.loads(text)


def statements(text: str) -> list[str]:
    """The pieces of a valid text: each a header, or a key with its value, or a comment or blank line, with its line
    end."""
    found = []
    start = depth = 0
    for token in _TOKEN.finditer(text):
        depth += bool(token["begin"]) - bool(token["end"])
        if token["newline"] and depth == 0:
            found.append(text[start : token.end()])
            start = token.end()
    return [*found, text[start:]] if start < len(text) else found
