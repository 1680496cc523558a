"""The downloads of a script's tabs: `Browser.setDownloadBehavior` with `eventsEnabled`, and the files.

The browser's own folder for downloads is not the script's to set. The hub follows what the held tabs begin, takes each
file from where the browser writes it, as the command `download_file` does, and puts it where the script looks for it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import attrs
import trio

from kapture.endpoints.cdp.messages import Replies, ScriptDocuments
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.holding import Hold
from kapture.policy.file_rules import PolicyFileRules, safe_name
from kapture.private_files import open_regular_file

_MAX_KNOWN = 200
_REMOVED_S = 5.0
_MAX_COPIES = 100
_GIVES_FILES = frozenset({"allow", "allowAndName"})
_BEHAVIORS = frozenset({"default", "deny", *_GIVES_FILES})


class HeldPage(Protocol):
    """A script's session of the page that begins a download."""

    hold: Hold
    ended: trio.Event

    @property
    def documents(self) -> ScriptDocuments:
        """The documents of the page."""


@attrs.frozen
class _Folder:
    """A folder below an allowed one, its `root`. Both paths are without links."""

    path: Path
    root: Path

    @contextmanager
    def opened(self) -> Iterator[int | None]:
        """A descriptor of the folder, reached from its root without following a link, for one may have taken its place
        since it was allowed. None on systems without such descriptors."""
        if os.name != "posix":
            yield None
            return
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        descriptor = os.open(self.root, flags)
        try:
            for part in self.path.relative_to(self.root).parts:
                outer, descriptor = descriptor, os.open(part, flags, dir_fd=descriptor)
                os.close(outer)
            yield descriptor
        finally:
            os.close(descriptor)


@attrs.frozen
class _Behavior:
    """A script's wish for downloads. `folder` is where it looks for files."""

    behavior: str
    folder: _Folder | None
    files: PolicyFileRules


@attrs.define(eq=False)
class _Download:
    guid: str
    page: HeldPage
    name: str
    behavior: _Behavior
    sizes: dict[str, float] = attrs.field(factory=lambda: {"totalBytes": 0.0, "receivedBytes": 0.0})
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    ended: bool = False


class ScriptDownloads:
    """The downloads of one script."""

    def __init__(self, replies: Replies, nursery: trio.Nursery) -> None:
        self._replies = replies
        self._nursery = nursery
        self._listeners: set[str | None] = set()  # the sessions that want events
        self._behavior: _Behavior | None = None
        self._downloads: OrderedDict[str, _Download] = OrderedDict()  # by the browser's id

    def set_behavior(
        self, params: Mapping[str, Any], session_id: str | None, files: PolicyFileRules, *, by_library: bool
    ) -> None:
        """`Browser.setDownloadBehavior`. `POLICY_DENIED` for a folder that files may not be put into.

        Where the policy forbids downloads, or the folder is not on this machine, there are none for the script. With
        `by_library` it is not told so: Playwright asks for them whenever it connects.
        """
        behavior, path = str(params.get("behavior")), params.get("downloadPath")
        if behavior not in _BEHAVIORS or (behavior in _GIVES_FILES and not isinstance(path, str)):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "behavior must be default, deny, or allow or allowAndName with a downloadPath.",
            )
        folder = None
        if behavior in _GIVES_FILES and files.downloads.enabled:
            folder = _usable_folder(Path(str(path)), files)
        hidden = not files.downloads.enabled or (behavior in _GIVES_FILES and folder is None)
        if hidden and not by_library and behavior in _GIVES_FILES:
            raise _refused(str(path), files)
        self._listeners.discard(session_id)
        if params.get("eventsEnabled"):
            self._listeners.add(session_id)
        self._behavior = None if hidden else _Behavior(behavior, folder, files)

    def cancel(self, guid: object) -> None:
        """`Browser.cancelDownload`."""
        if (download := self._downloads.get(str(guid))) is not None:
            download.scope.cancel()

    def take(self, method: str, params: Mapping[str, Any], page: HeldPage) -> None:
        """Take an event of a held tab that the script may see."""
        if method == "Page.downloadWillBegin":
            self._began(params, page)
        elif method == "Page.downloadProgress" and (found := self._downloads.get(params["guid"])) is not None:
            self._went_on(found, params)

    def _began(self, params: Mapping[str, Any], page: HeldPage) -> None:
        guid, behavior = params["guid"], self._behavior
        if behavior is None or guid in self._downloads or not _may_come_from(params["url"], page):
            return
        download = self._downloads[guid] = _Download(guid, page, params.get("suggestedFilename", ""), behavior)
        while len(self._downloads) > _MAX_KNOWN:
            self._downloads.popitem(last=False)[1].scope.cancel()
        shown = {key: params[key] for key in ("frameId", "guid", "url", "suggestedFilename") if key in params}
        self._emit("Browser.downloadWillBegin", shown)
        if behavior.behavior != "default":
            self._nursery.start_soon(self._finish, download)

    def _went_on(self, download: _Download, params: Mapping[str, Any]) -> None:
        download.sizes = {key: params.get(key, 0) for key in download.sizes}
        stays = download.behavior.behavior == "default"  # in the browser's folder: the script gets no file
        if not stays and max(download.sizes.values()) > download.behavior.files.max_download_bytes():
            download.scope.cancel()
        elif params["state"] == "inProgress" and not download.ended:
            self._emit("Browser.downloadProgress", {"guid": download.guid, **download.sizes, "state": "inProgress"})
        elif stays:
            self._end(download, params["state"])

    async def _finish(self, download: _Download) -> None:
        """The end is reported once the file is where the script looks for it."""
        path = None
        with suppress(KaptureError, OSError):
            path = await _fetch(download)
        if path is None:
            self._end(download, "canceled")
        else:
            self._end(download, "completed", filePath=str(path))

    def _end(self, download: _Download, state: str, **more: str) -> None:
        if not download.ended:
            download.ended = True
            self._emit("Browser.downloadProgress", {"guid": download.guid, **download.sizes, "state": state, **more})

    def _emit(self, method: str, params: Mapping[str, Any]) -> None:
        for session_id in self._listeners:
            self._replies.event(method, params, session_id)


