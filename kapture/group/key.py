"""The key of a group, in a file that the person copies to its machines. The server never has it."""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import b64decode, b64encode
from pathlib import Path

import attrs
import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.private_files import open_secret_file, write_private_file

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_KEY_BYTES = 32
_MAX_BYTES = 4_096


class _File(msgspec.Struct):
    group: str
    key: str


@attrs.frozen
class GroupKey:
    """The name of a group, and its key."""

    name: str
    key: bytes = attrs.field(repr=False)

    def sign(self, purpose: bytes, content: bytes) -> bytes:
        """The 32 bytes by which its other machines know that this content, for this purpose, is from one of them."""
        return hmac.digest(self.key, b"kapture group %b %d\n%b" % (purpose, len(content), content), "sha256")

    def verify(self, purpose: bytes, content: bytes, signature: bytes) -> bool:
        """Whether `sign` made this signature with the same key."""
        return hmac.compare_digest(self.sign(purpose, content), signature)


def new_key(name: str, path: Path) -> None:
    """Write the file of a new group, readable by its owner alone; `INVALID_PARAMS` if there is such a file."""
    if _NAME.fullmatch(name) is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{name!r} cannot be the name of a group.",
            hint="Use up to 40 lower-case letters, digits, dots, dashes and underscores.",
        )
    if path.exists() or path.is_symlink():
        raise KaptureError(ErrorCode.INVALID_PARAMS, f"{path} exists.", hint="Choose another file with --file.")
    content = _File(name, b64encode(secrets.token_bytes(_KEY_BYTES)).decode())
    try:
        write_private_file(path, msgspec.json.encode(content) + b"\n")
    except KaptureError as error:
        raise KaptureError(error.code, error.message, hint="Choose another file with --file.") from error


def read_key(path: Path) -> GroupKey:
    """Read such a file; `UNAUTHORIZED` if it is none, or others than its owner could have read or written it."""
    problem, hint = "it is not such a file, or damaged", "Copy the file from another machine of the group"
    try:
        with open_secret_file(path) as file:
            content = msgspec.json.decode(file.read(_MAX_BYTES), type=_File)
        key = b64decode(content.key, validate=True)
        if _NAME.fullmatch(content.group) and len(key) == _KEY_BYTES:
            return GroupKey(content.group, key)
    except FileNotFoundError:
        problem, hint = "there is no such file", f"{hint}, or make one: `kapture group new NAME --file FILE`"
    except OSError as error:
        problem, hint = error.strerror or str(error), "It must be readable by you alone"
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass  # no JSON, no such fields, no Base64
    raise KaptureError(
        ErrorCode.UNAUTHORIZED,
        f"{path} cannot be used as the key of a group: {problem}.",
        hint=f"{hint}.",
    )
