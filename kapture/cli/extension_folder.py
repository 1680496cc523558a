"""The extension's folder for "Load unpacked": `~/Kapture/extension`, a copy of the package's.

A browser remembers the path that an unpacked extension was loaded from, so the path must not change with versions. The
package's own folder is hidden in some environment, and is removed with it.
"""

from __future__ import annotations

import filecmp
import json
import os
import secrets
import shutil
from pathlib import Path

import click

from kapture.package_files import extension_folder

_IGNORED = shutil.ignore_patterns(".*")
_OR = ", or copy the extension to another folder: `kapture extension --copy DIR`."


def visible_folder() -> Path:
    """The path of the copy, whether it exists or not."""
    return Path.home() / "Kapture" / "extension"


def publish(folder: Path | None = None) -> bool:
    """Copy the package's extension there, replacing an older copy completely; returns whether anything was changed.

    `click.ClickException` if something else is there, or it cannot be written.
    """
    folder = folder or visible_folder()
    source = extension_folder()
    try:
        if os.path.realpath(folder) == os.path.realpath(source):
            return False
        if folder.exists():
            if not is_ours(folder):
                raise click.ClickException(f"{folder} holds something other than the extension. Move that away{_OR}")
            if _same(source, folder):
                return False
        _replace(folder, source)
    except OSError as error:
        raise click.ClickException(
            f"{folder} could not be written: {_reason(error)}. Make it writable for yourself{_OR}"
        ) from error
    return True


def _replace(folder: Path, source: Path) -> None:
    """Copy the source beside the folder, then exchange the two."""
    beside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    old = beside.with_name(f"{beside.name}.old")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, beside, ignore=_IGNORED)
        if folder.exists():
            folder.rename(old)
        beside.rename(folder)
    finally:
        if os.path.lexists(old) and not os.path.lexists(folder):
            old.rename(folder)
        for rest in (beside, old):
            shutil.rmtree(rest, ignore_errors=True)


def _reason(error: OSError) -> str:
    if isinstance(error, shutil.Error) and error.args[0]:
        return str(error.args[0][0][-1])  # of a whole tree: that of the first file
    return error.strerror or str(error)


def update_published() -> bool:
    """Update an existing copy; returns whether anything was changed.

    A missing copy is not created, and one of a newer Kapture is kept.
    """
    folder = visible_folder()
    return folder.is_dir() and _order(version_of(folder)) <= _order(version_of(extension_folder())) and publish()


def version_of(folder: Path) -> str:
    """The version in the folder's manifest; empty if there is none."""
    return str(_manifest(folder).get("version", ""))


def _order(version: str) -> tuple[int, ...]:
    """A version as numbers: Chrome's versions are one to four numbers."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _manifest(folder: Path) -> dict[str, object]:
    try:
        content = json.loads((folder / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def is_ours(folder: Path) -> bool:
    """Whether the folder contains Kapture's extension, judging by the key in its manifest; or is empty."""
    if not folder.is_dir():
        return False
    empty = next(folder.iterdir(), None) is None
    return empty or _manifest(folder).get("key") == _manifest(extension_folder())["key"]


def _same(source: Path, folder: Path) -> bool:
    wanted = _files(source)
    return wanted == _files(folder) and not any(
        filecmp.cmpfiles(source, folder, [str(path) for path in wanted], shallow=False)[1:]
    )


def _files(folder: Path) -> set[Path]:
    found = set()
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found |= {Path(parent, name).relative_to(folder) for name in names if not name.startswith(".")}
    return found


@click.command("extension")
@click.option(
    "--copy",
    "copy_to",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Copy the extension to DIR instead; an older copy there is replaced.",
)
def extension_command(copy_to: Path | None) -> None:
    """Print the folder of the extension, for "Load unpacked".

    It is ~/Kapture/extension, made when it is not there; later versions of Kapture keep it up to date.
    """
    folder = (copy_to or visible_folder()).absolute()
    publish(folder)
    click.echo(folder)
