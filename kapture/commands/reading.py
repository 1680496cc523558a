"""Reading a page as text, Markdown or HTML."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import OptionalTarget, Targeted
from kapture.commands.core.registry import Access, command
from kapture.commands.core.worker import in_worker
from kapture.errors import PolicyDenied, RefExpired
from kapture.page.documents.frame import ContextGone, Frame


@attrs.frozen(kw_only=True)
class Read(Answer):
    """A part of what was read: `content`, from character `start` of `length`.

    `url` is the document's; `ref` identifies the element that was read, if one was named.
    """

    url: str
    title: str | None
    content: str
    start: int
    length: int
    ref: str | None = None

    def text(self) -> str:
        """The content, and where to continue if it was cut."""
        end = self.start + len(self.content)
        if end >= self.length and self.start == 0:
            return self.content
        more = f"; continue with start={end}" if end < self.length else ""
        return f"{self.content}\n\n[characters {self.start}-{end} of {self.length}{more}]"


_MAX_NESTING = 8


@attrs.frozen(kw_only=True)
class InParts(Targeted):
    """Parameters of a command that reads the page, or an element, in parts."""

    start: Annotated[int, Meta(ge=0, description="Start at this character.")] = 0


@attrs.frozen(kw_only=True)
class GetText(InParts):
    """Read the visible text of the page or an element."""


@command("get_text", access=Access.READ, long=True)
async def get_text(tab: TabContext, params: GetText) -> Read:
    """Text in layout order; frames appear at their position in the page."""
    source = await _source(tab, params.element)

    async def read(frame: Frame, ref: int | None, depth: int) -> str:
        pieces = await frame.call("readText", _of(ref))
        texts = [
            piece if isinstance(piece, str) else await _in_frame(tab, piece["frame"], depth, read) for piece in pieces
        ]
        return "".join(_joined(texts))

    text = await read(source.frame, source.ref, 0)
    return _part(source, text if source.is_field else text.strip(), params.start, tab.arguments.limit)


@attrs.frozen(kw_only=True)
class ReadAsMarkdown(InParts):
    """Read the main content of the page, or an element, as Markdown."""

    whole_page: Annotated[bool, Meta(description="Also menus and footers.")] = False
    refs: Annotated[bool, Meta(description="Refs of links and fields: {e12}.")] = False


@command("read_as_markdown", access=Access.READ, long=True)
async def read_as_markdown(tab: TabContext, params: ReadAsMarkdown) -> Read:
    """Markdown of the main content, unless a target or the whole page was requested."""
    target = params.element
    source = await _source(tab, target)
    options = {
        "main": target is None and not params.whole_page,
        "absolute": True,
        "plain": True,
        "whole": tab.arguments.whole,
    }
    html = await _shown_html(tab, source, options, refs=params.refs)
    content, length = await in_worker(_markdown, html, params.start, params.start + tab.arguments.limit)
    return _read(source, content, params.start, length)


def _markdown(html: str, start: int, end: int) -> tuple[str, int]:
    from kapture.commands.markdown import markdown  # its parsers are slow to import

    content = markdown(html)
    return content[start:end], len(content)


@attrs.frozen(kw_only=True)
class GetHtml(InParts):
    """Read the HTML of the page or of one element."""

    clean: Annotated[bool, Meta(description="Without scripts, styles, comments and hidden parts.")] = True
    outer: Annotated[bool, Meta(description="Include the element's own tag.")] = True


@command("get_html", access=Access.READ, toolset="more", long=True)
async def get_html(tab: TabContext, params: GetHtml) -> Read:
    """The document's source, or its visible part."""
    source = await _source(tab, params.element)
    if params.clean:
        html = await _shown_html(tab, source, {"whole": tab.arguments.whole})
    else:
        html = await source.frame.call("readHtml", {**_of(source.ref), "mark": "", "source": True})
    if not params.outer:
        html = _inner(html)
    return _part(source, html, params.start, tab.arguments.limit)


@attrs.frozen(kw_only=True)
class _Source:
    """The source to read: a frame's document, or one element of it."""

    frame: Frame
    ref: int | None
    url: str
    title: str
    is_field: bool = False


async def _source(tab: TabContext, target: OptionalTarget) -> _Source:
    main = tab.page.frames.main
    main.check_granted()
    if target is None:
        return _Source(frame=main, ref=None, url=tab.page.url, title=tab.page.title)
    element = await tab.page.locate(target)
    return _Source(
        frame=element.frame,
        ref=element.number,
        url=element.frame.url,
        title=tab.page.title,
        is_field=element.tag in ("input", "textarea"),
    )


def _of(ref: int | None) -> dict[str, Any]:
    return {} if ref is None else {"ref": ref}


Reader: TypeAlias = Callable[[Frame, int | None, int], Awaitable[str]]


async def _in_frame(tab: TabContext, key: str, depth: int, read: Reader) -> str:
    """The content of a frame, or why it is not shown."""
    try:
        frame = tab.page.frames.get(key)
        if not frame.granted:
            return f"[frame {key} at {frame.origin}: not granted]"
        if frame.why_silent:
            return f"[frame {key}: {frame.why_silent}]"
        if depth >= _MAX_NESTING:
            return f"[frame {key}: nested too deeply; read it by itself]"
        return await read(frame, None, depth + 1)
    except (RefExpired, PolicyDenied, ContextGone):
        return f"[frame {key}: gone]"


async def _shown_html(tab: TabContext, source: _Source, options: dict[str, Any], *, refs: bool = False) -> str:
    mark = f"kapture-{secrets.token_hex(8)}"  # unguessable: no page can imitate the mark of a frame

    async def read(frame: Frame, ref: int | None, depth: int) -> str:
        args = {**options, **_of(ref), "mark": mark, "inner": depth > 0, **({"refs": frame.key} if refs else {})}
        html: str = await frame.call("readHtml", args)
        first, *rest = html.split(f"<{mark}>")
        parts = [first]
        for part in rest:
            key, _, after = part.partition(f"</{mark}>")
            parts += (f'<div data-frame="{key}">{await _in_frame(tab, key, depth, read)}</div>', after)
        return "".join(parts)

    return await read(source.frame, source.ref, 0)


def _joined(texts: list[str]) -> list[str]:
    """Put frames on lines of their own, without adding empty lines."""
    joined: list[str] = []
    for text in texts:
        if joined and text and not joined[-1].endswith("\n") and not text.startswith("\n"):
            joined.append("\n")
        joined.append(text)
    return joined


def _inner(html: str) -> str:
    opening, closing = html.find(">") + 1, html.rfind("</")
    return html[opening:closing] if 0 < opening <= closing else ""


def _part(source: _Source, content: str, start: int, max_chars: int) -> Read:
    return _read(source, content[start : start + max_chars], start, len(content))


def _read(source: _Source, content: str, start: int, length: int) -> Read:
    return Read(
        url=source.url,
        title=source.title,
        content=content,
        start=start,
        length=length,
        ref=None if source.ref is None else source.frame.ref(source.ref),
    )
