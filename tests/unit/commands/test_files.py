"""Which file chooser gets the files of an upload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from kapture.cdp import PendingReply
from kapture.commands.core.context import TabContext
from kapture.commands.files import Upload, _complete, upload
from kapture.commands.permissions import Permissions, permissions
from kapture.errors import DownloadFailed, ErrorCode, KaptureError, PolicyDenied, TabDisconnected
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

        async def take(path: str) -> Path:
            return Path(path)

        files = SimpleNamespace(take=take)
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


# A download that is refused: for where it comes from, and while it is asked after twice at once.


@attrs.define
class Answers:
    """A tab whose browser answers to each step with an error, to all of them at the same moment."""

    errors: dict[str, KaptureError]

    @property
    def browser(self) -> Answers:
        return self

    @property
    def files(self) -> Answers:
        return self

    def max_download_bytes(self) -> int:
        return 100

    async def download(self, step: dict[str, Any]) -> dict[str, Any]:
        await trio.lowlevel.cancel_shielded_checkpoint()
        raise self.errors[step["action"]]


DENIED = PolicyDenied(ErrorCode.POLICY_DENIED, "Outside the grant.")
GONE = DownloadFailed(ErrorCode.DOWNLOAD_FAILED, "This tab has no download 1.")
AWAY = TabDisconnected(ErrorCode.TAB_DISCONNECTED, "The tab is gone.")


@pytest.mark.parametrize(
    ("wait", "status", "told"),
    [(DENIED, DENIED, DENIED), (GONE, DENIED, DENIED), (DENIED, GONE, DENIED), (AWAY, AWAY, AWAY)],
)
async def test_the_reason_is_told_once_and_a_refusal_before_what_it_led_to(
    wait: KaptureError, status: KaptureError, told: KaptureError
) -> None:
    tab: Any = Answers({"wait": wait, "status": status})
    with pytest.raises(type(told)) as caught:
        await _complete(tab, 1)
    assert caught.value is told


@attrs.define
class Redirected:
    """A tab that may open `https://a.example/`, whose browser downloads from elsewhere: `ends` at this address when it
    is complete, which is soon or, if it `runs`, never."""

    ends: str
    runs: bool = False
    url: str = "https://a.example/"

    @property
    def page(self) -> Redirected:
        return self

    @property
    def browser(self) -> Redirected:
        return self

    @property
    def files(self) -> Redirected:
        return self

    def gate(self, url: str) -> bool:
        return url.startswith("https://a.example/")

    def max_download_bytes(self) -> int:
        return 100

    async def progress(self, *_: Any) -> None:
        await trio.lowlevel.checkpoint()

    async def download(self, step: dict[str, Any]) -> dict[str, Any]:
        if step["action"] == "wait":
            await trio.sleep(float("inf") if self.runs else 0)
            return {"state": "complete", "url": self.ends, "bytes": 1}
        return {"url": self.ends if self.runs else self.url, "bytes": 1}


@pytest.mark.parametrize("runs", [True, False], ids=["while it runs", "when it is complete"])
async def test_a_download_that_was_redirected_out_of_the_grant_is_refused(runs: bool, autojump_clock: Any) -> None:
    tab: Any = Redirected("https://b.example/", runs=runs)
    with trio.fail_after(60), pytest.raises(PolicyDenied):
        await _complete(tab, 1)
    tab = Redirected("https://a.example/file")
    assert (await _complete(tab, 1))["url"] == "https://a.example/file"


# Permissions: of the site that is granted, also when the tab has gone elsewhere since the call was admitted.


async def test_no_permission_is_set_for_a_site_outside_the_grant_that_the_tab_has_gone_to(
    autojump_clock: MockClock,
) -> None:
    world = World()
    given: list[tuple[str, str]] = []

    async def permission(name: str, setting: str) -> None:
        given.append((name, setting))

    tab = SimpleNamespace(page=SimpleNamespace(frames=world.tree), browser=SimpleNamespace(permission=permission))
    world.navigate("M", "https://secret.example/", None)
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await permissions(cast("TabContext", tab), Permissions(name="geolocation", setting="allow"))
    assert given == []
