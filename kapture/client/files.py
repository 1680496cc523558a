"""The files of this machine that a client's calls name, and those that they download, when its hub is on another.

The hub asks for them, piece by piece (`kapture.wire.files`). It gets only files that a pending call of this client
names, word for word, and that its user may read; never those in which Kapture keeps its secrets. What it sends is
written to the folder for downloads here, under a safe name, beside what is there.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from kapture.client.json_rpc import Id, read_head, read_subject
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.private_files import open_regular_file
from kapture.wire import files as wire

_MOST_CALLS = 1_000
_MOST_COMING = 16
_MOST_MAY_COME = 64
_MOST_WAITING = 64
_OWN_FILES = ("uploads", "downloads")
"""The folders in the data folder with files of the user's."""


class _Call(msgspec.Struct):
    params: msgspec.Raw = msgspec.Raw(b"{}")


_CALL = msgspec.json.Decoder(_Call)


class NotGivenError(Exception):
    """The reason why a file is not given, or not taken."""


@attrs.define
class _Coming:
    """A file that is not complete."""

    path: Path
    written: int = 0


class FilesHere:
    """Answers one hub's requests. Every message in either direction passes `sent` or `received`."""

    def __init__(self, hub: Path) -> None:
        self._hub = hub
        """The folder of the hub's key file."""
        self._calls: dict[Id, msgspec.Raw] = {}  # pending ones, with their parameters
        self._coming: dict[int, _Coming] = {}
        self._may_come = 0
        """Files that the hub may still write: so many for each call."""
        self._frames, self._waiting = trio.open_memory_channel[bytes](_MOST_WAITING)

    def sent(self, message: bytes) -> None:
        """Note a message of the client's, which may be a call that names files."""
        head = read_head(message)
        if head.method == "tools/call" and head.request_id is not None:
            self._calls[head.request_id] = _CALL.decode(message).params
            self._may_come = min(self._may_come + wire.FILES_A_CALL, _MOST_MAY_COME)
            if len(self._calls) > _MOST_CALLS:
                del self._calls[next(iter(self._calls))]
        elif head.method == "notifications/cancelled":
            self._ended(read_subject(message).requestId)

    def received(self, message: bytes) -> None:
        """Note a message of the hub's, which may end a call."""
        self._ended(read_head(message).answer_id)

    def _ended(self, call: object) -> None:
        if isinstance(call, Id):
            self._calls.pop(call, None)
            if not self._calls:
                self._may_come = 0

    def take(self, frame: bytes) -> None:
        """Take a request of the hub's; `trio.WouldBlock` if it has sent too many before their answers."""
        self._frames.send_nowait(frame)

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Answer the requests in turn, until cancelled. What is not complete then is removed."""
        try:
            async for frame in self._waiting:
                answer = await trio.to_thread.run_sync(self._answer, frame)
                if answer is not None:
                    await send(wire.encode(answer))
        finally:
            for number in tuple(self._coming):
                self._discard(number)

    def _answer(self, frame: bytes) -> wire.FromClient | None:
        try:
            request = wire.FROM_HUB.decode(frame)
        except (msgspec.MsgspecError, RecursionError):
            return None  # of a hub that speaks otherwise: its call ends by its timeout
        if isinstance(request, wire.Discard):
            self._discard(request.file)
            return None
        try:
            return self._read(request) if isinstance(request, wire.Read) else self._write(request)
        except NotGivenError as error:
            reason = str(error)
        except KaptureError as error:
            reason = error.message.rstrip(".")
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        return wire.Failed(request.id, reason[:1_000])

    def _read(self, request: wire.Read) -> wire.Content:
        calls = map(msgspec.json.decode, tuple(self._calls.values()))
        if not any(request.path == text for call in calls for text in _texts(call)):
            raise NotGivenError("no call of the client names this file")
        path = Path(request.path).expanduser().resolve(strict=True)
        for folder in (data_folder().resolve(), self._hub.resolve()):
            if path.is_relative_to(folder) and not any(path.is_relative_to(folder / name) for name in _OWN_FILES):
                raise NotGivenError("Kapture keeps its secrets in the folder of this file")
        with open_regular_file(path) as file:
            found = os.fstat(file.fileno())
            file.seek(request.offset)
            data = file.read(min(request.most, wire.PIECE_BYTES))
        return wire.Content(request.id, data, found.st_size, found.st_mtime_ns)

    def _write(self, request: wire.Write) -> wire.Written:
        if not self._calls:
            raise NotGivenError("no call of the client is pending")
        if (coming := self._coming.get(request.file)) is None:
            if len(self._coming) >= _MOST_COMING:
                raise NotGivenError("too many files are coming at once")
            if not self._may_come:
                raise NotGivenError(f"more than {wire.FILES_A_CALL} files came for a call")
            self._may_come -= 1
            coming = self._coming[request.file] = _Coming(_new_file(request.name))
        try:
            coming.written += len(request.data)
            if coming.written > request.size:
                raise NotGivenError("the file is longer than it should be")
            with coming.path.open("ab") as file:
                file.write(request.data)
        except BaseException:
            self._discard(request.file)
            raise
        if coming.written == request.size:
            del self._coming[request.file]
        return wire.Written(request.id, str(coming.path))

    def _discard(self, number: int) -> None:
        if (coming := self._coming.pop(number, None)) is not None:
            coming.path.unlink(missing_ok=True)


def _new_file(name: str) -> Path:
    from kapture.policy.file_rules import PolicyFileRules  # slow to import
    from kapture.policy.policy_file import Downloads, Uploads

    return PolicyFileRules(home=data_folder(), downloads=Downloads(), uploads=Uploads()).download_path(name)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a call's parameters; those in a text that is JSON, as the hub takes it for a list, too."""
    if isinstance(value, str):
        yield value
        if value.startswith(("[", "{")):
            with suppress(msgspec.MsgspecError, RecursionError):
                yield from _texts(msgspec.json.decode(value))
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)
