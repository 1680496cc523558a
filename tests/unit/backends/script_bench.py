"""A tab of the extension whose one debugger session a script gets; a test answers what is sent on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import CdpTransport
from kapture.errors import KaptureError
from kapture.wire.envelope import WireError
from tests.unit.backends.extension_bench import Bench

SITE = "https://granted.example/"
MAIN = {"id": "main", "url": SITE, "loaderId": "L", "securityOrigin": "https://granted.example"}
ANSWERS: dict[str, Any] = {
    "Page.getFrameTree": {"frameTree": {"frame": MAIN}},
    "Page.addScriptToEvaluateOnNewDocument": {"identifier": "1"},
}
FOLLOWING = [
    "Emulation.setFocusEmulationEnabled",
    "Target.getTargetInfo",
    "Page.enable",
    "Page.getFrameTree",
    "Runtime.enable",
    "Target.setAutoAttach",
]
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


class World:
    """A tab whose extension is fed by hand, and what the script sees."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.bench = Bench("cdp_renew")
        self.nursery = nursery
        self.events: list[tuple[str, str | None]] = []
        self.attached: list[str] = []
        self.second_attached: list[str] = []
        self.refused: KaptureError | None = None
        self._leave: Callable[[], object] = lambda: None

    def deliver(self, method: str, params: dict[str, Any], session_id: str | None) -> None:
        self.events.append((method, session_id))
        if method == "Target.attachedToTarget":
            self.attached.append(params["sessionId"])

    async def begin(self) -> None:
        """A script asks for the session; the extension has not answered yet."""
        self.nursery.start_soon(self._hold)
        await wait_all_tasks_blocked()

    async def hold(self) -> CdpTransport:
        """A script has the session."""
        await self.begin()
        await self.answer()
        return self.transport

    async def _hold(self) -> None:
        try:
            with trio.CancelScope() as scope:
                self._leave = scope.cancel
                async with self.bench.backend.script_session(self.deliver, lambda: False) as self.transport:
                    await trio.sleep_forever()
        except KaptureError as error:
            self.refused = error

    @asynccontextmanager
    async def second(self) -> AsyncIterator[tuple[CdpTransport, list[tuple[str, str | None]]]]:
        """Another session of the script, and its events."""
        events: list[tuple[str, str | None]] = []

        def deliver(method: str, params: dict[str, Any], session_id: str | None) -> None:
            events.append((method, session_id))
            if method == "Target.attachedToTarget":
                self.second_attached.append(params["sessionId"])

        async with self.bench.backend.script_session(deliver, lambda: False) as transport:
            yield transport, events

    async def leave(self) -> None:
        self._leave()
        await wait_all_tasks_blocked()

    async def answer(self, **errors: WireError) -> list[tuple[str, Any]]:
        """Answer all that is sent; it: commands of the wire, and of CDP by their methods."""
        answered = []
        while frames := self.bench.sent():
            for frame in frames:
                method = frame["params"].get("method", frame["command"])
                answered.append((method, frame["params"].get("params", {})))
                self.bench.respond(frame["id"], ANSWERS.get(method, {}), errors.get(method))
            await wait_all_tasks_blocked()
        return answered

    def event(self, method: str, session_id: str | None = None, /, **params: Any) -> None:
        self.bench.event("cdp", method=method, params=params, session_id=session_id)

    def frame_attached(self, session_id: str, url: str = SITE) -> None:
        target = {"targetId": f"F{session_id}", "type": "iframe", "url": url, "parentFrameId": "main"}
        self.event("Target.attachedToTarget", sessionId=session_id, targetInfo=target)


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        there = World(nursery)
        nursery.start_soon(there.bench.backend.serve, lambda url: "granted" in url)
        await there.bench.backend.page()
        yield there
        nursery.cancel_scope.cancel()
