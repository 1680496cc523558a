"""Simulated tabs: the hub's own code on one end of an in-memory socket, a scripted tab on the other."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import attrs
import pytest
import trio
from msgspec import Meta
from trio_websocket import ConnectionClosed

from kapture.commands.core.answer import Answer
from kapture.commands.core.recorder import RecorderView
from kapture.commands.core.registry import Access, Lane, all_commands, command, unregister
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client, Credentials, Hub
from kapture.pairing import KeyFile, Pairing, TabProof, key_file
from kapture.pairing.proof import decode
from kapture.policy import Policy
from kapture.policy.audit import AuditLog
from kapture.policy.policy_file import PolicyFile
from kapture.settings import Limits, Settings


@attrs.frozen(kw_only=True)
class Echo:
    """Say it back."""

    word: Annotated[str, Meta(description="Anything.")] = ""
    selector: str | None = None


async def _never_here(tab: Any, params: Echo) -> Answer:
    raise AssertionError("a self-executing tab runs it")


@contextmanager
def test_commands() -> Iterator[None]:
    """`t_echo` (queued), `t_peek` (control lane), `t_act` (interact), `t_full` (full): for simulated tabs only."""
    if any(one.name == "t_echo" for one in all_commands()):  # of another hub in the same test
        yield
        return
    command("t_echo", access=Access.READ)(_never_here)
    command("t_peek", access=Access.READ, lane=Lane.CONTROL)(_never_here)
    command("t_act", access=Access.INTERACT, acts=True)(_never_here)
    command("t_full", access=Access.FULL)(_never_here)
    try:
        yield
    finally:
        for name in ("t_echo", "t_peek", "t_act", "t_full"):
            unregister(name)


test_commands.__test__ = False  # type: ignore[attr-defined]


class Pipe:
    """One direction of a socket: frames, and how it ended."""

    def __init__(self) -> None:
        self.send, self.receive = trio.open_memory_channel[Any](1_000)


class HubEnd:
    """`kapture.hub.tab_session.TabSocket` for the hub. `pongs`: its WebSocket answers pings."""

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self.closed: SimpleNamespace | None = None
        self.stalled = False
        self.pongs = False
        self.pings = 0

    def _check(self) -> None:
        if self.closed is not None:
            raise ConnectionClosed(self.closed)  # type: ignore[arg-type]

    async def get_message(self) -> str | bytes:
        await trio.lowlevel.checkpoint()
        self._check()
        frame = await self._incoming.receive.receive()
        if isinstance(frame, SimpleNamespace):
            self.closed = frame
            await self._outgoing.send.send(frame)
        self._check()
        return frame  # type: ignore[no-any-return]

    async def send_message(self, message: str) -> None:
        self._check()
        if self.stalled:
            await trio.sleep_forever()
        await self._outgoing.send.send(message)

    async def ping(self) -> None:
        self._check()
        self.pings += 1
        if not self.pongs:
            await trio.sleep_forever()

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()
        if self.closed is None:
            self.closed = SimpleNamespace(code=code, reason=reason)
            await self._outgoing.send.send(SimpleNamespace(code=code, reason=reason or ""))


class SimulatedTab:
    """The tab's end. Sends and receives messages as mappings; answers `ping` by itself while `alive`."""

    def __init__(self, hub_end: HubEnd, to_hub: Pipe, from_hub: Pipe) -> None:
        self.hub_end = hub_end
        self._to_hub = to_hub
        self._from_hub = from_hub
        self.alive = True
        self.closed: SimpleNamespace | None = None

    async def raw(self, frame: str | bytes) -> None:
        await self._to_hub.send.send(frame)

    async def send(self, **message: Any) -> None:
        await self.raw(json.dumps(message))

    async def close(self, code: int = 1006) -> None:
        await self._to_hub.send.send(SimpleNamespace(code=code, reason=""))

    async def receive(self, *types: str) -> dict[str, Any]:
        """The next message of one of these types (any but ping when none are given); None-like after the end."""
        while True:
            frame = await self._from_hub.receive.receive()
            if isinstance(frame, SimpleNamespace):
                self.closed = frame
                return {"type": "closed", "code": frame.code, "reason": frame.reason}
            message: dict[str, Any] = json.loads(frame)
            if message["type"] == "ping":
                if self.alive:
                    await self.send(type="pong", ts=message["ts"])
                if "ping" not in types:
                    continue
            if message["type"] == "activity" and "activity" not in types:
                continue
            if not types or message["type"] in types:
                return message

    async def register(self, tab_id: str = "tab1", **more: Any) -> dict[str, Any]:
        await self.send(type="register", tabId=tab_id, **more)
        return await self.receive("registered", "refused")

    async def answer(self, message: Mapping[str, Any], result: Any = "ok") -> None:
        await self.send(type="response", id=message["id"], success=True, result=result, error=None)

    async def answer_all(self) -> None:
        """Echo every command until the socket ends."""
        while (message := await self.receive("command", "closed"))["type"] == "command":
            await self.answer(message, message["params"].get("word", "ok"))


