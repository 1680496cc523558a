"""Where the key of the secrets store is kept: in the system's keyring, or else in a private file.

The content is a list of Fernet keys, newest first. There are two only while the key is being rotated.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

from kapture.errors import ErrorCode, KaptureError
from kapture.private_files import check_private_file, private_folder, write_private_file

FILE_NAME = "secrets.key"
_SERVICE = "kapture scenarios"
logger = logging.getLogger(__name__)


class KeyStore(Protocol):
    """Keeps the keys."""

    def read(self) -> list[bytes]:
        """The keys, newest first; empty if there is none yet."""

    def write(self, keys: list[bytes]) -> None:
        """Replace the keys."""


class FileKeys:
    """Keys in a file that only its owner can read."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME

    def read(self) -> list[bytes]:
        """The keys; `UNAUTHORIZED` if others could have read them."""
        if not self.path.exists():
            return []
        check_private_file(self.path)
        return self.path.read_bytes().split()

    def write(self, keys: list[bytes]) -> None:
        """Replace the file."""
        private_folder(self.path.parent)
        write_private_file(self.path, b"\n".join(keys) + b"\n")


class KeyringKeys:
    """Keys in the system's keyring, under the data folder's path."""

    def __init__(self, home: Path) -> None:
        self._user = str(home)

    def read(self) -> list[bytes]:
        """The keys; `UNAUTHORIZED` while the keyring is locked."""
        import keyring
        from keyring.errors import KeyringError

        try:
            return (keyring.get_password(_SERVICE, self._user) or "").encode().split()
        except KeyringError as error:
            raise _keyring_refuses(error) from error

    def write(self, keys: list[bytes]) -> None:
        """Replace the entry."""
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(_SERVICE, self._user, b" ".join(keys).decode())
        except KeyringError as error:
            raise _keyring_refuses(error) from error


def key_store(home: Path) -> KeyStore:
    """The key file if it exists, else the keyring if the system has one, else the key file."""
    if not (home / FILE_NAME).exists() and _has_keyring():
        return KeyringKeys(home)
    return FileKeys(home)


def _has_keyring() -> bool:
    import keyring
    from keyring.backends import fail, null

    return not isinstance(keyring.get_keyring(), fail.Keyring | null.Keyring)


def _keyring_refuses(error: Exception) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        f"The system's keyring refuses the key of the scenario secrets ({type(error).__name__}).",
        hint="Unlock the keyring and try again.",
    )
