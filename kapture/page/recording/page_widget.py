"""The recorder's widget in a page, as the hub puts it there: in the main frame's document and in those that follow it.

It lives in the agent's world, in a closed shadow root (kapture/page/widget/). The hub draws it when what it shows has
changed, and asks it to stay again and again; when the hub has gone, the extension takes it away, or it goes by itself.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any

import trio

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.page.documents.execution_context import AGENT_WORLD, ExecutionContext
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree

BINDING = "kaptureWidgetMessage"
"""The function by which the widget sends what a person asks for, as JSON."""

MAX_MESSAGE = 200_000
"""Characters of one message."""

_BINDING = {"name": BINDING, "executionContextName": AGENT_WORLD}
_ANSWER_S = 5.0
"""A page that is too busy to draw it is asked again later."""


class PageWidget:
    """The widget of one page; `root` is the tab's own session. `documents` is notified when the tab shows another
    document, which it is to be drawn in; `on_message` gets what it sends."""

    def __init__(self, root: CdpSession, frames: FrameTree) -> None:
        self._root = root
        self._frames = frames
        self._drawn_in: ExecutionContext | None = None
        self._bound = False
        self._aside = 0
        self._unseen = 0
        self.documents = Changed()
        self.on_message: Callable[[str], None] | None = None
        frames.follow_documents(self._document_came)

    async def observe(self, session: CdpSession) -> None:
        """Follow the tab's own session."""
        if session is self._root:
            session.on("Runtime.bindingCalled", self._called)
            session.on("Page.frameNavigated", self._navigated)

    async def show(self, shown: Mapping[str, Any]) -> None:
        """Draw it, or what has changed of it. Where the document is outside the grant, or hangs, nothing is drawn."""
        main = self._frames.main
        if not main.granted or main.renderer.is_blocked:
            return
        with trio.move_on_after(_ANSWER_S), suppress(KaptureError):
            if not self._bound:
                await self._root.send("Runtime.addBinding", _BINDING)
                self._bound = True
            context = await main.context()
            if not main.granted:
                return  # it has gone elsewhere meanwhile
            self._drawn_in = context
            if await self._evaluate(main, context, self._draw(shown)) is not True:
                await main.call("platform")  # the agent must be there first
                await self._evaluate(main, context, f"{_source()};{self._draw(shown)}")

    async def stay(self) -> bool:
        """Have it stay as it is; whether it is there, and need not be drawn again."""
        main, context = self._frames.main, self._drawn_in
        if context is None or context is not main.current_context() or not main.granted or main.renderer.is_blocked:
            return False
        with trio.move_on_after(_ANSWER_S), suppress(KaptureError):
            asked = f"globalThis.kaptureWidget?.stay({self._state()})"
            return await self._evaluate(main, context, asked) is True
        return False

    async def remove(self) -> None:
        """Take it away."""
        if not self._bound:
            return
        main, self._drawn_in = self._frames.main, None
        context = main.current_context()  # of a document that was shown before, and comes back with what it showed
        if context is not None and not main.renderer.is_blocked:
            with trio.move_on_after(_ANSWER_S), suppress(KaptureError):
                await self._evaluate(main, context, "globalThis.kaptureWidget?.remove()")

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """For the length of the block input goes past it: while a client's command acts on the page."""
        self._aside += 1
        try:
            await self._set("aside(true)")
            yield
        finally:
            self._aside -= 1
            if not self._aside:
                self._submit("aside(false)")

    @asynccontextmanager
    async def unseen(self) -> AsyncIterator[None]:
        """For the length of the block it is in no picture."""
        self._unseen += 1
        try:
            await self._set("unseen(true)")
            yield
        finally:
            self._unseen -= 1
            if not self._unseen:
                self._submit("unseen(false)")

    def _draw(self, shown: Mapping[str, Any]) -> str:
        return f"globalThis.kaptureWidget?.show({json.dumps(shown)},{self._state()})"

    def _state(self) -> str:
        return json.dumps({"aside": self._aside > 0, "unseen": self._unseen > 0})

    async def _set(self, call: str) -> None:
        main = self._frames.main
        if self._drawn_in is not None and not main.renderer.is_blocked:
            with suppress(KaptureError):
                await self._evaluate(main, self._drawn_in, f"globalThis.kaptureWidget?.{call}")

    def _submit(self, call: str) -> None:
        if self._drawn_in is not None:
            with suppress(KaptureError):
                self._frames.main.renderer.submit(self._drawn_in, f"globalThis.kaptureWidget?.{call}")

    async def _evaluate(self, main: Frame, context: ExecutionContext, expression: str) -> Any:
        outcome = await main.renderer.evaluate(context, expression)
        return outcome["result"].get("value")

    def _called(self, params: Mapping[str, Any]) -> None:
        if params["name"] != BINDING or self._drawn_in is None or len(params["payload"]) > MAX_MESSAGE:
            return
        if params["executionContextId"] == self._drawn_in.number and self.on_message is not None:
            self.on_message(params["payload"])

    def _navigated(self, params: Mapping[str, Any]) -> None:
        if not params["frame"].get("parentId"):
            self.documents.notify()  # also for one that comes back from the cache, which has its agent already

    def _document_came(self, frame: Frame) -> None:
        if frame.parent is None:
            self.documents.notify()


@cache
def _source() -> str:
    """Made from kapture/page/widget/."""
    return files("kapture.page").joinpath("widget.bundle.js").read_text("utf-8")
