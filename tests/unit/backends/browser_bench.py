"""A browser's own connection with a scripted browser on the other end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from kapture.backends.cdp_tab import CdpTab
from kapture.backends.chromium.browser import CdpBrowser
from kapture.backends.chromium.find import LAUNCHED, BrowserKind
from kapture.backends.chromium.target import TabIds


class ScriptedBrowser:
    """The socket: answers every command, and says that a session has come before it answers that one was attached."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.silent = False
        self.target = "browser"
        self.asleep: dict[str, str] = {}
        """The targets of tabs without a page that it has from the beginning, by their sessions."""
        self._unanswered: list[str] = []
        self._to_hub, self._at_hub = trio.open_memory_channel[str](1_000)

    async def get_message(self) -> str:
        return await self._at_hub.receive()

    async def send_message(self, message: str) -> None:
        command = json.loads(message)
        self.sent.append(command)
        if self.silent:
            self._unanswered.append(message)
            return
        result: dict[str, Any] = {}
        if command["method"] == "Target.attachToTarget":
            attached = [sent for sent in self.sent if sent["method"] == "Target.attachToTarget"]
            result = {"sessionId": "script" if len(attached) == 1 else f"further{len(attached)}"}
            await self.announce(result["sessionId"], command["params"]["targetId"])
        if command["method"] == "Target.getTargetInfo":
            result = {"targetInfo": {"type": self.target}}
        if command["method"] == "Target.setAutoAttach":
            for session_id, target_id in self.asleep.items():
                await self.announce(session_id, target_id, "https://a.test/")
        if command["method"] == "Inspector.enable" and command["sessionId"] in self.asleep:
            await self.say({"method": "Inspector.targetCrashed", "params": {}, "sessionId": command["sessionId"]})
        await self.say({"id": command["id"], "result": result})

    async def reply(self) -> None:
        """Reply to the commands that came while it was silent, and to later ones at once."""
        self.silent = False
        while self._unanswered:
            await self.say({"id": json.loads(self._unanswered.pop(0))["id"], "result": {}})

    async def announce(
        self, session_id: str, target_id: str, url: str = "about:blank", title: str = "", **more: str
    ) -> None:
        info = {"targetId": target_id, "type": "page", "url": url, "title": title, **more}
        await self.say({"method": "Target.attachedToTarget", "params": {"sessionId": session_id, "targetInfo": info}})

    async def say(self, message: dict[str, Any]) -> None:
        await self._to_hub.send(json.dumps(message))

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()

    def sent_on(self, session_id: str) -> list[str]:
        return [command["method"] for command in self.sent if command.get("sessionId") == session_id]


@asynccontextmanager
async def browser(
    folder: Path, ids: TabIds | None = None, kind: BrowserKind = LAUNCHED, socket: ScriptedBrowser | None = None
) -> AsyncIterator[tuple[CdpBrowser, ScriptedBrowser]]:
    async def serve(tab: CdpTab) -> None:
        await tab.gone.wait()

    socket = socket or ScriptedBrowser()
    async with trio.open_nursery() as nursery:
        made = CdpBrowser(
            socket,
            kind,
            ids=ids or TabIds(),
            folder=folder,
            limit_bytes=1_000_000,
            open_page=lambda *_: None,  # type: ignore[arg-type]
            serve_tab=serve,
        )
        await nursery.start(made.run)
        yield made, socket
        nursery.cancel_scope.cancel()
