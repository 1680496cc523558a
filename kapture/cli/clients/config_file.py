"""One entry in an MCP client's configuration: reading, adding and removing it.

TOML is edited with tomlkit, which keeps comments. JSON is changed by the client's own command, or with the standard
library if it is plain; otherwise the person gets the entry to paste.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import attrs
import click

from kapture.__about__ import DISTRIBUTION
from kapture.cli.clients.known_clients import ConfigFile, Entry, launch_command, launch_environment
from kapture.private_files import read_regular_file

# The fields of an entry that Kapture sets; others are the person's: `disabled`, `alwaysAllow`, `timeout`, ...
_OURS = frozenset({"command", "args", "type", "source"})
_ENVIRONMENT = ("env", "environment")
_MAX_BYTES = {"json": 32 * 1024 * 1024, "toml": 1024 * 1024}
_COMMAND_S = 60


class RefusedEditError(click.ClickException):
    """The file cannot be edited safely; the person has to edit it."""


@attrs.frozen(kw_only=True)
class Change:
    """A planned edit of a file. `path` is the resolved file if the client's path is a link.

    `shown`: the entry that is added (or removed), as the file has it. The rest of the file may hold keys of other
    servers. `commands`: of the client itself, which make the change instead of Kapture.
    """

    config: ConfigFile
    name: str
    path: Path
    before: str
    after: str
    entry: Entry | None
    shown: str = ""
    commands: Sequence[Sequence[str]] = ()

    def __bool__(self) -> bool:
        return self.after != self.before

    def write(self) -> Path | None:
        """Write the file atomically, with its mode unchanged; returns the backup of the old one, if there was one."""
        if self.commands:
            self._run_commands()
            return None
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
            if self.path.exists() and read_regular_file(self.path, _MAX_BYTES[self.config.format]) != before:
                raise RefusedEditError(f"{self.path} was changed by another program just now. Try again.")
            new.replace(self.path)
        except OSError as error:
            raise RefusedEditError(f"{self.path} could not be written: {error.strerror or error}.") from error
        finally:
            with suppress(OSError):
                new.unlink()
        return backup

    def _run_commands(self) -> None:
        """Run the client's commands, and check what they made of its file."""
        for command in self.commands:
            shown = " ".join(command[:4])
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=_COMMAND_S, stdin=subprocess.DEVNULL
                )
            except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
                raise RefusedEditError(f"`{shown} …` failed: {error}.") from error
            if done.returncode:
                reason = (done.stderr.strip() or done.stdout.strip())[-500:]
                raise RefusedEditError(f"`{shown} …` failed with exit code {done.returncode}: {reason}")
        if not _holds(entry_of(self.config, self.name), self.entry):
            raise RefusedEditError(f"`{shown} …` succeeded, but {self.path} does not have the change.")


def adding(config: ConfigFile, options: Sequence[str] | None = None, name: str = "kapture") -> Change:
    """The change that adds Kapture, or updates its entry.

    `options` are those of `kapture mcp`; None keeps the entry's. Fields that a person added to it stay.
    """
    old = entry_of(config, name)
    kept = _options_of(old) if options is None else list(options)
    entry = _merged(old, config.entry(launch_command(kept), launch_environment()))
    return _planned(config, name, entry)


def removing(config: ConfigFile, name: str = "kapture") -> Change:
    """The change that removes Kapture."""
    return _planned(config, name, None)


