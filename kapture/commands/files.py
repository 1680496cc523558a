"""Uploads and downloads."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

import attrs
import trio
from msgspec import Meta

from kapture.cdp import CdpError, Refusal, is_gone
from kapture.changed import Changed
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.destination import destination
from kapture.commands.core.params import ElementRequired, Targeted
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.errors import Detached, DownloadFailed, ErrorCode, KaptureError, PolicyDenied, TabDisconnected, Wording
from kapture.page.documents.read_gate import EVERY_SITE
from kapture.page.downloads import Download
from kapture.page.element import Element
from kapture.page.input.mouse import InputEvent
from kapture.page.remote_objects import backend_node_id, call_on
from kapture.page.target import Target
from kapture.private_files import open_regular_file
from kapture.split_url import split_url


@attrs.frozen(kw_only=True)
class UploadAnswer(Answer):
    """The uploaded files, and the element or page that got them."""

    files: list[str]
    to: str
    how: str

    def text(self) -> str:
        """One line."""
        return f"{self.how} {', '.join(self.files)} {'onto' if self.how == 'dropped' else 'to'} {self.to}"


@attrs.frozen(kw_only=True)
class DownloadAnswer(Answer):
    """The complete file. `path` is on the client's machine; `type` as the server sent it."""

    path: str
    bytes: int
    type: str
    url: str

    def text(self) -> str:
        """One line."""
        return f"downloaded {self.path} ({self.bytes} bytes, {self.type or 'type unknown'})"


_WORDS = {
    "FILE_ACCESS_DENIED": "the browser may not write the file",
    "FILE_BLOCKED": "a policy of the browser blocks the file",
    "FILE_FAILED": "the browser could not write the file",
    "FILE_NO_SPACE": "the disk is full",
    "FILE_SECURITY_CHECK_FAILED": "the browser could not check that the file is safe",
    "FILE_VIRUS_INFECTED": "the browser takes the file for a virus",
    "NETWORK_DISCONNECTED": "the connection was lost",
    "NETWORK_FAILED": "the network failed",
    "NETWORK_INVALID_REQUEST": "the browser does not request this URL",
    "NETWORK_SERVER_DOWN": "the server cannot be reached",
    "NETWORK_TIMEOUT": "the server did not answer in time",
    "SERVER_BAD_CONTENT": "the server does not have the file, as with HTTP status 404",
    "SERVER_CERT_PROBLEM": "the server's certificate is not valid",
    "SERVER_CONTENT_LENGTH_MISMATCH": "the connection ended before the whole file had come",
    "SERVER_FAILED": "the server failed",
    "SERVER_FORBIDDEN": "the server refuses access to the file",
    "SERVER_UNAUTHORIZED": "the server asks to sign in first",
    "SERVER_UNREACHABLE": "the server answered something else than a file",
    "USER_CANCELED": "it was cancelled in the browser",
    "USER_SHUTDOWN": "the browser was closed",
}


def interruption(reason: str | None) -> str:
    """The reason in words, followed by Chrome's own name for it: `the disk is full (FILE_NO_SPACE)`."""
    if not reason:
        return "no reason given"
    words = _WORDS.get(reason)
    return f"{words} ({reason})" if words else reason


MAX_FILES = 50
_GIVEN_MS = 3_000  # folders are listed by the browser
_CHOOSER_OPENS_S = 5  # as long as Chromium lets a page open one after a click


@attrs.frozen(kw_only=True)
class Upload(ElementRequired):
    """Upload files, or a folder, to a file input, to the chooser that clicking the target opens, or by dropping."""

    paths: Annotated[list[str], Meta(min_length=1, max_length=MAX_FILES, description="From allowed folders only.")]
    drop: Annotated[bool, Meta(description="Drop them on the target, as from the desktop.")] = False


@command("upload", access=Access.INTERACT, toolset="files", acts=True)
async def upload(tab: TabContext, params: Upload) -> UploadAnswer:
    """Check every path by policy first: nothing is uploaded unless all files may be."""
    files = [await tab.files.take(path) for path in params.paths]
    where = params.required_element
    if params.drop:
        return await _drop(tab, where, files)
    element = await tab.page.locate(where)
    control = await element.call("fileInput")
    if control is None:
        return await _through_chooser(tab, where, element, files)
    field = Element.of(element.frame, control)
    node = await backend_node_id(field)
    async with tab.acting():
        try:
            given = await _give(field, control, node, files)
        except CdpError as error:
            if not error.means(Refusal.FILE_NOT_ALLOWED):
                raise _upload_failed(field, error) from error
            # Some browsers let an extension set files only in a file chooser that a click has opened.
            return await _through_chooser(tab, where, field, files)
    return UploadAnswer(files=given, to=field.describe(), how="uploaded")


