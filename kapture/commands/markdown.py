"""HTML of what a page shows → Markdown."""

from __future__ import annotations

import re
from typing import Any

from markdownify import ATX, MarkdownConverter

_BLANK_LINES = re.compile(r"\n{3,}")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|brush:)-?([\w+#-]+)")


def markdown(html: str) -> str:
    """Headings, lists, tables, code blocks, links and images; of controls their values."""
    text = _Converter(
        heading_style=ATX,
        bullets="-",
        autolinks=True,
        escape_misc=False,
        table_infer_header=True,
        code_language_callback=_code_language,
    ).convert(html)
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text)).strip()


class _Converter(MarkdownConverter):  # type: ignore[misc]  # it has no annotations
    """What Markdown has no form for is said in words."""

    def convert_input(self, el: Any, text: str, parent_tags: Any) -> str:
        kind = str(el.get("type", "text")).lower()
        if kind in ("checkbox", "radio"):
            return "[x] " if el.has_attr("checked") else "[ ] "
        shown = el.get("value") or el.get("placeholder") or ""
        return f"[{shown}]" if kind in ("submit", "button", "reset") else f"{shown} "

    def convert_select(self, el: Any, text: str, parent_tags: Any) -> str:
        options = [option for option in el.find_all("option") if option.has_attr("selected")]
        return ", ".join(option.get_text(" ", strip=True) for option in options)

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(super().convert_td(el, _in_cell(text), parent_tags))

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(super().convert_th(el, _in_cell(text), parent_tags))

    def convert_svg(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(el.get("aria-label", ""))

    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        source, alt = str(el.get("src", "")), str(el.get("alt", "")).strip()
        if source.startswith("data:"):
            return alt  # an image that is only in the page cannot be followed
        return str(super().convert_img(el, text, parent_tags)) if source else alt

    def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
        if not text.strip():
            text = str(el.get("aria-label", "")) or str(el.get("title", ""))
        if str(el.get("href", "")).lower().startswith("javascript:"):
            return text
        return str(super().convert_a(el, text, parent_tags)) if text.strip() else ""


def _in_cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _code_language(el: Any) -> str:
    for part in (el, el.find("code"), el.parent):
        if part is not None and (found := _LANGUAGE.search(" ".join(part.get("class") or []))):
            return found[1]
    return ""
