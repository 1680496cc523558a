"""Files that were uploaded or downloaded."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class UploadAnswer(Answer):
    """The uploaded files, and the element or page that got them."""

    files: list[str]
    to: str
    how: str

    def text(self) -> str:
        """One line."""
        return f"{self.how} {', '.join(self.files)} {'onto' if self.how == 'dropped' else 'to'} {self.to}"


@attrs.frozen(kw_only=True)
class DownloadAnswer(Answer):
    """The complete file. `path` is on the hub's machine; `type` as the server sent it."""

    path: str
    bytes: int
    type: str
    url: str

    def text(self) -> str:
        """One line."""
        return f"downloaded {self.path} ({self.bytes} bytes, {self.type or 'type unknown'})"
