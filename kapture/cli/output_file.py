"""Files that a command writes when it ends: their parameter type, and writing them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click


class OutputFile(click.Path):
    """A path of a file that can be written, which is checked before the command does its work."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a usage error if the file or its folder cannot be written."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        folder = path.absolute().parent
        if not folder.is_dir():
            self.fail(f"There is no folder {folder}.", param, ctx)
        if not path.exists() and not os.access(folder, os.W_OK):
            self.fail(f"The folder {folder} is not writable.", param, ctx)
        return path


def write_output(path: Path, content: bytes) -> None:
    """Write a file; if that fails, as on a full disk, the command ends with the reason."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise click.ClickException(f"Could not write {path}: {error.strerror}.") from error