async def _give(field: Element, control: Mapping[str, Any], node: int, files: Sequence[Path]) -> list[str]:
    """Set the files of a file input, which the agent describes as `control`; return those that the page has got."""
    folders = [path for path in files if await trio.Path(path).is_dir()]
    wrong = ""
    if control["folder"] and len(files) > 1:
        wrong = "takes one folder"
    elif control["folder"] and not folders:
        wrong = "takes a folder, not files"
    elif folders and not control["folder"]:
        wrong = f"takes files, and {folders[0].name} is a folder"
    elif len(files) > 1 and not control["multiple"]:
        wrong = f"takes one file; {len(files)} were given"
    if wrong:
        one = "Give the path of one folder." if control["folder"] else "Give the path of one file."
        raise KaptureError(ErrorCode.UPLOAD_FAILED, f"{field.describe()} {wrong}.", hint=one)
    parameters = {"files": [str(path) for path in files], "backendNodeId": node}
    await field.frame.session.send("DOM.setFileInputFiles", parameters)
    try:
        asked = {"handle": control["handle"], "timeout": _GIVEN_MS}
        given: list[str] = await field.frame.call("givenFiles", asked)
    except KaptureError as error:
        if is_gone(error):
            return _names(files)  # the page has gone away with them
        raise
    if not given:
        raise KaptureError(
            ErrorCode.UPLOAD_FAILED,
            f"{field.describe()} has got no file from the browser.",
            hint="The folder may be empty, or the browser may not read it.",
        )
    return given


async def _through_chooser(tab: TabContext, where: Target, element: Element, files: Sequence[Path]) -> UploadAnswer:
    """Click, and set the files in the file chooser that opens, without showing it."""
    opened = Changed()
    choosers: list[dict[str, Any]] = []
    chooser: dict[str, Any] | None = None

    def on_opened(params: dict[str, Any]) -> None:
        choosers.append(params)
        opened.notify()

    session = element.frame.session
    with session.listening({"Page.fileChooserOpened": on_opened}):
        try:
            await session.send("Page.setInterceptFileChooserDialog", {"enabled": True})
            await tab.invoke("click", {"target": {"ref": element.ref}, "snapshot": "none"})
            with trio.move_on_after(_CHOOSER_OPENS_S):
                while (chooser := _of_a_granted_document(tab, choosers)) is None:
                    await opened.wait()
            if chooser is None:
                raise KaptureError(
                    ErrorCode.UPLOAD_FAILED,
                    f"Clicking {element.describe()} did not open a file chooser.",
                    hint='Target the file input itself, such as input[type="file"], or set drop to true.',
                )
            if "backendNodeId" not in chooser:
                raise KaptureError(
                    ErrorCode.UPLOAD_FAILED,
                    f"Clicking {element.describe()} opened a file picker that belongs to no file input "
                    "(showOpenFilePicker): only the person can choose files there.",
                    hint="Set drop to true if the page takes dropped files, or ask the person to choose the file.",
                )
            frame, node = tab.page.frames.by_id(chooser["frameId"]) or element.frame, chooser["backendNodeId"]
            if (control := await call_on(frame, node, "fileInput")) is None:
                raise KaptureError(ErrorCode.UPLOAD_FAILED, f"{element.describe()} opened a chooser of no file input.")
            async with tab.acting():
                given = await _give(Element.of(frame, control), control, node, files)
        except CdpError as error:
            raise _upload_failed(element, error) from error
        finally:
            # The page may have taken the frame away when it got the files.
            with trio.CancelScope(shield=True), trio.move_on_after(2), suppress(Detached):
                await session.send("Page.setInterceptFileChooserDialog", {"enabled": False})
    return UploadAnswer(files=given, to=element.describe(), how="uploaded")


def _of_a_granted_document(tab: TabContext, choosers: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first file chooser that a granted document has opened. Frames of other sites in the same process are reported
    in the same session, and the files are not for them."""
    for chooser in choosers:
        frame = tab.page.frames.by_id(chooser["frameId"])
        if frame is not None and frame.granted:
            return chooser
    return None


async def _drop(tab: TabContext, where: Target, files: Sequence[Path]) -> UploadAnswer:
    """Drag the files from outside the browser: enter, move over, drop."""
    ready = await tab.page.actions.ready(where, "drop")
    frame = ready.element.frame
    data = {"items": [], "files": [str(path) for path in files], "dragOperationsMask": 1}
    event = {"x": ready.point.x, "y": ready.point.y, "data": data}
    await frame.call("watchDrop", {})
    async with tab.acting():
        enter, over, drop, cancel = (
            InputEvent("Input.dispatchDragEvent", {"type": kind, **event})
            for kind in ("dragEnter", "dragOver", "drop", "dragCancel")
        )
        try:
            await tab.page.actions.send_input([enter, over])
            taken = await frame.call("takesDrop", {})  # else the browser would open the files, each in a tab
            await tab.page.actions.send_input([drop if taken else cancel])
        except PolicyDenied:  # the page has put a frame outside the grant there: the drag is still under way
            await tab.page.actions.send_input([cancel])
            raise
        dropped = await frame.call("droppedFiles", {})
    if not dropped["taken"]:
        raise KaptureError(
            ErrorCode.UPLOAD_FAILED,
            f"{ready.element.describe()} did not take the dropped files.",
            hint=Wording("Target what takes dropped files, or a file input without {drop}."),
        )
    return UploadAnswer(files=dropped["files"], to=ready.element.describe(), how="dropped")


def _upload_failed(element: Element, error: CdpError) -> KaptureError:
    return KaptureError(
        ErrorCode.UPLOAD_FAILED,
        f"The browser rejected the files for {element.describe()}: {error.reason}.",
        hint="Check that the browser may read them: a sandboxed one (Snap, Flatpak) may not.",
    )


def _names(files: Sequence[Path]) -> list[str]:
    return [file.name for file in files]


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
    size = kept.stat().st_size
    path = await tab.files.hand(kept)
    return DownloadAnswer(path=path, bytes=size, type=item.get("mimeType") or "", url=item["url"])


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
