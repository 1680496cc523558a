"""Where the files that ship with the package are: beside it in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def extension_folder() -> Path:
    """The unpacked Chrome extension, ready for `--load-extension` or "Load unpacked"."""
    return _folder("extension")


def test_app_folder() -> Path:
    """The Console and the demo shop."""
    return _folder("test_app")


def _folder(name: str) -> Path:
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
