"""The answers of commands.

An answer is an attrs class with facts; `text()` states them briefly for a model, and the same class as JSON is the
structured form. Images and other binary parts are separate from the text, never inside it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, ClassVar

import attrs

DEFAULT_CHARS = 20_000
"""The longest answer, its notes included, unless the call asks for another limit."""
NOTE_CHARS = 500
"""Room for the notes of an answer, which come on top of what `max_chars` allows."""
MOST_CHARS = 200_000
"""The most that a call may ask for."""
MOST_SAVED_CHARS = 10_000_000
MORE = f"max_chars (at most {MOST_CHARS:,}) shows more, save_to writes all to a file"
_KEPT_NOTE = 300


def bounded(text: str, limit: int) -> str:
    """The text, or as many of its first lines as fit in `limit` with a note on the rest. A short last line, in which
    answers say what they have left out themselves, is kept."""
    if len(text) <= limit:
        return text
    body, _, last = text.rpartition("\n")
    if len(last) > _KEPT_NOTE or not body:
        body, last = text, ""
    room = max(0, limit - len(last) - 200)
    shown = body[:room]
    if (end := shown.rfind("\n")) > room // 2:
        shown = shown[:end]
    lines = body.count("\n", len(shown) + 1) + 1
    left = (
        f"{len(body) - len(shown):,} of {len(text):,} characters ({lines:,} line{'' if lines == 1 else 's'}) left out"
    )
    return "\n".join(part for part in (shown, f"… {left}: {MORE}", last) if part)


@attrs.frozen(kw_only=True)
class Blob:
    """A binary part of an answer: an image block, or a file to save."""

    base64: str
    mime_type: str
    name: str = ""

    @classmethod
    def of(cls, content: bytes, mime_type: str, name: str = "") -> Blob:
        """Encode bytes."""
        return cls(base64=b64encode(content).decode(), mime_type=mime_type, name=name)

    def content(self) -> bytes:
        """The bytes."""
        return b64decode(self.base64)


@attrs.frozen
class Said:
    """A line of the person's, which is never shown as text of a page, and what it is `about` in the page's words, which
    is."""

    line: str
    about: str = ""

    def text(self) -> str:
        """Both, for people."""
        return "\n".join(filter(None, (self.line, self.about)))


@attrs.frozen(kw_only=True)
class Answer:
    """The base class of all answers. The default text is one `name: value` line per attribute.

    `exact`: the text is a value that was asked for, in which no URL is shortened.
    """

    exact: ClassVar[bool] = False

    def text(self) -> str:
        """The facts for a model: short, complete, no JSON."""
        lines = []
        for field in attrs.fields(type(self)):
            value = getattr(self, field.name)
            if value is not None and not isinstance(value, Blob) and field.name != "blobs":
                lines.append(f"{field.name}: {value}")
        return "\n".join(lines)

    def summary(self) -> str:
        """Describe the action for the person's list of activities."""
        return self.text().partition("\n")[0]

    def text_within(self, limit: int) -> str:
        """The text in at most this many characters and a note, for answers that can choose what to leave out; others
        are cut at the end (`kapture.commands.core.bounds`)."""
        return self.text()

    def said(self) -> tuple[Said, ...]:
        """What the person says, shown before the text."""
        return ()

    def has_page_text(self) -> bool:
        """Whether `text()` contains page text, if the command as a whole may."""
        return True

    def parts(self) -> tuple[Blob, ...]:
        """Binary parts, in order."""
        return ()


_CLOSED = "the tab was closed, as pages may do in reply"


@attrs.frozen(kw_only=True)
class CallResult:
    """The result of one call.

    `text` is for models, `data` holds the same facts as JSON, `parts` images and files. `untrusted`: the text contains
    page text, which must be marked before it is shown to a model. `url` is the page's URL after the command.
    `has_fields`: `data` has fields of its own, and is not just a wrapper for a value. `new_document`: the command's
    action loaded another document; a route change within one does not, nor does the back/forward cache. `did`: what an
    action has done, for the person at the browser. `said`: by that person, shown before the text.
    """

    answer: Answer
    text: str
    data: dict[str, Any]
    parts: tuple[Blob, ...] = ()
    untrusted: bool = False
    url: str | None = None
    has_fields: bool = True
    new_document: bool = False
    did: str = ""
    said: tuple[Said, ...] = ()

    def of_closed_tab(self) -> CallResult:
        """The result of an action whose tab has been closed meanwhile: there is no page to show."""
        view = self.data.get("snapshot", "")
        effects = [*self.data.get("effects", ()), _CLOSED]
        data = {**{name: value for name, value in self.data.items() if name != "snapshot"}, "effects": effects}
        return attrs.evolve(self, text=f"{self.text.removesuffix(view).rstrip()}\n{_CLOSED}", data=data)
