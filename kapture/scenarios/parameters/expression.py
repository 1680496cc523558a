"""Conditions over captured output: a small subset of Python's expressions that cannot run code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from kapture.errors import ErrorCode, KaptureError

_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, group: item in group,
    ast.NotIn: lambda item, group: item not in group,
}
_SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_NAMED = {"true": True, "false": False, "null": None}
_MAX_CHARS = 1_000
_MAX_DEPTH = 100
"""Python takes 200 nested parentheses; an exported condition has some where the written one has none."""


def holds(expression: str, variables: Mapping[str, Any]) -> bool:
    """Whether it is true; an unknown name is null. `SCENARIO_INVALID` if the expression is not allowed."""
    try:
        return bool(_value(_parsed(expression), variables))
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise _invalid(expression, str(error)) from error


def names(expression: str) -> list[str]:
    """The variables that it names, with repetitions. `SCENARIO_INVALID` if it is no expression."""
    named = [node.id for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Name)]
    return [name for name in named if name not in _NAMED]


def as_python(expression: str, variable: str, item: str) -> str:
    """The same condition as Python source. `variable` is the name there of the mapping with the variables, `item` that
    of a function with the effect of `item_of`. `SCENARIO_INVALID` if the expression is not allowed."""
    try:
        return f"bool({_source(_parsed(expression), variable, item)})"
    except (ValueError, RecursionError) as error:
        raise _invalid(expression, str(error)) from error


def _parsed(expression: str) -> ast.expr:
    try:
        if len(expression) > _MAX_CHARS:
            raise ValueError(f"it is longer than {_MAX_CHARS} characters")
        parsed = ast.parse(expression.strip(), mode="eval").body
        if _is_deeper(parsed, _MAX_DEPTH):
            raise ValueError(f"it is nested more than {_MAX_DEPTH} levels deep")
        return parsed
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _invalid(expression, error.msg if isinstance(error, SyntaxError) else str(error)) from error


def _is_deeper(node: ast.expr, levels: int) -> bool:
    """Whether expressions are nested in it more than so many levels deep."""
    level = [node]
    for _ in range(levels):
        level = [inner for outer in level for inner in ast.iter_child_nodes(outer) if isinstance(inner, ast.expr)]
    return bool(level)


def _invalid(expression: str, reason: str) -> KaptureError:
    return KaptureError(
        ErrorCode.SCENARIO_INVALID,
        f"The expression {expression[:200]!r} cannot be evaluated: {reason}.",
        hint="It may compare variables with ==, !=, <, <=, >, >= and in, and join that with and, or and not.",
    )


def _value(node: ast.expr, variables: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, str | int | float):
            return value
        case ast.Name(id=name):
            return variables.get(name, _NAMED.get(name))
        case ast.Attribute(value=inner, attr=name):
            return item_of(_value(inner, variables), name)
        case ast.Subscript(value=inner, slice=index):
            return item_of(_value(inner, variables), _value(index, variables))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, variables) for item in items]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, variables)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, variables)
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, variables) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(_value(part, variables) for part in parts)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            values = [_value(part, variables) for part in (left, *others)]
            return all(
                _COMPARE[type(op)](first, second)
                for op, first, second in zip(ops, values[:-1], values[1:], strict=True)
            )
    raise ValueError(f"{ast.unparse(node)} is not allowed")


def _source(node: ast.expr, variable: str, item: str) -> str:
    def of(inner: ast.expr) -> str:
        return _source(inner, variable, item)

    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, str | int | float):
            return ast.unparse(node)
        case ast.Name(id=name):
            return f"{variable}.get({name!r}, {_NAMED.get(name)!r})"
        case ast.Attribute(value=inner, attr=name):
            return f"{item}({of(inner)}, {name!r})"
        case ast.Subscript(value=inner, slice=index):
            return f"{item}({of(inner)}, {of(index)})"
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return f"[{', '.join(map(of, items))}]"
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return f"(not {of(inner)})"
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"(-{of(inner)})"
        case ast.BoolOp(op=op, values=parts):
            return f"bool({(' and ' if isinstance(op, ast.And) else ' or ').join(map(of, parts))})"
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            compared = "".join(f" {_SIGNS[type(op)]} {of(other)}" for op, other in zip(ops, others, strict=True))
            return f"({of(left)}{compared})"
    raise ValueError(f"{ast.unparse(node)} is not allowed")


def item_of(value: Any, key: Any) -> Any:
    """A field of an object or an item of a list; null if it does not exist."""
    if isinstance(value, Mapping):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return None
