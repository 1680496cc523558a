"""Formulas of MathML (https://www.w3.org/TR/mathml-core/) on one line, by their source in TeX or else in its manner."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString
from markdownify import ATX, MarkdownConverter

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


_BLANKS = re.compile(r"[\t \r\n]+")
_MAX_SPAN = 1_000
_SPANNED_CHARS = 1_000_000
"""How much all cells of a document that span rows or columns may add to it."""
_EMPTY_CELL_CHARS = 20
_NUMBER = re.compile(r"[0-9]{1,9}")
_LONG_HEADING = re.compile(r"^h\d{10}")
REF_ATTRIBUTE = "data-kapture-ref"
# Text of a page that looks like a ref is escaped.
_LIKE_A_REF = re.compile(r"\{(?=(?:f\d+)?e\d+\})")
# As in 1st, 2ème or ™: the height adds nothing. Links are notes.
_ORDINAL = re.compile(r"[^\W\d_]{2,4}|[™®©ªº]")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|brush:)-?([\w+#-]+)")


def markdown(html: str) -> str:
    """Headings, lists, tables, code blocks, links and images; controls as their values."""
    soup = BeautifulSoup(html, "html.parser")
    converter = _Converter(
        heading_style=ATX,
        bullets="-",
        autolinks=True,
        escape_misc=False,
        table_infer_header=True,
    )
    _number_items(soup)
    spans = _Spans()
    for table in soup.find_all("table"):
        rows = list(_rows(table))
        converter.first_rows.update(id(row) for row in rows[:1])
        spans.repeat_cells(rows)
    text = converter.convert_soup(soup)
    return "\n".join(_tidied(text.split("\n"))).strip("\n")


def _tidied(lines: list[str]) -> Iterator[str]:
    """Remove white space at ends of lines and runs of empty lines, except in code."""
    fence = ""
    empty = True
    for line in lines:
        if fence:
            yield line
            fence = "" if line.strip() == fence else fence
            empty = False
            continue
        opened = line.lstrip("> -\t")
        if opened.startswith("```"):
            fence = opened[: len(opened) - len(opened.lstrip("`"))]
        kept = line.rstrip()
        if kept or not empty:
            yield kept
        empty = not kept


class _Converter(MarkdownConverter):
    """Describe in words whatever Markdown cannot express; an element's ref follows it in braces: `{e12}`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.first_rows: set[int] = set()  # ids of rows that are the head of a table

    def process_text(self, el: Any, parent_tags: Any = None) -> str:
        text = NavigableString(el if "pre" in (parent_tags or ()) else _BLANKS.sub(_one_blank, el))
        text.parent, text.previous_sibling, text.next_sibling = el.parent, el.previous_sibling, el.next_sibling
        return str(super().process_text(text, parent_tags))  # type: ignore[misc]

    def process_tag(self, node: Any, parent_tags: Any = None) -> str:
        text = str(super().process_tag(node, parent_tags=parent_tags))  # type: ignore[misc]
        ref = node.get(REF_ATTRIBUTE)
        if not ref:
            return text
        shown = text.rstrip()
        return f"{shown} {{{ref}}}{text[len(shown) :]}"

    def escape(self, text: str, parent_tags: Any) -> str:
        return _LIKE_A_REF.sub(r"\\{", str(super().escape(text, parent_tags)))  # type: ignore[misc]

    def convert_input(self, el: Any, text: str, parent_tags: Any) -> str:
        kind = str(el.get("type", "text")).lower()
        if kind in ("checkbox", "radio"):
            return "[x]" if el.has_attr("checked") else "[ ]"
        shown = el.get("value") or el.get("placeholder") or ""
        return f"[{shown}]" if kind in ("submit", "button", "reset") else f"{shown} "

    def convert_select(self, el: Any, text: str, parent_tags: Any) -> str:
        options = [option for option in el.find_all("option") if option.has_attr("selected")]
        return ", ".join(option.get_text(" ", strip=True) for option in options)

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(super().convert_td(el, _in_cell(text), parent_tags))  # type: ignore[misc]

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(super().convert_th(el, _in_cell(text), parent_tags))  # type: ignore[misc]

    def convert_tr(self, el: Any, text: str, parent_tags: Any) -> str:
        if id(el) not in self.first_rows:
            return f"|{text}\n"
        columns = sum(_span(cell, "colspan") for cell in el.find_all(["td", "th"], recursive=False))
        return f"|{text}\n{'| --- ' * columns}|\n"

    def convert_li(self, el: Any, text: str, parent_tags: Any) -> str:
        if el.parent is None or el.parent.name != "ol" or not text.strip():
            return str(super().convert_li(el, text, parent_tags))  # type: ignore[misc]
        bullet = f"{el['value']}. "
        first, *lines = text.strip().split("\n")
        return "\n".join([bullet + first, *(" " * len(bullet) * bool(line) + line for line in lines)]) + "\n"

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:
        code = el.get_text().strip("\n")
        # Longer than any run in the code, which could otherwise end the block.
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", code))])
        return f"\n\n{fence}{_code_language(el)}\n{code}\n{fence}\n\n"

    def convert_math(self, el: Any, text: str, parent_tags: Any) -> str:
        written = _LIKE_A_REF.sub(r"\\{", formula(el))
        if not written:
            return text
        alone = el.get("display") == "block" and "_inline" not in parent_tags
        return f"\n\n$${written}$$\n\n" if alone else f"${written}$"

    def convert_sup(self, el: Any, text: str, parent_tags: Any) -> str:
        return text if el.find("a") or _ORDINAL.fullmatch(text.strip()) else self._raised("sup", text)

    def convert_sub(self, el: Any, text: str, parent_tags: Any) -> str:
        return self._raised("sub", text)

    def _raised(self, tag: str, text: str) -> str:
        return f"<{tag}>{text.strip()}</{tag}>" if text.strip() else ""

    def convert_summary(self, el: Any, text: str, parent_tags: Any) -> str:
        return f"\n\n{text.strip()}\n\n"

    def convert_svg(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(el.get("aria-label", ""))

    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        source, alt = str(el.get("src", "")), str(el.get("alt", "")).strip()
        if source.startswith("data:"):
            return alt  # an image without a URL cannot be followed
        return str(super().convert_img(el, text, parent_tags)) if source else alt  # type: ignore[misc]

    def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
        if not text.strip():
            text = str(el.get("aria-label", "")) or str(el.get("title", ""))
        if str(el.get("href", "")).lower().startswith("javascript:"):
            return text
        return str(super().convert_a(el, text, parent_tags)) if text.strip() else ""  # type: ignore[misc]


def _number_items(soup: Tag) -> None:
    """Number the items of ordered lists, and make headings of thousands of digits, which cannot be read, blocks."""
    for ordered in soup.find_all("ol"):
        start = str(ordered.get("start", "1"))
        first = int(start) if _NUMBER.fullmatch(start) else 1
        for number, item in enumerate(ordered.find_all("li", recursive=False), first):
            item["value"] = str(number)
    for heading in soup.find_all(_LONG_HEADING):
        heading.name = "div"


def _rows(table: Tag) -> Iterator[Tag]:
    """The table's own rows."""
    for child in table.find_all(["tr", "thead", "tbody", "tfoot"], recursive=False):
        if child.name == "tr":
            yield child
        else:
            yield from child.find_all("tr", recursive=False)


class _Spans:
    """The cells of a document that span several rows or columns, within a limit in all."""

    def __init__(self) -> None:
        self._room = _SPANNED_CHARS

    def repeat_cells(self, rows: Iterable[Tag]) -> None:
        """Markdown has no row spans: repeat the cell in every row that it spans."""
        reaching: dict[int, tuple[Tag, int, int]] = {}  # column → the cell above, its length, how many more rows
        for row in rows:
            cells = iter(row.find_all(["td", "th"], recursive=False))
            placed: list[Tag] = []
            column = 0
            while True:
                if column in reaching:
                    above, length, left = reaching.pop(column)
                    cell = copy(above) if self._takes(length) else Tag(name="td")
                else:
                    found = next(cells, None)
                    if found is None:
                        break
                    cell, left = found, _span(found, "rowspan")
                    length = len(str(found)) if left > 1 else 0
                    del cell["rowspan"]
                    columns = _span(cell, "colspan")
                    if columns == 1 or not self._takes(columns * _EMPTY_CELL_CHARS):
                        del cell["colspan"]
                placed.append(cell)
                if left > 1 and self._room > 0:
                    reaching[column] = (cell, length, left - 1)
                column += _span(cell, "colspan")
            for cell in placed:
                row.append(cell)

    def _takes(self, chars: int) -> bool:
        self._room -= chars + _EMPTY_CELL_CHARS
        return self._room > 0


def _one_blank(blanks: re.Match[str]) -> str:
    return "\n" if "\n" in blanks[0] or "\r" in blanks[0] else " "


def _span(cell: Tag, name: str) -> int:
    given = str(cell.get(name, "1"))
    return min(int(given) or 1, _MAX_SPAN) if _NUMBER.fullmatch(given) else 1


def _in_cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _code_language(el: Any) -> str:
    for part in (el, el.find("code"), el.parent):
        if part is not None and (found := _LANGUAGE.search(" ".join(part.get("class") or []))):
            return found[1]
    return ""
