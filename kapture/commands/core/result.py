"""What a client gets for one call."""

from __future__ import annotations

from typing import Any

import attrs

from kapture.commands.core.answer import Answer, Blob


@attrs.frozen(kw_only=True)
class CallResult:
    """What a client gets for one call.

    `text` is for models, `data` the same facts as JSON, `parts` images and files. `untrusted` says that the
    text holds words of the page, which whoever shows it to a model must mark. `url` is the page's address
    after the command. `has_fields`: `data` has fields of its own, and is not just made around some value.
    """

    answer: Answer
    text: str
    data: dict[str, Any]
    parts: tuple[Blob, ...] = ()
    untrusted: bool = False
    url: str | None = None
    has_fields: bool = True
