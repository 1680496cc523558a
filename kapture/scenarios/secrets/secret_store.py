"""Secret values of scenarios: one encrypted file in the data folder, separate from the scenarios.

`secrets.fernet` is a Fernet token (https://github.com/fernet/spec) of `{scenario: {name: StoredSecret}}`. While the key
is being rotated the old key is kept until the file is written with the new one, so that a crash at any moment leaves a
file that can be read. One change is made at a time, in all processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs
import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.private_files import check_private_file, private_folder, write_private_file
from kapture.scenarios.change_lock import change_lock
from kapture.scenarios.secrets.secret_key import KeyStore, key_store

FILE_NAME = "secrets.fernet"


@attrs.frozen
class StoredSecret:
    """A value, and the origins (`https://shop.example`) of the documents that it may be typed into."""

    value: str = attrs.field(repr=False)
    origins: tuple[str, ...]


_Values = dict[str, dict[str, StoredSecret]]


class SecretStore:
    """The secrets of one data folder. Its methods touch disk and keyring: call them in a thread."""

    def __init__(self, home: Path, keys: KeyStore | None = None) -> None:
        self.path = home / FILE_NAME
        self._home = home
        self._keys = keys

    def of(self, scenario: str) -> dict[str, StoredSecret]:
        """The secrets of a scenario, by name."""
        if not self.path.exists():
            return {}
        with change_lock(self._home):  # while the key is rotated, key and file are those of one moment
            return self._read().get(scenario, {})

    def names(self, scenario: str) -> list[str]:
        """The names that have a value."""
        return sorted(self.of(scenario))

    def put(self, scenario: str, values: Mapping[str, StoredSecret]) -> None:
        """Store these; other secrets of the scenario stay."""
        if not values:
            return
        with change_lock(self._home):
            known = self._read()
            known.setdefault(scenario, {}).update(values)
            self._write(known)

    def drop(self, scenario: str, *names: str) -> None:
        """Delete these values of a scenario; without names all of them."""
        if not self.path.exists():
            return
        with change_lock(self._home):
            known = self._read()
            kept = {name: value for name, value in known.get(scenario, {}).items() if names and name not in names}
            if kept == known.get(scenario, {}):
                return
            known[scenario] = kept
            if not kept:
                del known[scenario]
            self._write(known)

    def rotate(self) -> None:
        """Encrypt everything with a new key and delete the old one."""
        with change_lock(self._home):
            self._rotate()

    def _rotate(self) -> None:
        from cryptography.fernet import Fernet

        store = self._key_store()
        if not self.path.exists():
            store.write([Fernet.generate_key()])
            return
        values = self._read()
        keys = store.read()
        new = Fernet.generate_key()
        store.write([new, *keys])
        self._encrypt(values, new)
        store.write([new])

    def _key_store(self) -> KeyStore:
        if self._keys is None:
            self._keys = key_store(self._home)
        return self._keys

    def _read(self) -> _Values:
        if not self.path.exists():
            return {}
        from cryptography.fernet import Fernet, InvalidToken, MultiFernet

        check_private_file(self.path)
        keys = self._key_store().read()
        if not keys:
            raise _unreadable("its key is gone, or in a keyring that this process does not reach")
        try:
            content = MultiFernet([Fernet(key) for key in keys]).decrypt(self.path.read_bytes())
        except (InvalidToken, ValueError) as error:
            raise _unreadable("it does not fit its key") from error
        try:
            return msgspec.json.decode(content, type=_Values)
        except msgspec.DecodeError:
            raise _unreadable("this Kapture does not know what is in it") from None  # the cause could quote a value

    def _write(self, values: _Values) -> None:
        from cryptography.fernet import Fernet

        store = self._key_store()
        keys = store.read()
        if not keys:
            keys = [Fernet.generate_key()]
            store.write(keys)
        self._encrypt(values, keys[0])

    def _encrypt(self, values: _Values, key: bytes) -> None:
        from cryptography.fernet import Fernet

        private_folder(self._home)
        write_private_file(self.path, Fernet(key).encrypt(msgspec.json.encode(values)))


def _unreadable(reason: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        f"The secrets of scenarios ({FILE_NAME}) cannot be read: {reason}.",
        hint="Put the key back (one in the system's keyring: start Kapture where that can be reached), or delete the "
        "file and enter the secrets again with `kapture scenario secrets`.",
    )
