"""Downloads of one browser: those that pages start, which the browser writes, and those that the hub fetches."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio

from kapture.backends.chromium import fetched_files
from kapture.backends.chromium.fetched_files import FetchedFile, Send
from kapture.cdp.program import Json
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError

_MAX_KNOWN = 200
_APPEARS_S = 10.0
_CLOCKS_DIFFER_S = 1.0
"""The clock by which files are dated may be behind."""


class BrowserDownloads:
    """Runs the steps of `BrowserControl.download` for every tab of a browser.

    The hub's own downloads are written to `folder`, and so are those of a browser that was set up to do so; others are
    where the browser reports them. An endpoint that was attached to can report any path: a file that was there before
    the download began is neither taken nor deleted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count(1)
        self._begun: OrderedDict[str, Json] = OrderedDict()  # by CDP's guid
        self._known: OrderedDict[int, FetchedFile | str] = OrderedDict()  # a file that the hub fetches, or a guid
        self._changed = Changed()

    def on_event(self, method: str, params: Json) -> None:
        """Process an event of the browser."""
        guid = str(params.get("guid"))
        if method == "Browser.downloadWillBegin":
            self._begun[guid] = {**params, "state": "inProgress", "begunAt": time.time()}
            while len(self._begun) > _MAX_KNOWN:
                self._begun.popitem(last=False)
        elif method == "Browser.downloadProgress" and guid in self._begun:
            self._begun[guid].update(params)
        self._changed.notify()

    async def step(self, send: Send, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run one step; see docs/PROTOCOL.md, `download`. The file is fetched in the step `wait`."""
        match params.get("action"):
            case "start":
                file = await fetched_files.begin(
                    send, str(params["url"]), self.folder, any_site=params.get("anySite") is True
                )
                return self._know(next(self._numbers), file)
            case "find":
                guid = str(params.get("guid"))
                await self._appears(guid)
                return self._know(next(self._numbers), guid)
            case "status":
                return self._item(params)
            case "wait":
                return await self._wait(params)
            case "cancel" | "remove":
                return await self._remove(send, params)
        raise KaptureError(ErrorCode.INVALID_PARAMS, f"There is no download action {params.get('action')!r}.")

    def _know(self, number: int, what: FetchedFile | str) -> dict[str, Any]:
        self._known[number] = what
        while len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
        return {"id": number}

    def _find(self, params: Mapping[str, Any]) -> FetchedFile | str:
        found = self._known.get(params.get("id", 0))
        if found is None:
            raise KaptureError(ErrorCode.DOWNLOAD_FAILED, f"This browser has no download {params.get('id')!r}.")
        return found

    async def _appears(self, guid: str) -> None:
        with trio.move_on_after(_APPEARS_S):
            while guid not in self._begun:
                await self._changed.wait()
            return
        raise KaptureError(
            ErrorCode.DOWNLOAD_FAILED, "The browser has not reported the download that the page started."
        )

    def _item(self, params: Mapping[str, Any]) -> dict[str, Any]:
        found = self._find(params)
        number = int(params["id"])
        if isinstance(found, FetchedFile):
            return found.as_item(number)
        begun = self._begun.get(found, {})
        state = {"completed": "complete", "canceled": "interrupted"}.get(begun.get("state", "canceled"), "in_progress")
        return {
            "id": number,
            "state": state,
            "path": begun.get("filePath") or str(self.folder / found),
            "url": begun.get("url", ""),
            "bytes": int(begun.get("receivedBytes", 0)),
            "totalBytes": int(begun.get("totalBytes", 0)),
            "mimeType": "",
            **({"error": "the browser ended it"} if state == "interrupted" else {}),
        }

    async def _wait(self, params: Mapping[str, Any]) -> dict[str, Any]:
        found = self._find(params)
        if isinstance(found, FetchedFile):
            await fetched_files.finish(found)
        while (item := self._item(params))["state"] == "in_progress":
            await self._changed.wait()
        if isinstance(found, str) and item["state"] == "complete" and not await self._has_come(found, item):
            return {**item, "state": "interrupted", "error": "the browser names a file that it has not written"}
        return item

    async def _has_come(self, guid: str, item: Mapping[str, Any]) -> bool:
        """Whether the file has changed, in name or content, since the download began."""
        try:
            changed = (await trio.Path(item["path"]).lstat()).st_ctime
        except (OSError, ValueError):
            return False
        return guid in self._begun and changed >= self._begun[guid]["begunAt"] - _CLOCKS_DIFFER_S

    async def _remove(self, send: Send, params: Mapping[str, Any]) -> dict[str, Any]:
        found = self._find(params)
        item = self._item(params)
        if isinstance(found, FetchedFile):
            if found.state == "in_progress":
                found.state = "interrupted"
            await trio.to_thread.run_sync(fetched_files.remove, found)
            await found.source.close()  # last, because a page that hangs does not answer
        else:
            if item["state"] == "in_progress":
                await send("Browser.cancelDownload", {"guid": found})
                item = await self._wait(params)  # it may have been complete by then
            if await self._has_come(found, item):
                await trio.Path(item["path"]).unlink(missing_ok=True)
        del self._known[params["id"]]
        return {}
