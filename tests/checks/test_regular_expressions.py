"""Every regular expression of the product takes time linear in the text: others wrote the text, and `re` holds the
interpreter, in a thread too. Each is run on texts made to defeat it; a limit is written into it (`{0,80}`)."""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import attrs
import pytest

_ROOT = Path(__file__).parents[2]
_METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer", "subn")
_ANCHORED = frozenset({"match", "fullmatch"})
_SUSPECT_S = 0.002
_GROWTH = 15  # at most, for ten times the text


@attrs.frozen
class _Use:
    where: str
    pattern: re.Pattern[Any] | None  # None: made at run time
    methods: frozenset[str]


def _uses() -> Iterator[_Use]:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted((_ROOT / "kapture").rglob("*.py"))}
    called = _methods_called(trees.values())
    for path, tree in trees.items():
        where = path.relative_to(_ROOT).as_posix()
        named = _named_patterns(where, tree) if "import re" in path.read_text("utf-8") else {}
        for name, patterns in named.items():
            own = _methods_called([tree]) if name.startswith("_") else called
            methods = frozenset(own.get(name, _METHODS))
            yield from (_Use(f"{where} {name}", pattern, methods) for pattern in patterns)
        known = {pattern.pattern for patterns in named.values() for pattern in patterns}
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and (method := _re_function(call))):
                continue
            text = _literal(call.args[0])
            if text is None and call.lineno not in _lines_of_names(tree):
                yield _Use(f"{where} {_function_around(tree, call)}", None, frozenset())
            elif text is not None and text not in known:
                flags = re.DOTALL if "DOTALL" in ast.unparse(call) else 0
                methods = frozenset(_METHODS if method == "compile" else (method,))
                yield _Use(f"{where}:{call.lineno}", re.compile(text, flags), methods)


