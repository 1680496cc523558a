"""The result of one call."""

from __future__ import annotations

from typing import Any

import attrs

from kapture.commands.core.answer import Answer, Blob

_CLOSED = "the tab was closed, as pages may do in reply"


@attrs.frozen(kw_only=True)
class CallResult:
    """The result of one call.

    `text` is for models, `data` holds the same facts as JSON, `parts` images and files. `untrusted`: the text contains
    page text, which must be marked before it is shown to a model. `url` is the page's URL after the command.
    `has_fields`: `data` has fields of its own, and is not just a wrapper for a value. `new_document`: the command's
    action loaded another document; a route change within one does not, nor does the back/forward cache.
    """

    answer: Answer
    text: str
    data: dict[str, Any]
    parts: tuple[Blob, ...] = ()
    untrusted: bool = False
    url: str | None = None
    has_fields: bool = True
    new_document: bool = False

    def of_closed_tab(self) -> CallResult:
        """The result of an action whose tab has been closed meanwhile: there is no page to show."""
        view = self.data.get("snapshot", "")
        effects = [*self.data.get("effects", ()), _CLOSED]
        data = {**{name: value for name, value in self.data.items() if name != "snapshot"}, "effects": effects}
        return attrs.evolve(self, text=f"{self.text.removesuffix(view).rstrip()}\n{_CLOSED}", data=data)
