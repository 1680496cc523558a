"""A hub with tabs whose CDP sessions are scripted, and a script's end of a `/cdp` connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import trio
from trio_websocket import ConnectionClosed

from kapture.backends.backend import Address, Backend, DeliverEvent, ScriptSessions, TabListener, TabPanel, Traffic
from kapture.cdp import CdpCommand, CdpConnection, CdpError, PendingReply
from kapture.changed import Changed
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import TabContext
from kapture.commands.navigation import Stopped
from kapture.endpoints.cdp.script import Script
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Hub
from kapture.hub.tabs.tab import Identity, Tab
from kapture.pairing import Pairing
from kapture.policy import Grant, Policy
from kapture.settings import Limits, Settings
from kapture.wire import extension_messages

LOST = KaptureError(ErrorCode.TAB_DISCONNECTED, "The tab has gone.")
UNANSWERED = "Runtime.awaitPromise"
"""A method that the scripted browser does not answer by itself."""

_CHROME = extension_messages.Browser(name="Chrome", version="150.0.1")
_REFUSED = {"DOM.focus": ("Invalid parameters", -32602, "params.nodeId: missing")}


class ScriptSession:
    """One session of a tab: what was sent on it; it answers at once with what was sent."""

    def __init__(self, deliver: DeliverEvent) -> None:
        self.deliver = deliver
        self.sent: list[tuple[str, Mapping[str, Any], str | None]] = []
        self.picture = ""  # the answer to `Page.captureScreenshot`
        self.unanswered: list[PendingReply] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append((method, params, session_id))
        reply = PendingReply()
        if method == "Page.captureScreenshot":
            reply.resolve({"data": self.picture})
        elif method in _REFUSED:
            reply.fail(CdpError(method, *_REFUSED[method]))
        elif method.startswith("HeapProfiler."):
            reply.fail(CdpError(method, f"'{method}' wasn't found", -32601))
        elif method == UNANSWERED:
            self.unanswered.append(reply)
        else:
            reply.resolve({"echo": method})
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        raise AssertionError("a script sends one command at a time")


@attrs.define(eq=False)
class FakeBackend:
    """A tab of a browser that the hub reaches over CDP."""

    tab_id: str
    gate: Any = None
    url: str = "https://a.example/"
    opener: str | None = None
    browser: extension_messages.Browser = _CHROME
    executes_itself: bool = False
    has_sessions: bool = True
    paused: str | None = None
    listener: TabListener = attrs.field(factory=TabListener)
    closing: bool = False
    owner: str = "browser"
    inherited_url: str | None = None
    blocked: KaptureError | None = None
    why_detached: str | None = None
    why_left: str = ""
    item: dict[str, Any] = attrs.field(factory=dict)
    appears: trio.Event | None = None
    download_steps: list[str] = attrs.field(factory=list)
    arrives: trio.Event = attrs.field(factory=trio.Event)
    answered: Changed = attrs.field(factory=Changed)
    sessions: list[ScriptSession] = attrs.field(factory=list)
    release: trio.Event = attrs.field(factory=trio.Event)
    ran: list[str] = attrs.field(factory=list)
    shown: list[str | None] = attrs.field(factory=list)

    @property
    def scripts(self) -> ScriptSessions | None:
        return cast("ScriptSessions", self) if self.has_sessions else None

    @property
    def panel(self) -> TabPanel:
        return cast("TabPanel", self)

    can_ask_person = False

    @property
    def address(self) -> Address:
        return Address(url=self.url, title="A")

    @property
    def traffic(self) -> Traffic:
        return Traffic(pending_requests=0, late=0, unsolicited=0, buffered_bytes=0, last_message_at=0)

    @property
    def current_page(self) -> Any:
        """A page with one frame."""
        root = CdpConnection(ScriptSession(lambda *_: None)).root
        context = SimpleNamespace(frame_id=f"T-{self.tab_id}", context_id="u1", origin=self.url.rstrip("/"))
        frame = SimpleNamespace(
            id=context.frame_id,
            session=root,
            granted=self.gate(self.url),
            policy_url=self.url,
            origin=context.origin,
            current_context=lambda world: context,
        )
        frames = SimpleNamespace(
            known=True,
            main=frame,
            all=lambda: [frame],
            by_id=lambda frame_id: frame if frame_id == frame.id else None,
            top_of=lambda session: frame,
            context_of_page=lambda session, number: context if number in (1, "u1") else None,
        )
        tools, recording = SimpleNamespace(known=[]), SimpleNamespace(active=False)
        shown = SimpleNamespace(clear=trio.lowlevel.checkpoint)
        return SimpleNamespace(frames=frames, gate=self.gate, tools=tools, recording=recording, shown=shown)

    @property
    def documents(self) -> Any:
        return self.current_page

    async def ready(self) -> None:
        await trio.lowlevel.checkpoint()

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """As docs/PROTOCOL.md lists the steps; `find` takes as long as `appears` does, `wait` as `arrives`."""
        self.download_steps.append(params["action"])
        if params["action"] == "find" and self.appears is not None:
            await self.appears.wait()
        if params["action"] == "wait":
            await self.arrives.wait()
            return self.item
        return {"id": 7} if params["action"] == "find" else {}

    async def unblocked(self) -> None:
        while self.blocked is not None:
            await self.answered.wait()

    def answer_dialog(self) -> None:
        self.blocked = None
        self.answered.notify()

    @asynccontextmanager
    async def script_session(
        self, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AsyncIterator[ScriptSession]:
        session = ScriptSession(deliver)
        self.sessions.append(session)
        try:
            yield session
        finally:
            self.sessions.remove(session)

    async def run(self, call: TabContext) -> CallResult:
        self.ran.append(call.command.name)
        if call.command.name == "evaluate":
            await self.release.wait()
        return CallResult(answer=Stopped(), text="done", data={})

    def show_pauses(self, clients: Sequence[str], *, everywhere: bool) -> None:
        """Shown to nobody."""

    def show_owner(self, owner: Mapping[str, str] | None) -> None:
        return

    def show_hold(self, held_by: Mapping[str, str] | None) -> None:
        self.shown.append(held_by["client"] if held_by is not None else None)

    def command_begun(self, call: str, command: Any) -> None:
        """Not looked at."""

    def command_ended(self, ended: Any, *, at_once: bool) -> None:
        return


class World:
    """The hub, and what is done to it."""

    def __init__(self, hub: Hub, nursery: trio.Nursery) -> None:
        self.hub = hub
        self.nursery = nursery

    def tab(
        self, tab_id: str, sites: Sequence[str] = ("*",), level: str = "full", kind: str = "launch", **more: Any
    ) -> FakeBackend:
        """A connected tab."""
        backend = FakeBackend(tab_id, **more)
        router = self.hub.state.router
        tab = router.register(cast("Backend", backend), Identity(kind=kind, instance="i"), lambda: None)
        tab.grant = Grant.make(sites, level)
        backend.gate = self.hub.state.consent.gate(tab)
        self.hub.state.events.publish("tab_connected", tab_id)
        return backend

    def gone(self, backend: FakeBackend) -> None:
        self.hub.state.router.unregister(self.at(backend), cast("Backend", backend), LOST, left=True)

    def at(self, backend: FakeBackend) -> Tab:
        return self.hub.state.router.connected[backend.tab_id]

    @asynccontextmanager
    async def script(self) -> AsyncIterator[ScriptEnd]:
        """A connected script; it leaves with the block."""
        end = ScriptEnd()
        ended = trio.Event()

        async def serve() -> None:
            with self.hub.client(name="Playwright", version="1", kind="cdp") as client:
                await Script(self.hub, client, end).run()
            ended.set()

        self.nursery.start_soon(serve)
        yield end
        end.leave()
        await ended.wait()


class ScriptEnd:
    """The hub's socket, and the script's end of it."""

    def __init__(self) -> None:
        self._to_hub, self._at_hub = trio.open_memory_channel[str | None](1_000)
        self._to_script, self._at_script = trio.open_memory_channel[str](10_000)
        self._next = 0
        self.events: list[dict[str, Any]] = []
        self.closed: tuple[int, str | None] | None = None
        self.closing = trio.Event()
        self.reads = True
        self._reads_again = Changed()

    async def get_message(self) -> str:
        frame = await self._at_hub.receive()
        if frame is None:
            raise ConnectionClosed(cast("Any", None))
        return frame

    async def send_message(self, message: str) -> None:
        while not self.reads:
            await self._reads_again.wait()
        await self._to_script.send(message)

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()
        self.closed = self.closed or (code, reason)
        self.closing.set()

    def read_again(self) -> None:
        self.reads = True
        self._reads_again.notify()

    def leave(self) -> None:
        self._to_hub.send_nowait(None)

    async def post(self, method: str, params: Mapping[str, Any] | None = None, session: str | None = None) -> int:
        self._next += 1
        message = {"id": self._next, "method": method, "params": params or {}}
        await self.post_text(json.dumps(message | ({} if session is None else {"sessionId": session})))
        return self._next

    async def post_text(self, frame: str) -> None:
        await self._to_hub.send(frame)

    async def send(self, method: str, params: Mapping[str, Any] | None = None, session: str | None = None) -> Any:
        """The result; or the error, as a mapping with `code` and `message`. Events before it are kept."""
        number = await self.post(method, params, session)
        while (message := json.loads(await self._at_script.receive())).get("id") != number:
            self.events.append(message)
        assert message.get("sessionId") == session
        return message["result"] if "result" in message else message["error"]

    async def message(self) -> dict[str, Any]:
        """The next message as it comes."""
        return dict(json.loads(await self._at_script.receive()))

    async def event(self, method: str) -> dict[str, Any]:
        """The parameters of the next event of this name, which may have come before."""
        while True:
            for number, event in enumerate(self.events):
                if event["method"] == method:
                    return dict(self.events.pop(number)["params"])
            self.events.append(await self.message())

    async def attach(self, target_id: str) -> str:
        """A session of a target."""
        answer = await self.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        return str(answer["sessionId"])


@asynccontextmanager
async def world(home: Path, limits: Limits | None = None) -> AsyncIterator[World]:
    """A hub without a port."""
    settings = Settings(home=home, limits=limits or Limits())
    with trio.fail_after(10_000):  # of simulated time
        async with (
            Hub.open(settings, pairing=Pairing(home), policy=Policy(home=home)) as hub,
            trio.open_nursery() as nursery,
        ):
            yield World(hub, nursery)
            nursery.cancel_scope.cancel()
