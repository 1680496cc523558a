"""Where the files that ship with the package are: beside it in a checkout, inside it in a wheel."""

from __future__ import annotations

import subprocess
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def extension_folder() -> Path:
    """The unpacked Chrome extension, ready for `--load-extension` or "Load unpacked"."""
    return _folder("extension")


def test_app_folder() -> Path:
    """The Console and the demo shop."""
    return _folder("test_app")


def commit() -> str:
    """The commit that this was built from, or that the checkout is at; empty if neither is known."""
    packed = _PACKAGE / "_data" / "commit"
    try:
        if packed.is_file():
            return packed.read_text("utf-8").strip()
        if (_PACKAGE.parent / ".git").exists():
            command = ["git", "-C", str(_PACKAGE.parent), "rev-parse", "HEAD"]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ""


def _folder(name: str) -> Path:
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
