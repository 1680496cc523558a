"""What one tab behind a relay is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio

from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.backends.relay.relay_transport import RelayTransport
from kapture.cdp import CdpCommand, PendingReply


class ScriptedRelay:
    """The relay of a browser: `sent` holds the CDP methods that it was given, `replies` what they are answered by."""

    def __init__(self, folder: Path) -> None:
        self.downloads = BrowserDownloads(folder)
        self.last_message_at = trio.current_time()
        self.sent: list[str] = []
        self.replies: list[PendingReply] = []

    def submit(self, method: str, params: Any) -> PendingReply:
        reply = PendingReply()
        self.sent.append(params["method"])
        self.replies.append(reply)
        return reply

    async def send(self, method: str, params: Any) -> Any:
        return (await self.submit(method, params).wait()).get("result")

    async def open_tab(self, url: str, *, active: bool) -> str:
        raise NotImplementedError


async def test_what_follows_an_input_event_waits_for_its_answer(tmp_path: Path) -> None:
    relay = ScriptedRelay(tmp_path)
    transport = RelayTransport(relay, 7)
    methods = ["Runtime.evaluate", "Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Runtime.evaluate"]
    commands = [CdpCommand(method, {}) for method in methods]
    transport.submit_all(commands)
    for number, sent in enumerate((2, 2, 3, 4)):
        assert relay.sent == methods[:sent]
        relay.replies[number].resolve({"result": {"at": number}})
    assert [command.reply.value() for command in commands] == [{"at": number} for number in range(4)]
