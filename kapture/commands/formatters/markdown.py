"""Converts the visible HTML of a page to Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import Any

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

from kapture.commands.formatters.formulas import formula

_FENCE = re.compile(r"[\s>-]*(`{3,})")
_MAX_SPAN = 1_000
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
    _bound_numbers(soup)
    for table in soup.find_all("table"):
        _repeat_spanned_cells(table)
    text = _Converter(
        heading_style=ATX,
        bullets="-",
        autolinks=True,
        escape_misc=False,
        table_infer_header=True,
    ).convert_soup(soup)
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
        if opened := _FENCE.match(line):
            fence = opened[1]
        kept = line.rstrip()
        if kept or not empty:
            yield kept
        empty = not kept


class _Converter(MarkdownConverter):
    """What Markdown cannot express is put in words; an element's ref follows it in braces: `{e12}`."""

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


def _bound_numbers(soup: Tag) -> None:
    """Remove numbers that the converter could not read, as "²", or those of thousands of digits."""
    for cell in soup.find_all(["td", "th"]):
        if "colspan" in cell.attrs:
            cell["colspan"] = str(_span(cell, "colspan"))
    for listed in soup.find_all("ol", start=True):
        if not _NUMBER.fullmatch(str(listed["start"])):
            del listed["start"]
    for heading in soup.find_all(_LONG_HEADING):
        heading.name = "div"


def _repeat_spanned_cells(table: Tag) -> None:
    """Markdown has no row spans: repeat the cell in every row that it spans."""
    reaching: dict[int, tuple[Tag, int]] = {}  # column → the cell above, and how many more rows it spans
    for row in table.find_all("tr"):
        if row.find_parent("table") is not table:
            continue
        cells = iter(row.find_all(["td", "th"], recursive=False))
        placed: list[Tag] = []
        column = 0
        while True:
            if column in reaching:
                above, left = reaching.pop(column)
                cell = copy(above)
                span = left
            else:
                found = next(cells, None)
                if found is None:
                    break
                cell, span = found, _span(found, "rowspan")
                if "rowspan" in cell.attrs:
                    del cell["rowspan"]
            placed.append(cell)
            if span > 1:
                reaching[column] = (cell, span - 1)
            column += _span(cell, "colspan")
        for cell in placed:
            row.append(cell)


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
