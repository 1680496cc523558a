"""The answers of commands.

An answer is an attrs class with facts; `text()` states them briefly for a model, and the same class as JSON is the
structured form. Images and other binary parts are separate from the text, never inside it.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import attrs


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


@attrs.frozen(kw_only=True)
class Answer:
    """The base class of all answers. The default text is one `name: value` line per attribute."""

    def text(self) -> str:
        """The facts for a model: short, complete, no JSON."""
        lines = []
        for field in attrs.fields(type(self)):
            value = getattr(self, field.name)
            if value is not None and not isinstance(value, Blob) and field.name != "blobs":
                lines.append(f"{field.name}: {value}")
        return "\n".join(lines)

    def summary(self) -> str:
        """What was done, as the person at the browser reads it in a list of what ran."""
        return self.text().partition("\n")[0]

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
    action loaded another document; a route change within one does not, nor does the back/forward cache. `acts`: the
    command may change the page.
    """

    answer: Answer
    text: str
    data: dict[str, Any]
    parts: tuple[Blob, ...] = ()
    untrusted: bool = False
    url: str | None = None
    has_fields: bool = True
    new_document: bool = False
    acts: bool = False

    def of_closed_tab(self) -> CallResult:
        """The result of an action whose tab has been closed meanwhile: there is no page to show."""
        view = self.data.get("snapshot", "")
        effects = [*self.data.get("effects", ()), _CLOSED]
        data = {**{name: value for name, value in self.data.items() if name != "snapshot"}, "effects": effects}
        return attrs.evolve(self, text=f"{self.text.removesuffix(view).rstrip()}\n{_CLOSED}", data=data)
