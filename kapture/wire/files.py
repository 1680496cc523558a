"""The messages by which a hub and a client on another machine carry files: MessagePack in binary frames, beside the
text frames of MCP.

The hub asks, the client answers, one piece at a time: to read a piece of a file that is to be uploaded, or to write one
of a file that is kept there. The client answers each with the same `id`.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

HEADER = "Kapture-Files"
"""The header with which a client says that it answers these."""
PIECE_BYTES = 512 * 1024
MOST_FILE_BYTES = 256 * 1024 * 1024
MOST_PATH_CHARS = 4_096
FILES_A_CALL = 16
"""Files that a hub may write for one call."""

Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
_Path: TypeAlias = Annotated[str, Meta(min_length=1, max_length=MOST_PATH_CHARS)]
_Piece: TypeAlias = Annotated[bytes, Meta(max_length=PIECE_BYTES)]


class Read(Struct, tag_field="type", tag="read"):
    """Read at most `most` bytes of a file that a pending call of the client names."""

    id: Number
    path: _Path
    offset: Number
    most: Number


class Write(Struct, tag_field="type", tag="write"):
    """Write the next piece of the new file with this number. `name`: for it; `size`: of the whole."""

    id: Number
    file: Number
    name: Annotated[str, Meta(max_length=1_000)]
    size: Annotated[int, Meta(ge=0, le=MOST_FILE_BYTES)]
    data: _Piece


class Discard(Struct, tag_field="type", tag="discard"):
    """The file with this number will not be complete. Not answered."""

    file: Number


class Content(Struct, tag_field="type", tag="content"):
    """A piece of a file that has this size. `version` differs when the file has changed."""

    id: Number
    data: _Piece
    size: Number
    version: int


class Written(Struct, tag_field="type", tag="written"):
    """The piece is written, to this file."""

    id: Number
    path: _Path


class Failed(Struct, tag_field="type", tag="failed"):
    """It could not be done."""

    id: Number
    reason: Annotated[str, Meta(max_length=1_000)]


FromHub: TypeAlias = Read | Write | Discard
FromClient: TypeAlias = Content | Written | Failed
FROM_HUB: msgspec.msgpack.Decoder[FromHub] = msgspec.msgpack.Decoder(FromHub)
FROM_CLIENT: msgspec.msgpack.Decoder[FromClient] = msgspec.msgpack.Decoder(FromClient)
encode = msgspec.msgpack.Encoder().encode