class Caught:
    """Return the outcome of a call in the background: its answer, or its error's code."""

    def __init__(self) -> None:
        self.value: Any = None
        self.done = trio.Event()
        self.scope = trio.CancelScope()

    async def run(self, call: Awaitable[Any]) -> None:
        with self.scope:
            try:
                self.value = await call
            except KaptureError as error:
                self.value = error.code
        self.done.set()

    async def wait(self) -> Any:
        await self.done.wait()
        return self.value


async def fails(code: ErrorCode, call: Awaitable[Any]) -> KaptureError:
    """The error that this call must end with."""
    with pytest.raises(KaptureError) as failure:
        await call
    assert failure.value.code is code, failure.value
    return failure.value


class World:
    """A hub and a way to connect simulated tabs to it."""

    def __init__(self, hub: Hub, nursery: trio.Nursery, client: Client, leave: ExitStack, secrets: KeyFile) -> None:
        self.leave = leave
        self.secrets = secrets
        self.hub = hub
        self.nursery = nursery
        self.client = client

    def connect(self, *, token: bool = True, extension: bool = False) -> SimulatedTab:
        to_hub, from_hub = Pipe(), Pipe()
        end = HubEnd(to_hub, from_hub)
        self.nursery.start_soon(self.hub.serve_tab, end, Credentials(token=token, extension=extension))
        return SimulatedTab(end, to_hub, from_hub)

    async def connect_proven(self) -> SimulatedTab:
        """A socket whose other end has proved that it holds the key, as an extension does."""
        socket = self.connect(token=False, extension=self.hub.state.settings.no_pairing)
        await prove(socket, self.secrets.key)
        return socket

    def start(self, call: Awaitable[Any]) -> Caught:
        caught = Caught()
        self.nursery.start_soon(caught.run, call)
        return caught

    async def tab(self, tab_id: str = "tab1", **register: Any) -> SimulatedTab:
        """A tab that has proved that it holds the key."""
        tab = await self.connect_proven()
        assert (await tab.register(tab_id, **register))["type"] == "registered"
        return tab

    async def token_tab(self, tab_id: str = "tab1", **register: Any) -> SimulatedTab:
        """A tab of a program that has shown the client token."""
        tab = self.connect()
        assert (await tab.register(tab_id, **register))["type"] == "registered"
        return tab

    async def call(self, name: str, tab_id: str = "tab1", **arguments: Any) -> str:
        result = await self.hub.call(self.client, name, {"tabId": tab_id, **arguments})
        return result.text


async def prove(tab: SimulatedTab, key: str) -> TabProof:
    """Do a tab's part of the mutual proof."""
    challenge = await tab.receive("challenge")
    raw = decode(key)
    assert raw is not None
    proof = TabProof(raw)
    nonce, mac = proof.answer(challenge["nonce"])
    await tab.send(type="proof", nonce=nonce, mac=mac)
    proof.verify((await tab.receive("proof"))["mac"])
    return proof


@asynccontextmanager
async def world(
    home: Path,
    *,
    limits: Limits | None = None,
    audit: AuditLog | None = None,
    rules: PolicyFile | None = None,
    recorder: RecorderView | None = None,
    **settings: Any,
) -> AsyncIterator[World]:
    """A hub without a port, with one client."""
    made = Settings(home=home, limits=limits or Limits(), **settings)
    policy = Policy(home=home, rules=rules or PolicyFile(), safe_mode=made.safe_mode, open_port=made.no_pairing)
    pairing = Pairing(home)
    pairing.write_key_file(made.port)
    with test_commands(), trio.fail_after(10_000):  # of simulated time: a test that hangs fails at once
        async with (
            Hub.open(made, pairing=pairing, policy=policy, audit=audit, recorder=recorder) as hub,
            trio.open_nursery() as nursery,
        ):
            with ExitStack() as leave:
                client = leave.enter_context(hub.client(name="tester", kind="cli"))
                yield World(hub, nursery, client, leave, key_file.read(home))
            nursery.cancel_scope.cancel()
