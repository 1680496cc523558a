"""Which file chooser gets the files of an upload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing

from kapture.cdp import PendingReply
from kapture.commands.core.context import TabContext
from kapture.commands.files import Upload, upload
from kapture.errors import ErrorCode, KaptureError
from tests.unit.page.frame_world import World

INTERCEPT = "Page.setInterceptFileChooserDialog"
CONTROL = {"ref": 7, "role": "button", "name": "File", "tag": "input", "handle": -1, "folder": False, "multiple": False}
REPLIES = {
    "DOM.resolveNode": {"object": {"objectId": "7"}},
    "Runtime.callFunctionOn": {"result": {"value": json.dumps({"value": CONTROL, "top": 7})}},
    "Runtime.evaluate": {"result": {"value": json.dumps({"value": ["statement.pdf"], "top": 7})}},
}
NO_INPUT = "M, but a script's"


class Browser(World):
    """A page with a frame `B` of another site in its process. `given` are the nodes that got the files; a click opens
    the file choosers of these frames. `intercepting`: whether they were to be intercepted, in order. `hangs`: that is
    never answered; `leaves`: the frame has gone when the files are uploaded."""

    def __init__(self, *choosers: str) -> None:
        self.given: list[int] = []
        self.intercepting: list[bool] = []
        self.hangs = self.leaves = False
        super().__init__()
        self.choosers = choosers
        self.run_scripts()
        self.attach("B")
        self.navigate("B", "https://secret.example/", origin="https://secret.example")

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == INTERCEPT:
            self.intercepting.append(params["enabled"])
        if method == INTERCEPT and self.hangs:
            return PendingReply()
        if method == INTERCEPT and not params["enabled"] and self.leaves:
            return PendingReply.failed(KaptureError(ErrorCode.DETACHED, "The frame has gone."))
        self.replies[method] = REPLIES.get(method, {})
        if method == "DOM.setFileInputFiles":
            self.given.append(params["backendNodeId"])
        return super().submit(method, params, session_id)

    async def click(self, command: str, arguments: Mapping[str, Any]) -> None:
        for frame in self.choosers:
            node = {} if frame == NO_INPUT else {"backendNodeId": ord(frame)}
            self.event("Page.fileChooserOpened", frameId=frame[0], mode="selectSingle", **node)

    def tab(self) -> TabContext:
        async def no_input(function: str) -> None:
            """It is a button."""

        button = SimpleNamespace(frame=self.tree.main, ref="e1", describe=lambda: "button", call=no_input)

        async def locate(target: object) -> Any:
            return button

        @asynccontextmanager
        async def acting() -> Any:
            yield

        page = SimpleNamespace(frames=self.tree, locate=locate)
        files = SimpleNamespace(check_upload=lambda path, folders_too: path)
        return cast("TabContext", SimpleNamespace(page=page, files=files, invoke=self.click, acting=acting))


ASKED = Upload(target="e1", paths=[str(Path("/uploads/statement.pdf"))])


async def test_a_chooser_of_a_frame_outside_the_grant_gets_no_file(autojump_clock: trio.testing.MockClock) -> None:
    browser = Browser("B")
    with pytest.raises(KaptureError) as caught:
        await upload(browser.tab(), ASKED)
    assert caught.value.code is ErrorCode.UPLOAD_FAILED
    assert browser.given == []


async def test_a_picker_that_belongs_to_no_input_is_refused_with_the_reason() -> None:
    browser = Browser(NO_INPUT)
    with pytest.raises(KaptureError, match="showOpenFilePicker") as caught:
        await upload(browser.tab(), ASKED)
    assert caught.value.code is ErrorCode.UPLOAD_FAILED
    assert caught.value.hint


async def test_a_cancelled_upload_leaves_file_choosers_to_the_person(autojump_clock: trio.testing.MockClock) -> None:
    browser = Browser("M")
    browser.hangs = True
    with trio.move_on_after(10) as scope:
        await upload(browser.tab(), ASKED)
    assert scope.cancelled_caught
    assert browser.intercepting == [True, False]
