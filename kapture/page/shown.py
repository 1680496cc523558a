"""What a person sees in the page of a client that acts on it: a frame, who does what, and Stop
(kapture/page/agent/picture/shown.js).

No command waits for it: it is sent before what the command sends, and goes a moment after the last command, so that
it does not flicker between two. It is not there for pictures, nor for commands that hand the page's DOM to the client.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import attrs
import trio

from kapture.cdp import CdpSession, PendingReply
from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.page.documents.frame import AGENT_WORLD, ExecutionContext
from kapture.page.documents.frames import FrameTree

RENEW_S = 1.0
"""It is asked to stay, or drawn in a new document, so often; see `shown.lease` in kapture/page/agent/state.js."""
_LINGERS_S = 1.0
_GONE_S = 2.0
"""A page that has not taken it away in this time is too busy to draw it."""

STOP = "kaptureStop"
"""The function of the agent's world that a person calls by pressing Stop."""

_COLOURS = {
    "blue": "#1a67d2",
    "red": "#c5221f",
    "yellow": "#8a6100",
    "green": "#137333",
    "pink": "#b80672",
    "purple": "#7b2fd0",
    "cyan": "#00717a",
    "orange": "#b3460c",
}
"""The colours of clients, dark enough for white text."""

_DOES = {
    "batch": ("working", ""),
    "call_page_tool": ("using a tool of the page", ""),
    "click": ("clicking", ""),
    "drag": ("dragging", ""),
    "emulate": ("emulating", ""),
    "fill": ("filling", ""),
    "fill_form": ("filling", ""),
    "go_back": ("going back", ""),
    "go_forward": ("going forward", ""),
    "hover": ("pointing", "at"),
    "mouse": ("moving the pointer", ""),
    "navigate": ("opening a page", ""),
    "paste": ("pasting", "into"),
    "press": ("pressing keys", "in"),
    "reload": ("reloading", ""),
    "scroll": ("scrolling", "to"),
    "select": ("choosing", "in"),
    "type": ("typing", "in"),
    "upload": ("choosing a file", "in"),
    "wait_for": ("waiting", ""),
}
"""What each command does, in a person's words, and what stands before the name of its element."""

_ANYWHERE = frozenset({"drag", "mouse", "scroll"})
"""Commands whose pointer may be anywhere: Stop cannot be pressed meanwhile. Others keep it from their own point."""


@attrs.frozen
class Actor:
    """A client as people see it, with the name of its colour; `stop` is called when the person presses Stop."""

    name: str
    colour: str
    stop: Callable[[], None] = attrs.field(eq=False)


def does(command: str) -> str:
    """What a command does, in a person's words; "" of one that is not shown."""
    return _DOES.get(command, ("", ""))[0]


def is_shown(command: str) -> bool:
    """Whether people see this command in the page."""
    return command in _DOES


class ShownToPerson:
    """What the page of one tab shows; `root` is the tab's own session."""

    def __init__(self, root: CdpSession, frames: FrameTree) -> None:
        self._root = root
        self._frames = frames
        self._shown: dict[str, Any] | None = None
        self._drawn_in: ExecutionContext | None = None
        self._actor: Actor | None = None
        self._active = 0
        self._bound = False
        self._begun = Changed()

    async def observe(self, session: CdpSession) -> None:
        """Follow the tab's own session."""
        if session is self._root:
            session.on("Runtime.bindingCalled", self._called)

    async def run(self) -> None:
        """Have it stay while a command runs and go afterwards, until cancelled."""
        while True:
            upcoming = self._begun.upcoming
            if self._shown is None:
                await upcoming.wait()
            elif self._active:
                await trio.sleep(RENEW_S)
                if self._shown is not None:
                    self._draw()
            else:
                with trio.move_on_after(_LINGERS_S) as lingering:
                    await upcoming.wait()
                if lingering.cancelled_caught and not self._active:
                    await self.clear()

    @asynccontextmanager
    async def acting(self, actor: Actor, command: str, *, at_point: bool) -> AsyncIterator[None]:
        """Show for the length of the block that this client runs this command; `at_point`: on a point of the page."""
        verb, to = _DOES[command]
        shown = {
            "client": actor.name,
            "colour": _COLOURS.get(actor.colour, _COLOURS["blue"]),
            "does": verb,
            "to": to,
            "pressable": command not in _ANYWHERE and not at_point,
        }
        before, self._actor = self._shown, actor
        main = self._frames.main
        if shown != before or self._drawn_in is None or self._drawn_in is not main.current_context():
            self._shown = shown
            self._draw()
        self._active += 1
        self._begun.notify()
        try:
            yield
        finally:
            self._active -= 1
            if self._active and before is not None and before != self._shown:  # a step of another command has ended
                self._shown = before
                self._draw()
            self._begun.notify()

    async def clear(self) -> None:
        """Take it away: the next command shows it again."""
        if (gone := self.begin_clear()) is not None:
            with suppress(KaptureError), trio.move_on_after(_GONE_S):
                await gone.wait()

    def begin_clear(self) -> PendingReply | None:
        """The same, before whatever is sent to the page's renderer next."""
        main, context = self._frames.main, self._drawn_in
        self._shown = self._drawn_in = None
        if context is None or context is not main.current_context():
            return None
        with suppress(KaptureError):
            return main.renderer.submit(context, "globalThis.kapture?.hideShown()")
        return None

    def _draw(self) -> None:
        """Send it. Where the document is outside the grant, has no agent yet, or hangs, nothing is shown."""
        main = self._frames.main
        context = main.current_context()
        if context is None or not main.granted or main.renderer.is_blocked:
            return
        with suppress(KaptureError):
            if not self._bound:
                self._root.submit("Runtime.addBinding", {"name": STOP, "executionContextName": AGENT_WORLD})
                self._bound = True
            main.renderer.submit(context, f"globalThis.kapture?.show({json.dumps(self._shown)})")
            self._drawn_in = context

    def _called(self, params: Mapping[str, Any]) -> None:
        if params["name"] == STOP and self._actor is not None and self._shown is not None:
            self._actor.stop()