def entry_of(config: ConfigFile, name: str = "kapture") -> dict[str, Any] | None:
    """Kapture's entry in a client's file; None if there is none, or the file cannot be read."""
    try:
        data = _parsed(config, read_regular_file(config.path, _MAX_BYTES[config.format]).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    entry = _servers(config, data).get(name)
    return entry if isinstance(entry, dict) else None


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
    at = next((index for index, word in enumerate(words) if word in ("mcp", DISTRIBUTION)), len(words))
    return [str(word) for word in words[at + 1 :]]


def _merged(old: Mapping[str, Any] | None, new: Entry) -> Entry:
    if old is None or "command" not in old:
        return new
    entry = {**new, **old, **{key: value for key, value in new.items() if key in _OURS}}
    for key in _ENVIRONMENT:
        if key in old or key in new:
            kept = old.get(key)
            entry[key] = {**(kept if isinstance(kept, dict) else {}), **new.get(key, {})}
    return entry


def _planned(config: ConfigFile, name: str, entry: Entry | None) -> Change:
    path, before = _read(config)
    text = before.removeprefix("\ufeff")
    shown = _rendered(config, name, entry) if entry is not None else ""
    try:
        after = _edited(config, text, name, entry)
    except (ValueError, RecursionError) as error:
        if entry is None and name not in text:
            return Change(config=config, name=name, path=path, before=before, after=before, entry=None)
        commands = _commands(config, name, entry)
        if not commands:
            _refuse(config, path, name, shown, error)
        return Change(config=config, name=name, path=path, before="", after=shown, entry=entry, commands=commands)
    after = before[: len(before) - len(text)] + (after.replace("\n", "\r\n") if "\r\n" in before else after)
    commands = () if after == before else _commands(config, name, entry)
    return Change(
        config=config, name=name, path=path, before=before, after=after, entry=entry, shown=shown, commands=commands
    )


def _read(config: ConfigFile) -> tuple[Path, str]:
    """The file behind the client's path, and its text."""
    path = Path(os.path.realpath(config.path))  # a link is kept: its target is written
    try:
        if path.is_symlink():
            raise RefusedEditError(f"{path} is a link that leads to itself. Remove it and try again.")
        if path == Path(os.devnull) or not path.exists():  # the null device: to print what would be added
            return path, ""
        return path, read_regular_file(path, _MAX_BYTES[config.format]).decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedEditError(f"{path} is not changed: it is not UTF-8. Save it as UTF-8 and try again.") from error
    except OSError as error:
        raise RefusedEditError(f"{path} could not be read: {error.strerror or error}.") from error


def _refuse(config: ConfigFile, path: Path, name: str, shown: str, error: Exception) -> NoReturn:
    what = f"\nAdd this by hand:\n{shown}" if shown else f" Remove {name} from {'.'.join(config.member)} by hand."
    kind = config.format.upper()
    raise RefusedEditError(f"{path} is not changed: it is not plain {kind} ({error}).{what}") from error


def _commands(config: ConfigFile, name: str, entry: Entry | None) -> Sequence[Sequence[str]]:
    """The client's own commands for this change; none if its program is not there, or another file was named.

    Not on Windows, where the programs are batch files, to which JSON cannot be passed safely.
    """
    own = config.command
    if own is None or os.name == "nt" or name.startswith("-"):
        return ()
    program = shutil.which(own.program)
    if program is None:
        return ()
    removed = [program, *own.remove(name)] if own.remove is not None else None
    if entry is None:
        return [removed] if removed is not None else ()
    added = own.add(name, entry)
    if added is None:
        return ()
    replaces = removed is not None and entry_of(config, name) is not None
    return [*([removed] if removed is not None and replaces else []), [program, *added]]


def _edited(config: ConfigFile, text: str, name: str, entry: Entry | None) -> str:
    """The text with this entry, or without it; `ValueError` if the result would not be exactly that."""
    text = text.replace("\r\n", "\n")
    if not text.strip() and entry is None:
        return text
    data = _parsed(config, text)
    wanted = json.loads(json.dumps(data, default=str))
    if (entry is None and name not in _servers(config, data)) or (
        entry is not None and _servers(config, data).get(name) == entry
    ):
        return text
    after = (_edit_toml if config.format == "toml" else _edit_json)(config, text, name, entry)
    _put(config, wanted, name, entry)
    found = json.loads(json.dumps(_parsed(config, after), default=str))
    if entry is None:  # tomlkit leaves out a table of servers that is empty
        _put(config, found, name, {})
        _put(config, found, name, None)
    if found != wanted:
        raise ValueError("the entry cannot be changed alone")
    return after


def _edit_json(config: ConfigFile, text: str, name: str, entry: Entry | None) -> str:
    data = _parsed(config, text)
    _put(config, data, name, entry)
    indent = re.search(r'\n([ \t]+)"', text)
    return json.dumps(data, indent=indent[1] if indent else "  ", ensure_ascii=False, allow_nan=False) + "\n"


def _edit_toml(config: ConfigFile, text: str, name: str, entry: Entry | None) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    if entry is None:
        _put(config, document, name, None)
        return tomlkit.dumps(document)
    old = _servers(config, document).get(name)
    if not isinstance(old, dict) or not isinstance(document.get(config.member[0]), tomlkit.items.Table):
        _put(config, document, name, entry)
        return tomlkit.dumps(document)
    for key in [key for key in old if key not in entry]:
        del old[key]
    for key, value in entry.items():
        if old.get(key) != value:
            old[key] = value
    return tomlkit.dumps(document)


def _put(config: ConfigFile, data: Any, name: str, entry: Entry | None) -> None:
    for key in config.member:
        data = data.setdefault(key, {})
        if not isinstance(data, dict):
            raise ValueError(f"{key} is not a table of servers")
    if entry is None:
        del data[name]
    else:
        data[name] = dict(entry)


def _parsed(config: ConfigFile, text: str) -> dict[str, Any]:
    """Parse; `ValueError` if it is no plain JSON object, with each key once and finite numbers, or no TOML."""
    if config.format == "toml":
        import tomlkit

        return tomlkit.parse(text).unwrap()
    if not text.strip():
        return {}
    data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
    if not isinstance(data, dict):
        raise ValueError("it does not hold an object")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it has a key twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _servers(config: ConfigFile, data: Any) -> dict[str, Any]:
    for key in config.member:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _holds(found: Mapping[str, Any] | None, wanted: Entry | None) -> bool:
    if found is None or wanted is None:
        return found is None and wanted is None
    return all(found.get(key) == value for key, value in wanted.items() if key in ("command", "args", *_ENVIRONMENT))


def _rendered(config: ConfigFile, name: str, entry: Entry) -> str:
    """The entry as it stands in a file of its own."""
    return _edited(config, "", name, entry)


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
