"""Patterns of parameters.

Scenario files may come from strangers, and some regular expressions take practically for ever to match, during which no
other thread of the process runs. Patterns that could are matched in a process of their own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Parameter

Fits: TypeAlias = Callable[[str, str], bool]
"""Whether a pattern matches the whole of a text."""

MATCHING_S = 10.0
"""Seconds that all patterns of a run's parameters may take, with the start of the process."""

_SHORT = 200
_REPEATED_ONCE = re.compile(r"[^*+?{|]*(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?[^*+?{|]*", re.DOTALL)
"""A pattern with one repetition at most, which has not much to try."""

_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0
"""CREATE_NO_WINDOW: on Windows the hub has no console, and each console program that it starts would open one."""

_SCRIPT = """
import json, re, sys
json.dump([re.fullmatch(pattern, text) is not None for pattern, text in json.load(sys.stdin)], sys.stdout)
"""


def why_no_pattern(pattern: str) -> str | None:
    """Why a text is no regular expression; None if it is one."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        return str(error)
    except RecursionError:
        return "it is nested too deeply"
    return None


def fits_of(parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> Fits:
    """Match every pattern with the texts that it is for; `SCENARIO_INVALID` if that takes too long."""
    wanted = {pair for name, parameter in parameters.items() for pair in _pairs(parameter, given.get(name))}
    slow = sorted((pattern, text) for pattern, text in wanted if not _is_quick(pattern, text))
    found = dict(zip(slow, _matched(slow), strict=True)) if slow else {}
    return lambda pattern, text: found[pattern, text] if (pattern, text) in found else _fits(pattern, text)


def _is_quick(pattern: str, text: str) -> bool:
    # This look at the pattern takes as long as the square of its length.
    return len(pattern) <= _SHORT and len(text) <= _SHORT and _REPEATED_ONCE.fullmatch(pattern) is not None


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def _pairs(parameter: Parameter, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and parameter.pattern is not None:
        yield parameter.pattern, value
    if isinstance(value, dict):
        for name, inner in (parameter.properties or {}).items():
            yield from _pairs(inner, value.get(name))
    if isinstance(value, list) and parameter.items is not None:
        for item in value:
            yield from _pairs(parameter.items, item)


def _matched(pairs: list[tuple[str, str]]) -> list[bool]:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _SCRIPT],
            input=json.dumps(pairs).encode(),
            capture_output=True,
            timeout=MATCHING_S,
            check=True,
            creationflags=_NO_WINDOW,
        )
    except (subprocess.SubprocessError, OSError) as error:
        patterns = ", ".join(sorted({pattern[:200] for pattern, _ in pairs}))
        raise KaptureError(
            ErrorCode.SCENARIO_INVALID,
            f"The parameters could not be matched with their patterns within {MATCHING_S:g} s: {patterns}.",
            hint="Simplify the patterns: repetitions within repetitions take very long.",
        ) from error
    answer: list[bool] = json.loads(done.stdout)
    return answer
