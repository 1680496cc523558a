"""An MCP server over stdio that is like Playwright MCP, with a browser that is no more than what a page reports.

    python -m tests.support.fake_peer [without TOOL | idle TOOL | failing TOOL | hanging TOOL | ending TOOL]

HELD names a pipe that a process of its own, in a session of its own, holds open as long as it runs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from typing import Any

import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, open_websocket_url

_TEXT = {"type": "string"}
_TARGET: Mapping[str, Any] = {"element": _TEXT, "target": _TEXT}
_FIELD = {"type": "object", "properties": {**_TARGET, "value": _TEXT}, "required": ["target", "value"]}
_TOOLS: Mapping[str, tuple[Mapping[str, Any], list[str]]] = {
    "browser_navigate": ({"url": _TEXT}, ["url"]),
    "browser_evaluate": ({"function": _TEXT}, ["function"]),
    "browser_click": (_TARGET, ["target"]),
    "browser_hover": (_TARGET, ["target"]),
    "browser_type": ({**_TARGET, "text": _TEXT}, ["target", "text"]),
    "browser_select_option": ({**_TARGET, "values": {"type": "array", "items": _TEXT}}, ["target", "values"]),
    "browser_fill_form": ({"fields": {"type": "array", "items": _FIELD}}, ["fields"]),
    "browser_snapshot": ({}, []),
    "browser_take_screenshot": ({}, []),
}
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Page:
    """The parts of a page's reports."""

    def __init__(self) -> None:
        self.nursery: trio.Nursery | None = None
        self.word = "at first"
        self.state: dict[str, Any] = {}
        self.visits = 0
        self._forget()

    def _forget(self) -> None:
        fields = ["name", "country", *(f"f{number}" for number in range(10))]
        self.state = {"clicks": 0, "evaluated": 0, "over": "", "values": dict.fromkeys(fields, "")}

    async def navigate(self, url: str) -> None:
        """Load the page, as far as its script would open its WebSocket."""
        html = await trio.to_thread.run_sync(lambda: urllib.request.urlopen(url).read().decode())
        found = re.search(r"new WebSocket\('(ws://[^']+)'", html)
        assert found is not None
        assert self.nursery is not None
        self.visits += 1
        self.word = "at first"
        self._forget()
        await self.nursery.start(self._report, found[1] + "?" + url.partition("?")[2])

    async def _report(self, url: str, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with open_websocket_url(url) as socket:
            task_status.started()
            await self._answer(socket)

    async def _answer(self, socket: WebSocketConnection) -> None:
        while True:
            try:
                asked = json.loads(await socket.get_message())
            except ConnectionClosed:
                return
            self.word = asked["word"] or self.word
            await socket.send_message(json.dumps({**self.state, "visits": self.visits}))
            self.visits = 0
            self._forget()


class FakePeer:
    """The tools. `fault` is one of the words of the command line, and concerns the tool `where`."""

    def __init__(self, fault: str, where: str) -> None:
        self.page = Page()
        self._fault, self._where = fault, where

    async def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        if method == "initialize":
            about = {"name": "fake", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        return self._tools() if method == "tools/list" else await self._call(params["name"], params["arguments"])

    def _tools(self) -> dict[str, Any]:
        """All but those that it is to be without."""
        shown = {n: t for n, t in _TOOLS.items() if not (self._fault == "without" and n == self._where)}
        return {
            "tools": [
                {"name": name, "inputSchema": {"type": "object", "properties": properties, "required": required}}
                for name, (properties, required) in shown.items()
            ]
        }

    async def _call(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Do it in the page, or what is wrong with this tool."""
        if name == self._where:
            if self._fault == "failing":
                return {**_text("cannot do that"), "isError": True}
            if self._fault == "hanging":
                await trio.sleep_forever()
            if self._fault == "ending":
                print("out of luck", file=sys.stderr, flush=True)
                os._exit(3)
            if self._fault == "idle":
                return _text("Done.")
        return await self._done(name, given)

    async def _done(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        state = self.page.state
        if name == "browser_navigate":
            await self.page.navigate(given["url"])
        elif name == "browser_evaluate":
            state["evaluated"] += given["function"].startswith("() => globalThis.evaluated")
        elif name == "browser_click":
            state["clicks"] += given["target"] == "e-go"
        elif name == "browser_hover":
            state["over"] = given["target"].removeprefix("e-")
        elif name == "browser_type":
            state["values"][given["target"].removeprefix("e-")] = given["text"]
        elif name == "browser_select_option":
            state["values"][given["target"].removeprefix("e-")] = given["values"][0]
        elif name == "browser_fill_form":
            for field in given["fields"]:
                state["values"][field["target"].removeprefix("e-")] = field["value"]
        elif name == "browser_take_screenshot":
            return {"content": [{"type": "image", "data": _PNG, "mimeType": "image/png"}]}
        return _text(self._outline())

    def _outline(self) -> str:
        fields = "".join(f'- textbox "Field {number}" [ref=e-f{number}]\n' for number in range(10))
        shown = (
            '- textbox "Name" [ref=e-name]\n- combobox "Country" [ref=e-country]\n- button "Create account" [ref=e-go]'
        )
        return f"{self.page.word}\n{shown}\n{fields}{self.page.word}"


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


async def main(fault: str, where: str) -> None:
    """Serve, a message a line, until standard input ends."""
    peer = FakePeer(fault, where)

    async def reply(message: Mapping[str, Any]) -> None:
        result = await peer.answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

    async with trio.open_nursery() as nursery:
        peer.page.nursery = nursery
        async for line in trio.wrap_file(sys.stdin):
            message = json.loads(line)
            if "id" in message:
                nursery.start_soon(reply, message)
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    if held := os.environ.get("HELD"):
        command = f"import signal; file = open({held!r}, 'w'); signal.pause()"
        subprocess.Popen([sys.executable, "-c", command], start_new_session=True)
    trio.run(main, *(sys.argv[1:] or ("", "")))
