"""Downloading files."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.destination import destination
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.commands.core.targets import Targeted
from kapture.commands.files.interruptions import interruption
from kapture.commands.formatters.files import DownloadAnswer
from kapture.errors import Detached, DownloadFailed, ErrorCode, KaptureError, PolicyDenied, TabDisconnected
from kapture.page.documents.read_gate import EVERY_SITE
from kapture.page.downloads import Download
from kapture.page.target import Target
from kapture.private_files import open_regular_file
from kapture.split_url import split_url

_LOOK_AGAIN_S = 0.5
_DOWNLOAD_BEGINS_S = 5


@attrs.frozen(kw_only=True)
class DownloadFile(Targeted):
    """Download a URL with the tab's session, or what clicking the target starts, into the hub's own folder."""

    url: Annotated[str | None, Meta(description="URL to download, or give target.")] = None
    name: Annotated[str | None, Meta(description="File name to save as; default: the suggested one.")] = None


@command("download_file", access=Access.INTERACT, toolset="files", timeout_ms=SLOW_TIMEOUT_MS)
async def download_file(tab: TabContext, params: DownloadFile) -> DownloadAnswer:
    """Download through the browser, then move the complete file into the hub's folder."""
    where = params.element
    if (params.url is None) == (where is None):
        raise KaptureError(ErrorCode.INVALID_PARAMS, "Give either url or a target to click.")
    tab.files.download_folder()  # `POLICY_DENIED` before anything starts
    suggested = ""
    if params.url is not None:
        url = destination(params.url, base=tab.page.url, may_open=tab.page.gate).url
        begun = await tab.browser.download({"action": "start", "url": url, "anySite": tab.page.gate(EVERY_SITE)})
    else:
        assert where is not None  # noqa: S101  checked above
        download = await _click_for_download(tab, where)
        url, suggested = download.url, download.filename
        begun = await tab.browser.download({"action": "find", "guid": download.guid})
    try:
        _check_address(tab, url)
        if where is not None:
            _check_hops(tab, url)
        item = await _complete(tab, begun["id"])
        return await _keep(tab, item, params.name or suggested or _name_of(item))
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            await _forget(tab, begun["id"])


def _check_address(tab: TabContext, url: str) -> None:
    """`POLICY_DENIED` unless the grant covers the URL of a download, wherever that came from."""
    destination(url, base=tab.page.url, may_open=tab.page.gate)


def _check_hops(tab: TabContext, url: str) -> None:
    """Check the redirects that led to a URL, as far as the browser reports them. For downloads that it starts itself it
    does not; nothing is kept of what redirects return."""
    for request in reversed(tab.page.network.kept):
        if request.url == url:
            for _, hop in request.redirects:
                _check_address(tab, hop)
            return


async def _click_for_download(tab: TabContext, where: Target) -> Download:
    """Click, and wait for the download to begin."""
    downloads = tab.page.downloads
    known = {download.guid for download in downloads}
    target = where if isinstance(where, str) else where.as_json()
    await tab.invoke("click", {"target": target, "snapshot": "none"})
    with trio.move_on_after(_DOWNLOAD_BEGINS_S):
        while True:
            for download in downloads:
                if download.guid not in known and download.is_of_granted(tab.page.gate):
                    return download
            await downloads.changed.wait()
    raise KaptureError(
        ErrorCode.DOWNLOAD_FAILED,
        f"The click did not start a download within {_DOWNLOAD_BEGINS_S} s.",
        hint="Look at the page: it may have opened a dialog or another page instead.",
    )


async def _complete(tab: TabContext, download_id: int) -> Mapping[str, Any]:
    """Wait for the end; refuse a file that is too large, or comes from elsewhere, as soon as that is known."""
    limit = tab.files.max_download_bytes()
    ended = trio.Event()
    item: Mapping[str, Any] = {}

    async def wait() -> None:
        nonlocal item
        item = await tab.browser.download({"action": "wait", "id": download_id})
        ended.set()

    async def watch_it_grow() -> None:
        # A server need not announce the size, and Chrome has no event for received bytes.
        while not ended.is_set():
            now = await tab.browser.download({"action": "status", "id": download_id})
            _check_address(tab, now["url"])  # after redirects
            _check_size(max(now["bytes"], now.get("totalBytes") or 0), limit)
            await tab.progress(now["bytes"], now.get("totalBytes") or None, "downloading")
            with trio.move_on_after(_LOOK_AGAIN_S):
                await ended.wait()

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            nursery.start_soon(watch_it_grow)
    except BaseExceptionGroup as group:
        raise _reason(group) from None
    if item["state"] != "complete":
        raise KaptureError(
            ErrorCode.DOWNLOAD_FAILED,
            f"The download of {item['url']} was interrupted: {interruption(item.get('error'))}.",
            data={"reason": item.get("error")},
        )
    _check_address(tab, item["url"])
    _check_size(item["bytes"], limit)
    return item


def _reason(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Why a download failed that was asked after twice at once: both may have been told, and the second only that a
    refused one is gone."""
    known = [error for error in group.exceptions if isinstance(error, KaptureError)]
    if len(known) < len(group.exceptions):
        return group if len(group.exceptions) > 1 else group.exceptions[0]
    return next((error for error in known if isinstance(error, PolicyDenied)), known[0])


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise KaptureError(
            ErrorCode.DOWNLOAD_FAILED,
            f"The file has {size} bytes; the policy allows {limit}.",
            hint="Ask the person to raise downloads.max_bytes in the policy file.",
            data={"bytes": size, "limit": limit},
        )


async def _keep(tab: TabContext, item: Mapping[str, Any], name: str) -> DownloadAnswer:
    """Move the file into the hub's folder, under a safe name, readable only by its owner and not executable."""
    kept = tab.files.download_path(name)
    try:
        await trio.to_thread.run_sync(_take, Path(item["path"]), kept)
    except OSError as error:
        kept.unlink(missing_ok=True)
        raise KaptureError(
            ErrorCode.DOWNLOAD_FAILED,
            f"The browser's file {item['path']} could not be moved to the hub's folder: {error.strerror or error}.",
            hint="The browser and the hub must run on the same machine, as the same user.",
        ) from error
    return DownloadAnswer(path=str(kept), bytes=kept.stat().st_size, type=item.get("mimeType") or "", url=item["url"])


def _take(source: Path, kept: Path) -> None:
    with open_regular_file(source) as reading, kept.open("wb") as writing:
        shutil.copyfileobj(reading, writing)
    source.unlink()


def _name_of(item: Mapping[str, Any]) -> str:
    return Path(item["path"]).name or unquote(split_url(item["url"]).path.rpartition("/")[2])


async def _forget(tab: TabContext, download_id: int) -> None:
    """Remove it from the browser's list, and any rest of the file."""
    with suppress(DownloadFailed, Detached, TabDisconnected):
        await tab.browser.download({"action": "remove", "id": download_id})
