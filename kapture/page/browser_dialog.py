"""A dialog of the browser's own over the page: for a passkey, a server's password, what to share of the screen.

The browser reports none of them, but keeps all input from a page that has one (Chromium's web-modal dialogs). So a key
is released that no keyboard has, which the agent takes out of the way before any listener of the page: if it does not
come, there is such a dialog. Bubbles, such as those that ask for a permission, leave the page its input: whether one is
open cannot be known.
"""

from __future__ import annotations

import trio

from kapture.cdp import CdpConnection
from kapture.cdp.program import INPUT
from kapture.errors import DialogOpen, ErrorCode, KaptureError, Wording
from kapture.page.documents.frames import FrameTree
from kapture.page.input.input_guard import check_focus

# Modifiers that nobody holds down together, for a key without a name: kapture/page/agent/act/guards/probe_guard.js.
_PROBE = {"type": "keyUp", "key": "", "code": "", "windowsVirtualKeyCode": 0, "modifiers": 15}
_TRIES_AFTER_S = (0.0, 0.06, 0.2)
"""A document that has painted nothing yet gets no input either."""
_ANSWERS_WITHIN_S = 1.0
_MORE_LOOKS = 5
_EACH_S = 0.1


class BrowserDialog:
    """Whether there is one over the page. `open`: whether there was when it was last looked for."""

    def __init__(self, connection: CdpConnection, frames: FrameTree) -> None:
        self.open = False
        self._waits = False
        self._root = connection.root
        self._frames = frames

    async def look(self, *, after_action: bool = False) -> bool:
        """Find out whether it is open now; as before if that cannot be found out. `after_action`: what was acted on and
        is disabled since may wait for one that is about to open."""
        for _ in range(_MORE_LOOKS if after_action else 0):
            if await self._look() or not self._waits:
                return self.open
            await trio.sleep(_EACH_S)
        return await self._look()

    async def _look(self) -> bool:
        self._waits = False
        for wait_s in _TRIES_AFTER_S:
            await trio.sleep(wait_s)
            try:
                with trio.move_on_after(_ANSWERS_WITHIN_S) as asking:
                    came = await self._probe()
            except KaptureError:
                return self.open  # a dialog of a script has opened, or the document has gone
            if asking.cancelled_caught or came is None:
                return self.open
            if came:
                self.open = False
                return False
        self.open = True
        return True

    async def _probe(self) -> bool | None:
        await check_focus(self._frames)
        await self._root.submit("Input.dispatchKeyEvent", _PROBE, needs=INPUT).wait()
        frame = self._frames.main
        while True:
            answer = await frame.call("probed")
            self._waits = answer["waits"]
            if answer["came"] or not (answer["frame"] or answer["elsewhere"]):
                return bool(answer["came"])
            if not answer["frame"]:
                return None  # a plug-in, or a frame that is not known, has the focus
            frame = self._frames.get(answer["frame"])

    def error(self, request: str) -> DialogOpen:
        """`DIALOG_OPEN` for what needs the page's input. `request`: the address of one that has no answer; or ""."""
        for_it = f" ({request} has no answer yet, as if its server asked for one)" if request else ""
        return DialogOpen(
            ErrorCode.DIALOG_OPEN,
            "The browser shows a dialog of its own over the page, so that no input reaches the page. It cannot be known"
            f" which: it may ask for a passkey or security key, for a user name and password{for_it}, for what to share"
            " of the screen, or the like.",
            hint=Wording(
                "Only the person can answer it.",
                "Hand the tab over to them: {ask_person}.",
                "Or leave the page: {navigate} or {reload}.",
            ),
            data={"dialog": {"type": "browser", "message": "", "defaultPrompt": ""}},
        )
