"""The messages between the hub and a program whose person takes a tab back from a script: `/release`.

The program sends one request, the hub one answer, and closes the socket.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import Decoder

from kapture.wire.failed import Failed


class Release(Struct, tag_field="type", tag="release", rename="camel"):
    """End the hold of the script that has this tab."""

    tab_id: str


class Released(Struct, tag_field="type", tag="released"):
    """The script has lost the tab: the client that it was, and since when it had the tab (ISO 8601)."""

    client: str
    since: str


FROM_HUB: Decoder[Released] = Decoder(Released | Failed)
