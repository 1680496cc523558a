"""A keyring backend for subprocesses of a test, stored in the file named by `TEST_KEYRING`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Selected by `PYTHON_KEYRING_BACKEND=tests.support.file_keyring.FileKeyring`."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        return _entries().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        _file().write_text(json.dumps({**_entries(), f"{service}/{username}": password}))


def _file() -> Path:
    return Path(os.environ["TEST_KEYRING"])


def _entries() -> dict[str, str]:
    return dict(json.loads(_file().read_text())) if _file().exists() else {}
