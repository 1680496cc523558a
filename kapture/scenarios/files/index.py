"""The index for lists and searches of scenarios, kept in one file, so that a scenario is read only after it changed.

The folder decides, never the index: every listing compares each file with what was noted when it was read, reads those
that differ, and writes the index anew. A missing, damaged or outdated index is made again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from kapture import __version__
from kapture.errors import KaptureError
from kapture.glob import glob_matches
from kapture.private_files import unusable, write_private_file
from kapture.scenarios.change_lock import change_lock
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Scenario, Step

INDEX_NAME = "scenarios.index"
_FORMAT = 2
_SETTLED_NS = 2_000_000_000
"""A file that has changed since may change once more without another time: that of some file systems is so coarse."""

_Stamp = tuple[int, int, int, int]
"""A file's times of change (of its content and of its entry, in ns), its size in bytes, and its number."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario as lists show it and searches see it. `words` are those of its steps, `ends` is the last
    address that they open or wait for. `parameters` maps names to
    types, with `?` for optional ones. A file that is no valid scenario has a `problem` and nothing else."""

    name: str
    title: str = ""
    description: str = ""
    tags: list[str] = []
    url: str = ""
    ends: str = ""
    recorded_at: str = ""
    words: str = ""
    parameters: dict[str, str] = {}
    secrets: list[str] = []
    dependencies: list[str] = []
    steps: int = 0
    problem: str | None = None


class _Index(msgspec.Struct, frozen=True, kw_only=True):
    """The file. `kapture` is the version that has checked the scenarios: another one may refuse them."""

    format: int
    kapture: str
    entries: dict[str, tuple[_Stamp, Entry]]


def entry_of(scenario: Scenario) -> Entry:
    """The index entry of a scenario."""
    return Entry(
        name=scenario.name,
        title=scenario.metadata.title,
        description=scenario.description,
        tags=scenario.tags,
        url=scenario.metadata.url,
        ends=next(filter(None, map(_address, reversed(scenario.chain))), ""),
        recorded_at=scenario.metadata.recorded_at,
        words=" ".join(step.words for step in scenario.chain),
        parameters={
            name: parameter.type + ("" if parameter.must_be_given else "?")
            for name, parameter in scenario.parameters.items()
        },
        secrets=scenario.secrets,
        dependencies=[dependency.scenario for dependency in scenario.dependencies],
        steps=len(scenario.chain),
    )


def _address(step: Step) -> str:
    """The address that a step opens, waits for or checks; empty if there is none, or it has placeholders."""
    if step.check is not None:
        url = step.check.expected if step.check.kind == "url" else ""
    else:
        url = step.arguments.get("url", "")
    return url if isinstance(url, str) and "{{" not in url else ""


def ending_at(entries: Sequence[Entry], url: str) -> list[str]:
    """The names of the scenarios that begin elsewhere and end at this address."""
    return [
        entry.name
        for entry in entries
        if url and entry.ends and glob_matches(url, entry.ends) and not glob_matches(entry.url, entry.ends)
    ]


def listed(folder: ScenarioFolder) -> list[Entry]:
    """Every scenario of the folder, by name, and after them the files that are none. Touches the disk: call it in a
    thread."""
    path = folder.home / INDEX_NAME
    known = _read(path)
    kept: dict[str, tuple[_Stamp, Entry]] = {}
    found: list[Entry] = []
    for name in folder.names():
        stamp = _stamp(folder.path(name))
        if stamp is not None and name in known and known[name][0] == stamp:
            entry = known[name][1]
        else:
            now = time.time_ns()
            entry = _loaded(folder, name)
            if stamp is None or max(stamp[:2]) > now - _SETTLED_NS:
                stamp = None
        if stamp is not None and entry.problem is None:
            kept[name] = stamp, entry
        found.append(entry)
    if kept != known:
        # On a full or read-only disk they are read the next time too. What was deleted or replaced meanwhile stays out.
        with suppress(KaptureError), change_lock(folder.home):
            _write(path, {name: one for name, one in kept.items() if _stamp(folder.path(name)) == one[0]})
    return sorted(found, key=lambda entry: entry.problem is not None)


def forget(folder: ScenarioFolder, name: str) -> None:
    """Take a scenario out of the index before it is deleted or replaced, so that its words go with its file. An index
    that cannot be read, or not be written, is removed; `UNAUTHORIZED` if that is refused too."""
    path = folder.home / INDEX_NAME
    known = dict(_read(path))
    if known.pop(name, None) is None and known:
        return
    try:
        if known:
            _write(path, known)
            return
    except KaptureError:  # a full disk
        pass
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise unusable(f"{path} could not be removed", error) from error


def search(
    entries: Sequence[Entry], text: str = "", tags: Sequence[str] = (), has_dependencies: bool | None = None
) -> list[Entry]:
    """Those with all tags and every word in name, title, description, tags, URL or steps; best match first.

    `has_dependencies`: only those that depend on others, or only those that do not; None: both.
    """
    words = text.casefold().split()
    wanted = {tag.casefold() for tag in tags}
    found = []
    for entry in entries:
        if not wanted <= {tag.casefold() for tag in entry.tags}:
            continue
        if has_dependencies is not None and has_dependencies is not bool(entry.dependencies):
            continue
        parts = [
            (weight, part.casefold())
            for weight, part in (
                (8, entry.name),
                (6, entry.title),
                (4, " ".join(entry.tags)),
                (3, entry.description),
                (1, entry.url),
                (1, entry.words),
            )
        ]
        scores = [sum(weight for weight, part in parts if word in part) for word in words]
        if all(scores):
            found.append((-sum(scores), entry.name, entry))
    return [entry for _, _, entry in sorted(found, key=lambda one: one[:2])]


def _read(path: Path) -> Mapping[str, tuple[_Stamp, Entry]]:
    try:
        index = msgspec.json.decode(path.read_bytes(), type=_Index)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return index.entries if (index.format, index.kapture) == (_FORMAT, __version__) else {}


def _write(path: Path, entries: Mapping[str, tuple[_Stamp, Entry]]) -> None:
    index = _Index(format=_FORMAT, kapture=__version__, entries=dict(entries))
    write_private_file(path, msgspec.json.encode(index), durable=False)


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _loaded(folder: ScenarioFolder, name: str) -> Entry:
    try:
        return entry_of(folder.load(name))
    except KaptureError as error:
        return Entry(name=name, problem=error.message)
