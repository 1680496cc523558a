"""`hub.json`: the hub's port and secrets, readable only by its owner.

The file of a hub that is shared with this machine is of the same form, in a folder of its own below `remote`. It names
the socket or the host through which that hub is reached, and its secrets are those of the share.

The file is written atomically, readable by its owner alone, in a folder of the owner alone; all of that is verified
after writing and before each reading, and anything else is an error: a file that others could have read or written is
never used for pairing.
"""

from __future__ import annotations

from pathlib import Path

import attrs
import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.proof import decode
from kapture.private_files import open_private_file, private_folder, refused, unusable, write_private_file
from kapture.wire.share import Shared

FILE_NAME = "hub.json"
_MAX_BYTES = 16_384


@attrs.frozen(kw_only=True)
class KeyFile:
    """The content of `hub.json`. `key` and `clientToken` are secrets: neither is in the repr. `socket`: the name of a
    Unix socket beside the file, through which the hub is reached rather than on its port. `host`: where its port is, if
    that is not this machine's loopback address."""

    version: str
    port: int
    pid: int
    key: str = attrs.field(repr=False)
    clientToken: str = attrs.field(repr=False)  # noqa: N815  as it is spelled in the file
    startedAt: str  # noqa: N815
    socket: str = ""
    host: str = ""

    @property
    def shared(self) -> bool:
        """Whether it is the file of a share, whose hub is another machine's, or outside of this container."""
        return bool(self.socket or self.host)


def of_share(shared: Shared, *, socket: str = "", host: str = "") -> KeyFile:
    """What the clients of a share read, which reach it through this socket beside the file, or at its port of this
    host."""
    return KeyFile(
        version=shared.version,
        port=shared.port,
        pid=0,
        key=shared.key,
        clientToken=shared.token,
        startedAt="",
        socket=socket,
        host=host,
    )


def write(home: Path, content: KeyFile) -> Path:
    """Write `hub.json` atomically with mode 0600 and verify it; returns its path. On failure no file is left."""
    path = private_folder(home) / FILE_NAME
    write_private_file(path, msgspec.json.encode(content))
    return path


def exists(home: Path) -> bool:
    """Whether there is one, as far as this user can see: where they see nothing, `read` says why."""
    try:
        return (home / FILE_NAME).exists()
    except PermissionError:
        return True


def read(home: Path) -> KeyFile:
    """Read what the running hub wrote; `UNAUTHORIZED` if there is no file, or others could have read or written it."""
    path = home / FILE_NAME
    try:
        with open_private_file(path) as file:
            content = msgspec.json.decode(file.read(_MAX_BYTES), type=KeyFile)
    except FileNotFoundError as error:
        raise KaptureError(
            ErrorCode.UNAUTHORIZED,
            f"There is no key file at {path}.",
            hint="Start one with `kapture serve`.",
        ) from error
    except OSError as error:
        raise refused(f"{path} could not be read: {error.strerror or error}.") from error
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if decode(content.key) is None or decode(content.clientToken) is None:
        raise _damaged(path, "its key is not 32 bytes")
    return content


def _damaged(path: Path, why: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        f"{path} is not a key file: {why}.",
        hint="Stop the hub if one runs, and delete the file: each start of the hub writes a new one.",
    )


def remove(home: Path, content: KeyFile) -> None:
    """Remove the file if it still has this content: that of a newer hub stays. `UNAUTHORIZED` if it cannot be."""
    try:
        if read(home) == content:
            (home / FILE_NAME).unlink(missing_ok=True)
    except KaptureError:
        return  # gone, or not ours any more
    except OSError as error:
        raise unusable(f"{home / FILE_NAME} could not be removed", error) from error
