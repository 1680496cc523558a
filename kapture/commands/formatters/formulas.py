"""Formulas of MathML (https://www.w3.org/TR/mathml-core/) on one line, by their source in TeX or else in its manner."""

from __future__ import annotations

from bs4 import Tag

_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))  # operators that are not written
_LEFT_OUT = frozenset({"annotation", "annotation-xml", "mspace", "mphantom"})


def formula(math: Tag) -> str:
    """The formula of a `math` element, without its delimiters."""
    return str(math.get("alttext") or "").strip() or _line(math)


def _line(element: Tag) -> str:
    children = element.find_all(True, recursive=False)
    if not children:
        return " ".join(element.get_text().translate(_INVISIBLE).split())
    parts = [_line(child) for child in children if child.name not in _LEFT_OUT]
    match element.name, parts:
        case "mfrac", [above, below]:
            return f"{_grouped(above, '()')}/{_grouped(below, '()')}"
        case "msup" | "mover", [base, above]:
            return f"{_grouped(base)}^{_grouped(above)}"
        case "msub" | "munder", [base, below]:
            return f"{_grouped(base)}_{_grouped(below)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{_grouped(base)}_{_grouped(below)}^{_grouped(above)}"
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mroot", [base, degree]:
            return f"({base})^(1/{_grouped(degree, '()')})"
        case "mfenced", _:
            return f"({', '.join(parts)})"
        case "mtable", _:
            return f"({'; '.join(parts)})"
        case "mtr", _:
            return ", ".join(parts)
    return "".join(parts)


def _grouped(part: str, braces: str = "{}") -> str:
    return part if len(part) == 1 or part.isdecimal() or part.isalpha() else f"{braces[0]}{part}{braces[1]}"
