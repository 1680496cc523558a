"""The downloads of a script's tabs: `Browser.setDownloadBehavior` with `eventsEnabled`, and the files.

The browser's own folder for downloads is not the script's to set. The hub follows what the held tabs begin, takes each
file from where the browser writes it, as the command `download_file` does, and puts it where the script looks for it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import attrs
import trio

from kapture.endpoints.cdp.documents import ScriptDocuments
from kapture.endpoints.cdp.messages import Replies
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.holding import Hold
from kapture.policy.files import PolicyFileRules, safe_name

_MAX_KNOWN = 200
_REMOVED_S = 5.0
_MAX_COPIES = 100
_GIVES_FILES = frozenset({"allow", "allowAndName"})
_BEHAVIORS = frozenset({"default", "deny", *_GIVES_FILES})


class HeldPage(Protocol):
    """A script's session of the page that begins a download."""

    hold: Hold

    @property
    def documents(self) -> ScriptDocuments:
        """The documents of the page."""


@attrs.frozen
class _Behavior:
    """What the script wants done with downloads. `folder` is where it looks for files."""

    behavior: str
    folder: Path | None
    files: PolicyFileRules


@attrs.define(eq=False)
class _Download:
    guid: str
    page: HeldPage
    name: str
    sizes: dict[str, float] = attrs.field(factory=lambda: {"totalBytes": 0.0, "receivedBytes": 0.0})
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    ended: bool = False


class ScriptDownloads:
    """Of one script."""

    def __init__(self, replies: Replies, nursery: trio.Nursery) -> None:
        self._replies = replies
        self._nursery = nursery
        self._listeners: set[str | None] = set()  # the sessions that want events
        self._behavior: _Behavior | None = None
        self._downloads: OrderedDict[str, _Download] = OrderedDict()  # by the browser's id

    def set_behavior(self, params: Mapping[str, Any], session_id: str | None, files: PolicyFileRules) -> None:
        """`Browser.setDownloadBehavior`. `POLICY_DENIED` for a folder that files may not be put into.

        Where the policy forbids downloads, or the folder is not on this machine, there are none for the script:
        Playwright asks for them whenever it connects.
        """
        behavior, path = str(params.get("behavior")), params.get("downloadPath")
        if behavior not in _BEHAVIORS or (behavior in _GIVES_FILES and not isinstance(path, str)):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "behavior must be default, deny, or allow or allowAndName with a downloadPath.",
            )
        self._listeners.discard(session_id)
        if params.get("eventsEnabled"):
            self._listeners.add(session_id)
        folder = None
        if behavior in _GIVES_FILES and files.downloads.enabled:
            folder = _usable_folder(Path(str(path)), files)
        hidden = not files.downloads.enabled or (behavior in _GIVES_FILES and folder is None)
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
        download = self._downloads[guid] = _Download(guid, page, params.get("suggestedFilename", ""))
        while len(self._downloads) > _MAX_KNOWN:
            self._downloads.popitem(last=False)
        shown = {key: params[key] for key in ("frameId", "guid", "url", "suggestedFilename") if key in params}
        self._emit("Browser.downloadWillBegin", shown)
        if behavior.behavior != "default":
            self._nursery.start_soon(self._finish, download, behavior)

    def _went_on(self, download: _Download, params: Mapping[str, Any]) -> None:
        behavior = self._behavior
        download.sizes = {key: params.get(key, 0) for key in download.sizes}
        if behavior is not None and max(download.sizes.values()) > behavior.files.max_download_bytes():
            download.scope.cancel()
        elif params["state"] == "inProgress" and not download.ended:
            self._emit("Browser.downloadProgress", {"guid": download.guid, **download.sizes, "state": "inProgress"})
        elif behavior is not None and behavior.behavior == "default":
            self._end(download, params["state"])

    async def _finish(self, download: _Download, behavior: _Behavior) -> None:
        """The end is reported once the file is where the script looks for it."""
        path = None
        with download.scope, suppress(KaptureError, OSError):
            path = await _fetch(download, behavior)
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


async def _fetch(download: _Download, behavior: _Behavior) -> Path | None:
    """Where the file is now; None when it did not come, or may not be had. Nothing of it is left in the browser."""
    backend = download.page.hold.tab.backend
    if backend is None:
        return None
    number = (await backend.download({"action": "find", "guid": download.guid}))["id"]
    try:
        if behavior.folder is None:
            return None
        item = await backend.download({"action": "wait", "id": number})
        whole = item["state"] == "complete" and item["bytes"] <= behavior.files.max_download_bytes()
        if not whole or not _may_come_from(item["url"], download.page):  # where redirects have led
            return None
        name = download.guid if behavior.behavior == "allowAndName" else download.name
        return await trio.to_thread.run_sync(_place, Path(item["path"]), behavior.folder, safe_name(name))
    finally:
        with trio.move_on_after(_REMOVED_S, shield=True), suppress(KaptureError, OSError):
            await backend.download({"action": "remove", "id": number})


def _may_come_from(url: str, page: HeldPage) -> bool:
    """Whether the grant covers where a download comes from. What names no site is the granted page's own."""
    site = url.removeprefix("blob:")
    if not site.startswith(("http:", "https:", "file:")):
        return True
    with page.hold.calling():
        return page.documents.covers(site)


def _usable_folder(path: Path, files: PolicyFileRules) -> Path | None:
    """The folder itself; None when there is none here. Its name is the script's choice: so files go only into the
    policy's folder, or one below the system's for temporary files that nobody else may write."""
    try:
        folder = path.resolve(strict=True)
        allowed = [files.download_folder().resolve(), Path(tempfile.gettempdir()).resolve()]
        private = os.name != "posix" or (folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o022)
    except OSError:
        return None
    if folder == allowed[0] or (folder.is_dir() and private and any(folder.is_relative_to(one) for one in allowed)):
        return folder
    raise KaptureError(
        ErrorCode.POLICY_DENIED,
        f"Downloads do not go into {path}.",
        hint=f"Give a folder in {allowed[0]}, or a private one in {allowed[1]}, as downloadPath.",
        data={"rule": "downloads.folder"},
    )


def _place(source: Path, folder: Path, name: str) -> Path:
    stem, suffix = Path(name).stem, Path(name).suffix
    for copy in range(1, _MAX_COPIES):
        path = folder / (name if copy == 1 else f"{stem} ({copy}){suffix}")
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(path, flags, 0o600), "wb") as writing, source.open("rb") as reading:
                shutil.copyfileobj(reading, writing)
            return path
    raise OSError(f"{folder} holds {_MAX_COPIES} files named like {name!r}.")
