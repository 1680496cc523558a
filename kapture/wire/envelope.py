"""The base classes of all messages."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct

TabId: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:\-]{1,128}\Z")]
MessageId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]
Secret: TypeAlias = Annotated[str, Meta(max_length=256)]


class Message(Struct, tag_field="type", rename="camel", omit_defaults=True):
    """The envelope: `type`, and the fields of the class."""


class Part(Struct, rename="camel", omit_defaults=True):
    """An object inside a message."""


class WireError(Part):
    """Why something failed. `code` is a `kapture.errors.ErrorCode`; a tab of another make may send any text,
    a number, or null for what it does not tell."""

    message: str | None = ""
    code: str | int | None = "EXECUTION_ERROR"
    hint: str | None = ""
    data: dict[str, Any] | None = None
