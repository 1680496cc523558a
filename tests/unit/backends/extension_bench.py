"""A tab of the extension whose messages a test sees and answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from kapture.backends.extension.extension import ExtensionBackend
from kapture.backends.outbox import Outbox
from kapture.cdp import CdpConnection
from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.page.typed_secrets import TypedSecrets
from kapture.wire import messages
from kapture.wire.envelope import WireError


@attrs.define
class FakeDialogs:
    error: KaptureError | None = None

    def blocked(self) -> KaptureError | None:
        return self.error


@attrs.define(eq=False)
class FakePageTools:
    changed: Changed = attrs.field(factory=Changed)


@attrs.define
class FakeFrames:
    """No frame: none has crashed."""

    def all(self) -> list[Any]:
        return []


@attrs.define
class FakePage:
    connection: CdpConnection
    gate: Any
    children_connect: bool = False
    frames: FakeFrames = attrs.field(factory=FakeFrames)
    on_blocked: Any = None
    dialogs: FakeDialogs = attrs.field(factory=FakeDialogs)
    children: list[str] = attrs.field(factory=list)
    dropped: int = 0
    tools: FakePageTools = attrs.field(factory=lambda: FakePageTools())
    title_changed: Changed = attrs.field(factory=Changed)
    typed_secrets: TypedSecrets = attrs.field(factory=TypedSecrets)

    @property
    def console(self) -> FakePage:
        return self

    def note_dropped(self, count: int) -> None:
        self.dropped += count

    def child_opened(self, tab_id: str) -> None:
        self.children.append(tab_id)


def may_read(url: str) -> bool:
    return "granted" in url


class RecordingOutbox(Outbox):
    """An outbox that keeps what was put into it."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes)
        self.frames: list[str] = []

    def put(self, frame: str, *, limited: bool = True) -> None:
        super().put(frame, limited=limited)
        self.frames.append(frame)


class Bench:
    """A backend over nothing: what it sends is read from its outbox, what comes is fed by hand."""

    def __init__(self, *capabilities: str) -> None:
        self.opened: list[FakePage] = []
        self.failing: KaptureError | None = None
        self.outbox = RecordingOutbox(1_000_000)
        register = messages.Register(tab_id="tab1", capabilities=["cdp", *capabilities])
        self.backend = ExtensionBackend(register, self.outbox, self.open_page)  # type: ignore[arg-type]
        self.backend.vouched = True

    @asynccontextmanager
    async def open_page(self, connection: CdpConnection, tab_id: str, gate: Any) -> AsyncIterator[FakePage]:
        if self.failing is not None:
            raise self.failing
        async with trio.open_nursery():
            page = FakePage(connection, gate)
            self.opened.append(page)
            yield page

    def sent(self) -> list[dict[str, Any]]:
        frames, self.outbox.frames = self.outbox.frames, []
        return [json.loads(frame) for frame in frames]

    def event(self, event: str, **fields: Any) -> None:
        self.backend.handle_event(messages.Event(event=event, **fields))  # type: ignore[arg-type]

    def respond(self, key: str, result: Any = None, error: WireError | None = None) -> None:
        self.backend.handle_response(messages.Response(id=key, success=error is None, result=result, error=error))
