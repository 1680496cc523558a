"""Files of clients on other machines: what they upload is carried here, what they download there.

A client names files of its own machine. `CarriedFiles` are the rules for files of such a client: before a file is
uploaded it is fetched into a folder of the client's share, and a downloaded file is sent to the client and removed
here, both through the client's `FileCarrier`, piece by piece. Nothing that the other machine sends is trusted: not
sizes, not names, not that it answers.

Limits: files, not folders, of at most 256 MiB. Carried uploads stay while the share does, because a page may read them
long after it was given them; beyond 1 GiB or 500 files the oldest are removed.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError
from kapture.policy.file_rules import PolicyFileRules, is_reserved
from kapture.policy.shown import escaped
from kapture.private_files import open_regular_file, private_folder
from kapture.wire import files as wire

_SENT = "sent"
"""The folder with what clients have sent, among the uploads that the person puts there."""
_MOST_KEPT_BYTES = 1024 * 1024 * 1024
_MOST_KEPT_FILES = 500
_MOST_NAME_BYTES = 200
_UNUSABLE = re.compile(r'[<>:"|?*/\\]')
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class FileCarrier(Protocol):
    """Reads and writes files on a client's machine. `KaptureError` where the client cannot, or has gone."""

    async def read(self, path: str, offset: int, most: int) -> wire.Content:
        """A piece of a file that a pending call of the client names, of at most `most` bytes."""

    async def write(self, file: int, name: str, size: int, data: bytes) -> str:
        """Write the next piece of a new file; returns its path there."""

    async def discard(self, file: int) -> None:
        """Give up a file that is not complete."""


class CarriedUploads:
    """The files that the clients of one share have sent, each in a folder of its own. Made by `carried_uploads`.
    `beside`: others for which the limits hold together with it."""

    def __init__(self, folder: Path, beside: Callable[[], Iterable[CarriedUploads]] = tuple) -> None:
        self._folder = folder
        self._beside = beside
        self._sizes: dict[Path, int] = {}  # of the files' folders, the oldest first
        self._coming: set[Path] = set()

    @property
    def sizes(self) -> Collection[int]:
        """The sizes of its files."""
        return self._sizes.values()

    @contextmanager
    def coming(self, size: int) -> Iterator[Path]:
        """A new folder for a file of this size, which is removed unless the block ends well. `UPLOAD_FAILED` if there
        is no room for it."""
        while not self._has_room(size):
            oldest = next((folder for folder in self._sizes if folder not in self._coming), None)
            if oldest is None:
                raise _failed("Too many files are being sent at once.", "Send fewer, or wait.")
            self._remove(oldest)
        folder = private_folder(private_folder(self._folder) / secrets.token_hex(8))
        self._sizes[folder] = size
        self._coming.add(folder)
        try:
            yield folder
        except BaseException:
            self._remove(folder)
            raise
        finally:
            self._coming.discard(folder)

    def _has_room(self, size: int) -> bool:
        sizes = [*self.sizes, *(size for other in self._beside() if other is not self for size in other.sizes)]
        return len(sizes) < _MOST_KEPT_FILES and sum(sizes) + size <= _MOST_KEPT_BYTES

    def _remove(self, folder: Path) -> None:
        del self._sizes[folder]
        shutil.rmtree(folder, ignore_errors=True)  # what another program holds open goes with the share

    def clear(self) -> None:
        """Remove all of them, and what a hub that was killed has left."""
        self._sizes.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def carried_uploads(
    rules: PolicyFileRules, beside: Callable[[], Iterable[CarriedUploads]] = tuple
) -> Iterator[CarriedUploads]:
    """Those of the share with these rules; they are removed with the block."""
    uploads = CarriedUploads(rules.home / "uploads" / _SENT, beside)
    uploads.clear()
    try:
        yield uploads
    finally:
        uploads.clear()


_numbers = itertools.count(1)


