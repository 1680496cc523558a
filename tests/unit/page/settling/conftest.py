"""A tab whose browser's events the test sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import pytest
import trio
import trio.testing

from kapture.cdp import CdpConnection, PendingReply
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY
from kapture.page.downloads import Downloads
from kapture.page.network.network_log import NetworkLog
from kapture.page.settling.settle import Watch
from tests.support.cdp_transports import SilentTransport
from tests.support.one_document import REPORT


@attrs.define(eq=False)
class FakeFrame:
    """A main frame whose agent answers at once. `changes_at`: when its document changes, of the test's clock; `moving`:
    until when something moves; `report`: what else its agent reports."""

    connection: CdpConnection
    id: str = "M"
    key: str = ""
    url: str = "https://a.example/"
    policy_url: str = "https://a.example/"
    granted: bool = True
    why_silent: str = ""
    changes_at: list[float] = attrs.field(factory=list)
    moving: float = 0
    report: dict[str, Any] = attrs.field(factory=dict)
    called: list[str] = attrs.field(factory=list)

    @property
    def session(self) -> Any:
        return self.connection.root

    def ref(self, number: int) -> str:
        return f"e{number}"

    def ask(self) -> PendingReply:
        return self.connection.root.submit("Page.getFrameTree")

    async def call(self, function: str, args: Mapping[str, Any] | None = None) -> Any:
        self.called.append(function)
        now = trio.current_time()
        changes = [at for at in self.changes_at if at <= now]
        quiet = 1000 * (now - changes[-1]) if changes else 60_000
        return {**REPORT, "changed": bool(changes), "quiet": quiet, "moving": now < self.moving, **self.report}


class FakeFrames:
    def __init__(self, main: FakeFrame) -> None:
        self.main = main

    def all(self) -> list[FakeFrame]:
        return [self.main]

    def by_id(self, frame_id: str) -> FakeFrame | None:
        return self.main if frame_id == self.main.id else None


class Tab:
    """A page whose events the test sends."""

    def __init__(self) -> None:
        self.connection = CdpConnection(SilentTransport())
        self.main = FakeFrame(self.connection)
        self.frames: Any = FakeFrames(self.main)
        self.gate = lambda url: "secret" not in url and url not in (NOBODY, EVERY_SITE)
        self.downloads = Downloads(self.frames)  # type: ignore[arg-type]
        self.downloads.observe(self.connection.root)
        self.awaited = AwaitedDocument(self.frames)  # type: ignore[arg-type]
        self.children_connect = False
        self.network = NetworkLog(lambda session, frame_id: ())
        self.watch = Watch(self, shows=True)

    def event(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)
        self.watch.on_event(self.connection.root, method, params)

    def request(self, name: str, kind: str = "Fetch") -> None:
        self.event("Network.requestWillBeSent", requestId=name, type=kind, request={"url": f"https://a.example/{name}"})

    def respond(self, name: str, kind: str = "Fetch") -> None:
        self.event("Network.loadingFinished", requestId=name, type=kind)

    def answer(self, name: str, headers: dict[str, str], mime_type: str = "application/json") -> None:
        response = {"headers": headers, "mimeType": mime_type}
        self.event("Network.responseReceived", requestId=name, type="Fetch", response=response)

    def start(self, url: str = "https://a.example/new") -> None:
        self.event(
            "Page.frameStartedNavigating", frameId="M", url=url, loaderId="L1", navigationType="differentDocument"
        )

    def commit(self, url: str = "https://a.example/new") -> None:
        self.event("Page.frameNavigated", frame={"id": "M", "url": url, "loaderId": "L1"})

    def download(self, url: str, name: str, frame: str = "M") -> None:
        self.event("Page.downloadWillBegin", frameId=frame, guid="d1", url=url, suggestedFilename=name)

    def parsed(self) -> None:
        self.event("Page.lifecycleEvent", frameId="M", loaderId="L1", name="DOMContentLoaded")

    async def settle(self) -> float:
        """How long it took by the test's clock, which stands still while anything can go on."""
        began = trio.current_time()
        await self.watch.settle()
        return trio.current_time() - began


@pytest.fixture
async def tab() -> Tab:
    return Tab()
