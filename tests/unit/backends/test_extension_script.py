"""A script that has the one debugger session of a tab of the extension: what passes, and how the hub gets it back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.backends.backend import DeliverEvent
from kapture.cdp import CdpTransport
from kapture.errors import ErrorCode, KaptureError
from kapture.wire.envelope import WireError
from tests.unit.backends.extension_bench import Bench

SITE = "https://granted.example/"
MAIN = {"id": "main", "url": SITE, "loaderId": "L", "securityOrigin": "https://granted.example"}
ANSWERS: dict[str, Any] = {"Page.getFrameTree": {"frameTree": {"frame": MAIN}}}
FOLLOWING = ["Page.enable", "Page.getFrameTree", "Target.setAutoAttach"]
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


class World:
    """A tab whose extension is fed by hand, and what the script sees."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.bench = Bench("cdp_renew")
        self.nursery = nursery
        self.events: list[tuple[str, str | None]] = []
        self.attached: list[str] = []
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
                async with self.bench.backend.script_session(self.deliver) as self.transport:
                    await trio.sleep_forever()
        except KaptureError as error:
            self.refused = error

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


async def test_a_script_gets_a_new_session_and_the_page_is_set_up_anew_after_it() -> None:
    async with world() as there:
        page = there.bench.backend.current_page
        await there.begin()
        assert (there.bench.backend.current_page, there.bench.backend.why_detached) == (None, None)
        there.event("Network.dataReceived")  # of the session that the hub had
        sent = await there.answer()
        assert [method for method, _ in sent] == ["cdp_renew", *FOLLOWING]
        there.event("Network.dataReceived")
        assert there.events == [("Network.dataReceived", None)]
        await there.leave()
        assert await there.answer() == [("cdp_renew", {})]
        assert there.bench.backend.current_page not in (None, page)
        there.event("Network.dataReceived")
        assert len(there.events) == 1


async def test_what_the_hub_has_enabled_for_itself_is_kept_from_the_script() -> None:
    async with world() as there:
        script = await there.hold()
        moved = {"frameId": "main", "url": SITE + "moved"}
        there.event("Page.navigatedWithinDocument", **moved)
        script.submit("Page.enable", {}, None)
        there.event("Page.navigatedWithinDocument", **moved)
        assert script.submit("Page.disable", {}, None).done
        there.event("Page.navigatedWithinDocument", frameId="main", url=SITE + "last")
        assert there.events == [("Page.navigatedWithinDocument", None)]
        assert "Page.disable" not in [method for method, _ in await there.answer()]
        assert there.bench.backend.address.url == SITE + "last"


async def test_frames_that_the_hub_has_attached_to_are_announced_when_the_script_asks_for_them() -> None:
    async with world() as there:
        script = await there.hold()
        there.frame_attached("S1")
        there.frame_attached("S2")
        there.event("Target.detachedFromTarget", sessionId="S1")
        assert there.events == []
        script.submit("Target.setAutoAttach", {**AUTO_ATTACH, "filter": [{"type": "worker"}]}, None)
        assert there.events == []
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        there.frame_attached("S3")
        assert there.attached == ["S2", "S3"]


async def test_a_script_that_wants_no_frames_any_more_loses_them_and_the_hub_does_not() -> None:
    async with world() as there:
        script = await there.hold()
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        there.frame_attached("S1")
        await there.answer()
        no_more = {**AUTO_ATTACH, "autoAttach": False}
        script.submit("Target.setAutoAttach", no_more, None)
        there.event("Target.detachedFromTarget", sessionId="S1")
        there.frame_attached("S2")
        sent = [params["autoAttach"] for method, params in await there.answer() if method == "Target.setAutoAttach"]
        assert sent[:2] == [False, True]
        assert there.events[-1] == ("Target.detachedFromTarget", None)
        assert there.attached == ["S1"]


async def test_the_documents_of_frames_are_known_as_long_as_the_script_holds_the_tab() -> None:
    async with world() as there:
        script = await there.hold()
        there.frame_attached("S", "https://other.example/")
        refused = script.submit("Target.detachFromTarget", {"sessionId": "S"}, None)
        assert refused.error is not None
        assert refused.error.code is ErrorCode.UNSUPPORTED
        assert there.bench.backend.documents is not None
        urls = [frame.policy_url for frame in there.bench.backend.documents.frames.all()]
        assert urls == [SITE, "https://other.example/"]


async def test_a_tab_gives_a_script_no_second_session() -> None:
    async with world() as there:
        await there.hold()
        deliver: DeliverEvent = there.deliver
        with pytest.raises(KaptureError, match="one debugger session a tab") as refused:
            async with there.bench.backend.script_session(deliver):
                pass
        assert refused.value.code is ErrorCode.UNSUPPORTED
        there.event("Network.dataReceived")
        assert there.events, "the first one goes on"


async def test_the_next_script_waits_until_the_hub_has_the_tab_again() -> None:
    async with world() as there:
        await there.hold()
        await there.leave()
        await there.begin()
        sent = await there.answer()
        assert [method for method, _ in sent][:2] == ["cdp_renew", "cdp_renew"]
        assert len(there.bench.opened) == 2
        assert there.bench.backend.documents is not None
        assert there.bench.backend.current_page is None


async def test_a_script_that_leaves_before_its_session_is_there_never_gets_it() -> None:
    async with world() as there:
        await there.begin()
        await there.leave()
        sent = await there.answer()
        assert [method for method, _ in sent] == ["cdp_renew", "cdp_renew"]
        there.event("Network.dataReceived")
        assert there.events == []
        assert len(there.bench.opened) == 2
        assert there.bench.backend.current_page is not None


async def test_the_hub_gets_a_tab_back_to_which_a_script_has_sent_more_than_it_reads() -> None:
    async with world() as there:
        script = await there.hold()
        there.bench.outbox.buffered_bytes = 1_000_000
        with pytest.raises(KaptureError, match="reads too slowly"):
            script.submit("Runtime.evaluate", {"expression": "1"}, None)
        await there.leave()
        await there.answer()
        assert there.bench.backend.current_page is not None


async def test_a_session_that_chrome_ends_is_the_scripts_no_more_and_the_next_one_is_the_hubs() -> None:
    async with world() as there:
        script = await there.hold()
        there.bench.event("detached", reason="replaced", message="Chrome has ended it.")
        there.bench.event("attached")
        with pytest.raises(KaptureError, match="Chrome has ended it"):
            script.submit("Runtime.enable", {}, None)
        await there.leave()
        await there.answer()
        assert len(there.bench.opened) == 2
        assert there.bench.backend.current_page is not None


async def test_a_tab_that_cannot_be_attached_to_anew_has_no_session_and_says_why() -> None:
    async with world() as there:
        await there.begin()
        await there.answer(cdp_renew=WireError(code="DETACHED", message="Chrome keeps this page to itself."))
        assert there.refused is not None
        assert there.refused.message == "Chrome keeps this page to itself."
        assert there.bench.backend.why_detached == "Chrome keeps this page to itself."
        there.bench.event("attached")
        await wait_all_tasks_blocked()
        assert there.bench.backend.current_page is not None


async def test_a_dialog_that_a_script_leaves_open_is_dismissed() -> None:
    async with world() as there:
        await there.hold()
        there.event("Page.javascriptDialogOpening", url=SITE, message="Sure?", type="confirm", hasBrowserHandler=False)
        await there.leave()
        sent = await there.answer()
        assert sent == [("Page.handleJavaScriptDialog", {"accept": False}), ("cdp_renew", {})]