@attrs.frozen(kw_only=True)
class CarriedFiles:
    """`FileRules` (kapture.commands.core.context) of a client on another machine."""

    rules: PolicyFileRules
    carrier: FileCarrier
    uploads: CarriedUploads

    def check_upload(self, path: Path, *, folders_too: bool = False) -> Path:
        """As for files that are here."""
        return self.rules.check_upload(path, folders_too=folders_too)

    def download_folder(self) -> Path:
        """Where they are kept until they have been sent."""
        return self.rules.download_folder()

    def download_path(self, suggested_name: str) -> Path:
        """Create an empty file there."""
        return self.rules.download_path(suggested_name)

    def max_download_bytes(self) -> int:
        """The size of the largest file that is kept, and carried."""
        return min(self.rules.max_download_bytes(), wire.MOST_FILE_BYTES)

    async def take(self, path: str) -> Path:
        """See `_fetched`, whose `OSError` is this machine's."""
        try:
            return await self._fetched(path)
        except OSError as error:
            raise _failed(f"{_shown(path)} could not be kept here: {error.strerror or error}.") from error

    async def _fetched(self, path: str) -> Path:
        """Fetch a file of the client's machine, unless the person has put it into the share's folder here."""
        if any(_is_within(path, folder) for folder in self.rules.upload_folders()):
            return await self.rules.take(path)
        name = _name_of(path)
        piece = await self.carrier.read(path, 0, wire.PIECE_BYTES)
        size, version, done = piece.size, piece.version, 0
        if size > wire.MOST_FILE_BYTES:
            raise _failed(f"{_shown(path)} has {size:,} bytes; at most {wire.MOST_FILE_BYTES:,} are carried.")
        with self.uploads.coming(size) as folder:
            handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            with os.fdopen(handle, "wb") as file:
                while True:
                    left = size - done
                    if (piece.size, piece.version) != (size, version) or len(piece.data) > left:
                        raise _failed(f"{_shown(path)} has changed while it was sent.", "Try again.")
                    if not piece.data and left:
                        raise _failed(f"{_shown(path)} came without its end.", "Try again.")
                    await trio.to_thread.run_sync(file.write, piece.data)
                    done += len(piece.data)
                    if done == size:
                        break
                    piece = await self.carrier.read(path, done, min(wire.PIECE_BYTES, size - done))
            return folder / name

    async def hand(self, path: Path) -> str:
        """Send a file to the client; returns its path there. It is removed here in any case."""
        number, complete = next(_numbers), False
        try:
            with open_regular_file(path) as file:
                size = os.fstat(file.fileno()).st_size
                while not complete:
                    data = await trio.to_thread.run_sync(file.read, wire.PIECE_BYTES)
                    if not data and size:
                        raise KaptureError(ErrorCode.DOWNLOAD_FAILED, f"{path} has changed while it was sent.")
                    there = await self.carrier.write(number, path.name, size, data)
                    complete = file.tell() >= size
            return there
        finally:
            if not complete:
                with trio.move_on_after(1, shield=True):
                    await self.carrier.discard(number)
            await trio.Path(path).unlink(missing_ok=True)


def _is_within(path: str, folder: Path) -> bool:
    return Path(os.path.normpath(path)).is_relative_to(folder)


def _name_of(path: str) -> str:
    """The name that a file has here, and for the page: its own."""
    name = path.replace("\\", "/").rpartition("/")[2]
    odd = _UNUSABLE.search(name) or any(unicodedata.category(char) in _UNSEEN for char in name)
    odd = odd or len(name.encode("utf-8", "replace")) > _MOST_NAME_BYTES or len(path) > wire.MOST_PATH_CHARS
    if name in ("", ".", "..") or odd or is_reserved(name):
        raise _failed(f"A file named {_shown(name)!r} cannot be carried.", "Give the path of a file with a plain name.")
    return name


def _shown(path: str) -> str:
    return escaped(path[-200:])


def _failed(message: str, hint: str = "") -> KaptureError:
    return KaptureError(ErrorCode.UPLOAD_FAILED, message, hint=hint)


class _Pending:
    """A request that the client has not answered."""

    def __init__(self) -> None:
        self.answered = trio.Event()
        self.answer: wire.FromClient | None = None


class FrameCarrier:
    """A `FileCarrier` over frames of bytes: `send` sends one to the client, `receive` takes one of the client's."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._ids = itertools.count(1)
        self._pending: dict[int, _Pending] = {}

    def receive(self, frame: bytes) -> None:
        """Take a frame; `msgspec.MsgspecError` if it is none. Nobody waits for an answer that is late."""
        answer = wire.FROM_CLIENT.decode(frame)
        if (pending := self._pending.pop(answer.id, None)) is not None:
            pending.answer = answer
            pending.answered.set()

    async def read(self, path: str, offset: int, most: int) -> wire.Content:
        """See `FileCarrier`."""
        code = ErrorCode.UPLOAD_FAILED
        answer = await self._ask(lambda number: wire.Read(number, path, offset, most), code, path)
        if not isinstance(answer, wire.Content) or len(answer.data) > most:
            raise _failed("The client's answer to a request for a file is none.")
        return answer

    async def write(self, file: int, name: str, size: int, data: bytes) -> str:
        """See `FileCarrier`."""
        code = ErrorCode.DOWNLOAD_FAILED
        answer = await self._ask(lambda number: wire.Write(number, file, name, size, data), code, name)
        if not isinstance(answer, wire.Written):
            raise KaptureError(code, "The client's answer to a file is none.")
        return answer.path

    async def discard(self, file: int) -> None:
        """See `FileCarrier`."""
        await self._send(wire.encode(wire.Discard(file)))

    async def _ask(self, make: Callable[[int], wire.FromHub], code: ErrorCode, about: str) -> wire.FromClient:
        number = next(self._ids)
        pending = self._pending[number] = _Pending()
        try:
            await self._send(wire.encode(make(number)))
            await pending.answered.wait()
        finally:
            self._pending.pop(number, None)
        assert pending.answer is not None  # noqa: S101  it is answered
        if isinstance(pending.answer, wire.Failed):
            raise KaptureError(code, f"{_shown(about)}, on the client's machine: {escaped(pending.answer.reason)}.")
        return pending.answer
