"""One entry in an MCP client's configuration file: reading, adding and removing it, preserving everything else."""

from __future__ import annotations

import datetime
import difflib
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import click

from kapture.cli.clients import jsonc, toml_table
from kapture.cli.clients.known_clients import ConfigFile, Entry, launch_command, launch_environment
from kapture.private_files import read_regular_file

Edit = Callable[[str], str]

# The fields of an entry that Kapture sets; others are the person's: `disabled`, `alwaysAllow`, `timeout`, ...
_OURS = frozenset({"command", "args", "type", "source"})
_ENVIRONMENT = ("env", "environment")
_BYTE_ORDER_MARK = "\ufeff"
_MAX_BYTES = 32 * 1024 * 1024


class RefusedEditError(click.ClickException):
    """The file cannot be edited safely; the person has to edit it."""


@attrs.frozen(kw_only=True)
class Change:
    """A planned edit of a file. `path` is the resolved file if the client's path is a link."""

    path: Path
    before: str
    after: str

    def __bool__(self) -> bool:
        return self.after != self.before

    def lines(self) -> Iterator[str]:
        """Only the changed lines: the lines around them may hold keys of other servers."""
        path = str(self.path)
        return difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), path, path, n=0, lineterm="")

    def write(self) -> Path | None:
        """Write the file atomically, with its mode unchanged; returns the backup of the old one, if there was one."""
        new = self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}")
        backup = None
        before = self.before.encode("utf-8")
        if self.path.exists() and not self.path.is_file():
            raise RefusedEditError(f"{self.path} is not a regular file.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            mode = 0o600
            if self.path.exists():
                mode = self.path.stat().st_mode & 0o777
                backup = _backup_name(self.path)
                _write_new(backup, before, mode)
            _write_new(new, self.after.encode("utf-8"), mode)
            if self.path.exists() and read_regular_file(self.path, _MAX_BYTES) != before:
                raise RefusedEditError(f"{self.path} was changed by another program just now. Try again.")
            new.replace(self.path)
        except OSError as error:
            raise RefusedEditError(f"{self.path} could not be written: {error.strerror or error}.") from error
        finally:
            with suppress(OSError):
                new.unlink()
        return backup


def adding(config: ConfigFile, options: Sequence[str] | None = None, name: str = "kapture") -> Change:
    """The change that adds Kapture, or updates its entry.

    `options` are those of `kapture mcp`; None keeps the entry's. Fields that a person added to it stay.
    """
    old = entry_of(config, name)
    kept = _options_of(old) if options is None else list(options)
    entry = _merged(old, config.entry(launch_command(kept), launch_environment()))
    path = [*config.member, name]
    if entry == old:
        return _edited(config, lambda text: text)
    if config.format == "toml":
        return _edited(config, lambda text: toml_table.set_table(text, path, entry))
    return _edited(config, lambda text: jsonc.set_member(text, path, entry))


def removing(config: ConfigFile, name: str = "kapture") -> Change:
    """The change that removes Kapture."""
    path = [*config.member, name]
    remove = toml_table.remove_table if config.format == "toml" else jsonc.remove_member
    return _edited(config, lambda text: remove(text, path) if text.strip() else text)


def entry_of(config: ConfigFile, name: str = "kapture") -> dict[str, Any] | None:
    """Kapture's entry in a client's file; None if there is none, or the file cannot be read."""
    try:
        text = read_regular_file(config.path, _MAX_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
        data = toml_table.loads(text) if config.format == "toml" else jsonc.loads(text)
    except (OSError, UnicodeDecodeError, jsonc.JsoncError, toml_table.TomlEditError):
        return None
    for key in (*config.member, name):
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else None


def program_of(entry: Mapping[str, Any]) -> str | None:
    """The program that an entry starts; None if it has none."""
    command = entry.get("command")
    program = command[0] if isinstance(command, list) and command else command
    return program if isinstance(program, str) else None


def is_found(config: ConfigFile) -> bool:
    """Whether the client has been used on this machine: its file exists, or its folder is not empty or not readable."""
    folder = config.path.parent
    try:
        if config.path.exists():
            return True
        return folder.is_dir() and folder != Path.home() and any(folder.iterdir())
    except PermissionError:
        return True


def _options_of(entry: Mapping[str, Any] | None) -> list[str]:
    """The options after `mcp` in an entry."""
    if entry is None:
        return []
    command, given = entry.get("command"), entry.get("args", [])
    words = [*(command if isinstance(command, list) else [command]), *(given if isinstance(given, list) else [])]
    return [str(word) for word in words[words.index("mcp") + 1 :]] if "mcp" in words else []


def _merged(old: Mapping[str, Any] | None, new: Entry) -> Entry:
    if old is None or "command" not in old:
        return new
    entry = {**new, **old, **{key: value for key, value in new.items() if key in _OURS}}
    for key in _ENVIRONMENT:
        if key in old or key in new:
            kept = old.get(key)
            entry[key] = {**(kept if isinstance(kept, dict) else {}), **new.get(key, {})}
    return entry


def _edited(config: ConfigFile, edit: Edit) -> Change:
    path = Path(os.path.realpath(config.path))  # a link is kept: its target is written
    try:
        if path.is_symlink():
            raise RefusedEditError(f"{path} is a link that leads to itself. Remove it and try again.")
        empty = path == Path(os.devnull) or not path.exists()  # the null device: to print what would be added
        before = "" if empty else read_regular_file(path, _MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedEditError(
            f"{path} is not changed: its text is not UTF-8. Save it as UTF-8 and try again."
        ) from error
    except OSError as error:
        raise RefusedEditError(f"{path} could not be read: {error.strerror or error}.") from error
    text = before.removeprefix(_BYTE_ORDER_MARK)
    mark = before[: len(before) - len(text)]
    newline = "\r\n" if "\r\n" in before else "\n"
    try:
        after = mark + edit(text.replace("\r\n", "\n")).replace("\n", newline)
    except (jsonc.JsoncError, toml_table.TomlEditError) as error:
        raise RefusedEditError(
            f"{path} is not changed: {error}. Fix it, or add the entry by hand: see `kapture install "
            f"{config.client} --print --file {os.devnull}`."
        ) from error
    return Change(path=path, before=before, after=after)


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that does not exist yet, not even as a link: never readable by more people than `mode` allows."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)


def _backup_name(path: Path) -> Path:
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    backup = path.with_name(f"{path.name}.{stamp}.bak")
    number = 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.{stamp}-{number}.bak")
    return backup