def _re_function(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re":
        return function.attr if function.attr in (*_METHODS, "compile") else ""
    return ""


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _named_patterns(where: str, tree: ast.Module) -> dict[str, list[re.Pattern[Any]]]:
    module = importlib.import_module(where.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    found = {}
    for name in _names(tree):
        patterns = list(_patterns_in(getattr(module, name, None)))
        if patterns:
            found[name] = patterns
    return found


def _names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        for target in (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        ):
            if isinstance(target, ast.Name):
                yield target.id


def _lines_of_names(tree: ast.Module) -> set[int]:
    lines = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    ]
    return {line for span in lines for line in span}


def _patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _patterns_in(one)
    elif isinstance(value, dict):
        yield from _patterns_in([*value, *value.values()])


def _methods_called(trees: Iterable[ast.AST]) -> dict[str, set[str]]:
    called: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _METHODS:
                called.setdefault(node.value.id, set()).add(node.attr)
    return called


def _function_around(tree: ast.AST, call: ast.Call) -> str:
    around = ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno <= call.lineno <= (
            node.end_lineno or 0
        ):
            around = node.name
    return around


def _attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Beginning, what is repeated, ending: for each repetition of the expression what leads to it and what it takes."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    alphabet = list(dict.fromkeys(_letters(tree)))[:10] or ["a"]
    pumps = dict.fromkeys(
        [("", letter) for letter in alphabet]
        + [("", one + other) for one in alphabet[:6] for other in alphabet[:6] if one != other]
    )
    for lead, body in _repeats(tree, ""):
        examples = dict.fromkeys([_example(body, pick) for pick in range(3)] + list(_letters(body))[:6])
        for example in examples:
            for tail in ("", _example(body, 1), alphabet[-1]):
                pumps[lead, example + tail] = None
        pumps.update({("", lead + letter): None for letter in [_example(body, 0), *alphabet, " ", ""]})
    pumps["", _example(tree, 0)] = None
    for lead, pump in pumps:
        if pump:
            for end in dict.fromkeys(("", "\x00", alphabet[0])):
                yield lead, pump, end


def _letters(tree: Any) -> Iterator[str]:
    for code, value in tree:
        if code is sre.LITERAL:
            yield chr(value)
        elif code is sre.NOT_LITERAL:
            yield from (chr(value), "x")
        elif code is sre.ANY:
            yield "x"
        elif code is sre.IN:
            yield _of_class(value, 0)
            yield _of_class(value, 1)
        elif code is sre.BRANCH:
            for branch in value[1]:
                yield from _letters(branch)
        elif code is sre.SUBPATTERN:
            yield from _letters(value[3])
        elif code in _REPEATS:
            yield from _letters(value[2])
        elif code in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _letters(value[1])
        elif code is sre.ATOMIC_GROUP:
            yield from _letters(value)


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_CATEGORIES = {"DIGIT": "0", "SPACE": " ", "WORD": "a"}


def _of_class(items: Any, pick: int) -> str:
    """A character that a class takes."""
    excluded = bool(items) and items[0][0] is sre.NEGATE
    body = [item for item in items if item[0] is not sre.NEGATE]
    if excluded:
        taken = re.compile("".join(["[^", *(re.escape(one) for one in map(_one_of, body)), "]"]))
        return [char for char in "a0 -.:;\n" if taken.match(char)][pick % 2]
    return _one_of(body[pick % len(body)])


def _one_of(item: Any) -> str:
    code, value = item
    if code is sre.RANGE:
        return chr(value[0])
    if code is sre.CATEGORY:
        name = str(value).removeprefix("CATEGORY_")
        return _CATEGORIES.get(name, "-") if not name.startswith("NOT_") else "-"
    return chr(value)


def _example(tree: Any, pick: int) -> str:
    """A text that the expression takes, or nearly."""
    parts = []
    for code, value in tree:
        if code is sre.LITERAL:
            parts.append(chr(value))
        elif code is sre.NOT_LITERAL:
            parts.append("x" if value != ord("x") else "y")
        elif code is sre.ANY:
            parts.append("x")
        elif code is sre.IN:
            parts.append(_of_class(value, pick))
        elif code is sre.BRANCH:
            parts.append(_example(value[1][pick % len(value[1])], pick))
        elif code is sre.SUBPATTERN:
            parts.append(_example(value[3], pick))
        elif code in _REPEATS:
            parts.append(_example(value[2], pick) * max(value[0], 1 if pick != 2 else 0))
        elif code is sre.ATOMIC_GROUP:
            parts.append(_example(value, pick))
    return "".join(parts)


def _repeats(tree: Any, lead: str) -> Iterator[tuple[str, Any]]:
    """Each repetition in an expression, and a text that leads to it."""
    for at, (code, value) in enumerate(tree):
        before = lead + _example(tree[:at], 0)
        if code in _REPEATS:
            yield before, value[2]
            yield from _repeats(value[2], before)
        elif code is sre.SUBPATTERN:
            yield from _repeats(value[3], before)
        elif code is sre.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, before)
        elif code in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(value[1], before)
        elif code is sre.ATOMIC_GROUP:
            yield from _repeats(value, before)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _took(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    run = getattr(pattern, method)
    arguments = (b"" if isinstance(text, bytes) else "", text) if method in ("sub", "subn") else (text,)
    began = time.thread_time()
    found = run(*arguments)
    if method == "finditer":
        list(found)
    return time.thread_time() - began


def defeated(pattern: re.Pattern[Any], methods: Iterable[str]) -> str:
    """The text that makes the expression take more than linear time, if one was found."""
    for method in dict.fromkeys("sub" if one not in _ANCHORED else one for one in methods):
        for lead, pump, end in _attacks(pattern):

            def text(size: int, lead: str = lead, pump: str = pump, end: str = end) -> Any:
                made = lead + pump * (size // len(pump)) + end
                return made.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else made

            try:
                with _alarm(2):
                    for size in (30, 400, 10_000):
                        if _took(pattern, method, text(size)) > _SUSPECT_S:
                            small = min(_took(pattern, method, text(size)) for _ in range(3))
                            if min(_took(pattern, method, text(10 * size)) for _ in range(2)) > _GROWTH * small:
                                raise TimeoutError
            except TimeoutError:
                return f"{method} of {lead!r} + {pump!r} * n + {end!r}"
    return ""


_USES = list(_uses())

_MADE_AT_RUN_TIME = {
    "kapture/policy/policy_file.py _line_of": "of a known key, on the first 200 characters of a line",
    "kapture/scenarios/export/playwright_file.py helpers": "of the names of helpers, over the exported code",
    "kapture/scenarios/parameters/parameter_patterns.py why_no_pattern": "compiled only",
    "kapture/scenarios/parameters/parameter_patterns.py _fits": "a short one with one repetition, else in a process",
    "kapture/scenarios/record/typed_in_address.py _matches": "of escaped texts",
    "kapture/scenarios/record/without_values.py without_values": "of escaped texts",
    "kapture/scenarios/replay/redaction.py add": "of escaped texts",
}
"""Why they take linear time. Make no others: where a text is looked for, `str` has a method."""


@pytest.mark.parametrize("use", [use for use in _USES if use.pattern], ids=lambda use: use.where)
def test_regular_expression_takes_linear_time(use: _Use) -> None:
    assert use.pattern is not None
    assert not defeated(use.pattern, use.methods)


def test_expressions_made_at_run_time_are_known() -> None:
    assert not [path for path in (_ROOT / "kapture").rglob("*.py") if "from re import" in path.read_text("utf-8")]
    assert {use.where for use in _USES if use.pattern is None} == set(_MADE_AT_RUN_TIME)


@pytest.mark.parametrize(
    "bad",
    [
        r"\s*$",
        "(a+)+b",
        ".*x.*y",
        r"(a|a)*b",
        r"\d+\.",
        r"<[^>]*;",
        r"\bfor\s*\([^;{]*;",
        r".*\. *\{[^}]*\} *",
        "(?:ab?)*(?:ba?)*c",
    ],
)
def test_expressions_of_quadratic_and_exponential_time_are_found(bad: str) -> None:
    assert defeated(re.compile(bad), ["search"])


if __name__ == "__main__":
    for use in _USES:
        if use.pattern is None:
            print("BUILT", use.where)
        elif found := defeated(use.pattern, use.methods):
            print("BAD  ", use.where, use.pattern.pattern[:80], sorted(use.methods), "\n        ", found)