async def _fetch(download: _Download) -> Path | None:
    """Where the file is now; None when it did not come, or may not be had. Nothing of it is left in the browser."""
    page, behavior = download.page, download.behavior
    scripts = page.hold.tab.scripts
    if scripts is None:
        return None
    number = (await scripts.download({"action": "find", "guid": download.guid}))["id"]
    path = None
    try:
        with download.scope:  # not around `find`: what is not found cannot be removed
            if behavior.folder is None:
                return None
            item = await scripts.download({"action": "wait", "id": number})
            whole = item["state"] == "complete" and item["bytes"] <= behavior.files.max_download_bytes()
            # The tab may have been taken from the script, and redirects have led anywhere.
            if whole and not page.ended.is_set() and _may_come_from(item["url"], page):
                name = download.guid if behavior.behavior == "allowAndName" else download.name
                path = await trio.to_thread.run_sync(_place, Path(item["path"]), behavior.folder, safe_name(name))
        return path
    finally:
        with trio.move_on_after(_REMOVED_S, shield=True), suppress(KaptureError, OSError):
            await scripts.download({"action": "remove", "id": number})


def _may_come_from(url: str, page: HeldPage) -> bool:
    """Whether the grant covers where a download comes from. What names no site is the granted page's own."""
    site = url.removeprefix("blob:")
    if not site.startswith(("http:", "https:", "file:")):
        return True
    with page.hold.calling():
        return page.documents.covers(site)


def _usable_folder(path: Path, files: PolicyFileRules) -> _Folder | None:
    """The folder itself; None when there is none here. Its name is the script's choice: so files go only into the
    policy's folder, or one below the system's for temporary files that nobody else may write; never into Kapture's own
    data."""
    try:
        folder = path.resolve(strict=True)
        allowed = _allowed_folders(files)
        found, ours = folder.stat(), files.home.resolve()
    except (OSError, ValueError, RuntimeError):  # also for text that is no path
        return None
    if folder == allowed[0]:
        return _Folder(folder, folder)
    private = os.name != "posix" or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)
    own_data = folder.is_relative_to(ours) and not folder.is_relative_to(allowed[0])
    root = next((one for one in allowed if folder.is_relative_to(one)), None)
    if root is not None and stat.S_ISDIR(found.st_mode) and private and not own_data:
        return _Folder(folder, root)
    raise _refused(str(path), files)


def _allowed_folders(files: PolicyFileRules) -> tuple[Path, Path]:
    """The policy's folder for downloads, and the system's for temporary files. `POLICY_DENIED` if it forbids them."""
    return files.download_folder().resolve(), Path(tempfile.gettempdir()).resolve()


def _refused(path: str, files: PolicyFileRules) -> KaptureError:
    """Raises another one if the policy forbids downloads."""
    ours, temporary = _allowed_folders(files)
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"Downloads cannot be saved in {path}.",
        hint=f"Give a folder that is there, in {ours}, or a private one in {temporary}, as downloadPath.",
        data={"rule": "downloads.folder"},
    )


def _place(source: Path, folder: _Folder, name: str) -> Path:
    stem, suffix = Path(name).stem, Path(name).suffix
    with folder.opened() as descriptor, open_regular_file(source) as reading:
        for copy in range(1, _MAX_COPIES):
            path = folder.path / (name if copy == 1 else f"{stem} ({copy}){suffix}")
            target = path if descriptor is None else Path(path.name)
            with suppress(FileExistsError):
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
                writing = os.open(target, flags, 0o600, dir_fd=descriptor)
                try:
                    with os.fdopen(writing, "wb") as file:
                        shutil.copyfileobj(reading, file)
                except OSError:
                    os.unlink(target, dir_fd=descriptor)
                    raise
                return path
    raise OSError(f"{folder.path} holds {_MAX_COPIES} files named like {name!r}.")
