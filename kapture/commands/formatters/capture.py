"""Pictures."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer, Blob


@attrs.frozen(kw_only=True)
class ScreenshotAnswer(Answer):
    """The picture and its size. `css_scale`: CSS pixels per image pixel."""

    name: str
    width: int
    height: int
    css_scale: float
    image: Blob
    truncated: bool | None = None
    full_height: float | None = None
    labels: list[str] | None = None

    def text(self) -> str:
        """One line, then one per label."""
        line = f"{self.name}: {self.width}×{self.height} px"
        if abs(self.css_scale - 1) > 0.001:
            line += f", 1 image px = {self.css_scale:.3g} CSS px"
        if self.truncated:
            line += f", truncated: the page is {self.full_height:g} CSS px high"
        return "\n".join([line, *(self.labels or [])])

    def has_page_text(self) -> bool:
        """True with labels, whose names are the page's."""
        return bool(self.labels)

    def parts(self) -> tuple[Blob, ...]:
        """The image."""
        return (self.image,)


@attrs.frozen(kw_only=True)
class PdfAnswer(Answer):
    """The file; `bytes` is its size."""

    bytes: int
    file: Blob

    def text(self) -> str:
        """One line."""
        return f"PDF, {self.bytes} bytes"

    def parts(self) -> tuple[Blob, ...]:
        """The file."""
        return (self.file,)
