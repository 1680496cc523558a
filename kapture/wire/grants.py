"""The messages between the hub and a program whose person looks at their standing grants: `/grants`.

The program sends one request, the hub one answer, and closes the socket.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.json import Decoder

from kapture.wire.failed import Failed


class List(Struct, tag_field="type", tag="list"):
    """List the standing grants of the browsers that are connected."""


class Revoke(Struct, tag_field="type", tag="revoke"):
    """Revoke this one, or all of them."""

    id: str | None = None


class Standing(Struct, tag_field="type", tag="standing"):
    """Those that there are, with `id`, `sites`, `level`, `client`, `group`, `until` and `browser`; of `revoke`, those
    that were revoked."""

    grants: list[dict[str, Any]]


FromProgram: TypeAlias = List | Revoke
FROM_HUB: Decoder[Standing] = Decoder(Standing | Failed)
