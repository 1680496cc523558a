"""The files of this machine that its agents' calls for tabs elsewhere name, and those that they download there.

The machine with the tab asks for them, piece by piece (`kapture.wire.files`). It gets only files that a pending call
of that agent to that machine names, word for word, and only those that this machine's policy lets be uploaded; what it
sends while one is pending goes to the folder for downloads here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from kapture.errors import KaptureError
from kapture.group.member import Member
from kapture.group.messages import FilesAnswered, FilesAsked
from kapture.hub.client import Client
from kapture.policy.file_rules import PolicyFileRules
from kapture.private_files import open_regular_file
from kapture.wire import files as wire

_MOST_COMING = 64
_MOST_ASKED = 64


@attrs.define(eq=False)
class CallWithFiles:
    """A pending call, and how many files may still be written for it."""

    client: Client
    arguments: Mapping[str, Any]
    may_come: int = wire.FILES_A_CALL


@attrs.define
class _Coming:
    """A file that is not complete."""

    path: Path
    written: int = 0


class FilesHere:
    """Answers what other machines ask about the files of this one's agents. `rules`: for an agent's files; `nursery`
    reads and writes them, one piece at a time."""

    def __init__(self, member: Member, rules: Callable[[Client], PolicyFileRules], nursery: trio.Nursery) -> None:
        self._member = member
        self._rules = rules
        self._nursery = nursery
        self._one = trio.CapacityLimiter(1)
        self._asked = 0
        self._coming: dict[tuple[str, str, int], _Coming] = {}

    def take(self, run: str, asked: FilesAsked, calls: Sequence[CallWithFiles]) -> None:
        """Answer a machine that runs these calls of the agent's, unless it asks too much."""
        if calls and self._asked < _MOST_ASKED:
            self._asked += 1
            self._nursery.start_soon(self._run, run, asked, self._rules(calls[0].client), calls)

    async def _run(self, run: str, asked: FilesAsked, rules: PolicyFileRules, calls: Sequence[CallWithFiles]) -> None:
        try:
            answer = await trio.to_thread.run_sync(self._answer, run, asked, rules, calls, limiter=self._one)
            if answer is not None:
                self._member.post(run, FilesAnswered(asked.agent, wire.encode(answer)))
        except KaptureError:
            return  # too much waits to be sent: the call ends by its timeout
        finally:
            self._asked -= 1

    def _answer(
        self, run: str, asked: FilesAsked, rules: PolicyFileRules, calls: Sequence[CallWithFiles]
    ) -> wire.FromClient | None:
        try:
            request = wire.FROM_HUB.decode(asked.frame)
        except (msgspec.MsgspecError, RecursionError):
            return None  # of a hub that speaks otherwise: its call ends by its timeout
        if isinstance(request, wire.Discard):
            self._discard((run, asked.agent, request.file))
            return None
        try:
            if isinstance(request, wire.Write):
                return self._write((run, asked.agent, request.file), request, rules, calls)
            if any(request.path == text for call in calls for text in _texts(call.arguments)):
                return _read(request, rules)
            reason = "no call of the agent names this file"
        except KaptureError as error:
            reason = error.message.rstrip(".")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        return wire.Failed(request.id, reason[:1_000])

    def _write(
        self, key: tuple[str, str, int], request: wire.Write, rules: PolicyFileRules, calls: Sequence[CallWithFiles]
    ) -> wire.Written:
        if (coming := self._coming.get(key)) is None:
            if len(self._coming) >= _MOST_COMING:
                self._discard(next(iter(self._coming)))  # the oldest, of a machine that was lost
            if (call := next((one for one in calls if one.may_come), None)) is None:
                raise ValueError(f"more than {wire.FILES_A_CALL} files came for a call")
            call.may_come -= 1
            coming = self._coming[key] = _Coming(rules.download_path(request.name))
        try:
            coming.written += len(request.data)
            if coming.written > min(request.size, rules.max_download_bytes()):
                raise ValueError("the file is longer than it may be")
            with coming.path.open("ab") as file:
                file.write(request.data)
        except BaseException:
            self._discard(key)
            raise
        if coming.written == request.size:
            del self._coming[key]
        return wire.Written(request.id, str(coming.path))

    def _discard(self, key: tuple[str, str, int]) -> None:
        if (coming := self._coming.pop(key, None)) is not None:
            coming.path.unlink(missing_ok=True)


def _read(request: wire.Read, rules: PolicyFileRules) -> wire.Content:
    path = rules.check_upload(Path(request.path))
    with open_regular_file(path) as file:
        found = os.fstat(file.fileno())
        file.seek(request.offset)
        data = file.read(min(request.most, wire.PIECE_BYTES))
    return wire.Content(request.id, data, found.st_size, found.st_mtime_ns)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a call's arguments; those in a text that is JSON, as commands take it for a list, too."""
    if isinstance(value, str):
        yield value
        if value.startswith(("[", "{")):
            with suppress(msgspec.MsgspecError, RecursionError):
                yield from _texts(msgspec.json.decode(value))
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)
