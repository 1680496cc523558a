"""The messages between the hub and a program whose person shares it with another machine or container: `/share`.

The program sends one request. The hub answers, and the share lasts as long as the socket, or until a person ends it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.json import Decoder

from kapture.wire.failed import Failed


class Share(Struct, tag_field="type", tag="share"):
    """Open a share. `sites` None: those of the tabs' grants. `clients`: the names of those that may come, with `*` for
    any part; None: all. `folder`: by a Unix socket in a folder of the hub's, not by `port` of the loopback addresses
    (0: a free one). `again`: it takes the place of one of this name that was opened so too."""

    name: str
    level: Literal["read", "interact"] = "interact"
    sites: tuple[str, ...] | None = None
    clients: tuple[str, ...] | None = None
    folder: bool = False
    port: int = 0
    again: bool = False


class End(Struct, tag_field="type", tag="end"):
    """End the share with this name, which another program has opened."""

    name: str


FromProgram: TypeAlias = Share | End


class Shared(Struct, tag_field="type", tag="shared"):
    """The share is open, on `port` of the loopback addresses or in `folder`. `key` and `token` are its own."""

    port: int
    folder: str
    key: str
    token: str
    version: str

    def __repr__(self) -> str:
        return f"Shared(port={self.port}, folder={self.folder!r})"


class Ended(Struct, tag_field="type", tag="ended"):
    """It ends."""


FROM_HUB: Decoder[Shared] = Decoder(Shared | Failed)
TO_END: Decoder[Ended] = Decoder(Ended | Failed)
