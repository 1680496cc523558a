"""Uploading files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import attrs
import trio
from msgspec import Meta

from kapture.cdp import CdpError, Refusal, is_gone
from kapture.changed import Changed
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.core.targets import ElementRequired
from kapture.commands.formatters.files import UploadAnswer
from kapture.errors import Detached, ErrorCode, KaptureError, PolicyDenied, Wording
from kapture.page.element import Element
from kapture.page.input.input_queue import InputEvent
from kapture.page.remote_objects import backend_node_id, call_on
from kapture.page.target import Target

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
    files = [tab.files.check_upload(Path(path), folders_too=True) for path in params.paths]
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
            await tab.page.actions.send_input([enter, over, drop])
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
