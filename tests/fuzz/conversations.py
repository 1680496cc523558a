"""Readers of messages in sequence. Each line of an input is a message; they may come in any order."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio
from trio_websocket import ConnectionClosed

from kapture.backends.cdp_tab import CdpTab
from kapture.backends.chromium.browser import CdpBrowser
from kapture.backends.chromium.find import ATTACHED
from kapture.backends.chromium.target import TabIds
from kapture.backends.relay.relay_browser import RelayBrowser, RelayTabs
from kapture.backends.remote import as_fields
from kapture.cdp import CdpConnection
from kapture.endpoints.cdp import messages as script_messages
from kapture.errors import KaptureError
from kapture.page.dialogs import Dialogs
from kapture.page.document_follower import DocumentFollower
from kapture.page.page_tools import PageTools
from kapture.page.title import TITLE_BINDING, Title
from kapture.wire.codec import decode_json
from tests.support.cdp_transports import SilentTransport

_SITE = "https://a.test/"
_NO_JSON = (msgspec.MsgspecError, RecursionError)
_SHAPE = (KaptureError, LookupError, TypeError, ValueError, AttributeError, RecursionError)


def _lines(*messages: Mapping[str, Any]) -> str:
    return "\n".join(map(json.dumps, messages))


class _Script:
    """A socket that brings the lines of a text, and then closes."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    async def get_message(self) -> str:
        await trio.lowlevel.checkpoint()
        if not self._lines:
            raise ConnectionClosed(None)
        return self._lines.pop(0)

    async def send_message(self, message: str) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()


async def _serve(tab: CdpTab) -> None:
    await tab.gone.wait()


def _no_page(*_: object) -> Any:
    raise AssertionError("nothing asks for a page")


async def _relay(text: str) -> None:
    socket = _Script(text)
    await RelayBrowser(
        socket,
        RelayTabs(),
        folder=_FOLDER,
        limit_bytes=1_000_000,
        open_page=_no_page,
        room=lambda: 256,
        serve=_serve,
    ).run()


async def _browser(text: str) -> None:
    made = CdpBrowser(
        _Script(text),
        ATTACHED,
        ids=TabIds(),
        folder=_FOLDER,
        limit_bytes=1_000_000,
        open_page=_no_page,
        serve_tab=_serve,
    )
    await made.run()


def _run(connection: Callable[[str], Any], text: str) -> None:
    """Until the other end has closed; it may be told that what it sends cannot be used."""
    try:
        trio.run(connection, text)
    except* (KaptureError, ConnectionClosed):
        pass


def _documents(text: str) -> None:
    """The browser's events about a tab's documents: whatever they say, a frame is granted only by a URL of the site,
    and what every list of tabs shows of this one is text. Events of another shape than Chromium's may be refused in
    any way."""
    connection = CdpConnection(SilentTransport())
    frames = DocumentFollower(connection, lambda url: url.startswith(_SITE)).frames
    frames.observe(connection.root)
    frames.take(connection.root, {"frame": {"id": "M", "url": _SITE, "loaderId": "1"}})
    title, tools = Title(frames), PageTools(frames)
    dialogs = Dialogs(on_open=lambda _: None, granted=lambda frame, url: True)
    for observed in (title, dialogs):
        observed.observe(connection.root)
    with suppress(StopIteration):
        tools.observe(connection.root).send(None)
    for line in text.split("\n"):
        with suppress(*_SHAPE):
            event = decode_json(line)
            connection.deliver(event["method"], event["params"], event.get("sessionId"))
        for frame in frames.all():
            assert not frame.granted or frame.policy_url.startswith(_SITE)
        shown = [frames.main.url, title.text, *(text for tool in tools.known for text in (tool.name, tool.description))]
        blocked = dialogs.blocked()
        shown += [] if blocked is None else blocked.data["dialog"].values()
        assert all(isinstance(text, str) for text in shown)


def _answers(text: str) -> None:
    for command in ("evaluate", "logs", "screenshot"):
        as_fields(command, decode_json(text))


def _event(method: str, **params: Any) -> dict[str, Any]:
    return {"method": method, "params": params}


def _frame(name: str, parent: str | None, url: str, loader: str = "2") -> dict[str, Any]:
    above = {} if parent is None else {"parentId": parent}
    return {"id": name, "url": url, "loaderId": loader, "securityOrigin": _SITE, "mimeType": "text/html", **above}


def _context(number: int, frame: str, origin: str) -> dict[str, Any]:
    details = {"isDefault": True, "type": "default", "frameId": frame}
    return {"id": number, "uniqueId": f"u{number}", "origin": origin, "name": "", "auxData": details}


_TOOL = {"name": "a", "description": "d", "inputSchema": {"type": "object"}, "frameId": "M", "annotations": {}}
_TARGET = {"targetId": "F", "type": "iframe", "url": "https://b.test/", "title": "", "attached": True}
_PAGE = {**_TARGET, "targetId": "T", "type": "page"}

_DOCUMENTS = (
    _lines(
        _event("Page.frameAttached", frameId="F", parentFrameId="M"),
        _event("Runtime.executionContextCreated", context=_context(1, "F", "https://a.test")),
        _event("Page.frameNavigated", frame=_frame("F", "M", "about:blank"), type="Navigation"),
        _event("Page.frameAttached", frameId="G", parentFrameId="F"),
        _event("Page.frameNavigated", frame=_frame("G", "F", "https://b.test/"), type="Navigation"),
        _event("Page.documentOpened", frame=_frame("G", "F", "about:blank")),
        _event("Page.navigatedWithinDocument", frameId="G", url="https://b.test/#a"),
        _event("Page.frameDetached", frameId="F", reason="swap"),
        _event("Runtime.executionContextDestroyed", executionContextId=1, executionContextUniqueId="u1"),
    ),
    _lines(
        _event("Runtime.executionContextCreated", context=_context(2, "M", "https://a.test")),
        _event("Runtime.executionContextCreated", context={**_context(3, "M", ""), "name": "kapture"}),
        _event("Runtime.bindingCalled", name=TITLE_BINDING, payload="A title", executionContextId=3),
        _event("Runtime.bindingCalled", name=TITLE_BINDING, payload="A title", executionContextId=2),
        _event("WebMCP.toolsAdded", tools=[_TOOL, {**_TOOL, "name": "b", "frameId": "F"}]),
        _event("Page.javascriptDialogOpening", url=_SITE, message="m", type="prompt", defaultPrompt="d", frameId="M"),
        _event("Page.javascriptDialogClosed", result=True, userInput=""),
        _event("WebMCP.toolsRemoved", tools=[{"name": "a", "frameId": "M"}]),
    ),
    _lines(
        _event("Target.attachedToTarget", sessionId="S", targetInfo={**_TARGET, "parentFrameId": "M"}),
        {
            **_event("Page.frameNavigated", frame=_frame("F", None, "https://b.test/"), type="Navigation"),
            "sessionId": "S",
        },
        _event("Page.frameNavigated", frame=_frame("M", None, "https://c.test/", "3"), type="Navigation"),
        _event("Runtime.executionContextsCleared"),
        _event("Page.frameNavigated", frame=_frame("N", None, _SITE, "4"), type="BackForwardCacheRestore"),
        _event("Target.detachedFromTarget", sessionId="S", targetId="F"),
        _event("Inspector.targetCrashed"),
    ),
)
_RELAYS = (
    _lines(
        {"id": "k1", "result": [{"id": 1, "url": _SITE, "title": "a"}, {"tabId": 2, "url": "", "title": None}]},
        {"type": "status", "attachedTabs": [1, 2]},
        {
            "type": "cdp_event",
            "tabId": 1,
            "method": "Page.frameNavigated",
            "params": {"frame": _frame("M", None, _SITE)},
        },
        {"type": "cdp_event", "tabId": 2, "method": "Runtime.consoleAPICalled", "params": {"type": "log", "args": []}},
        {"type": "ping"},
        {"type": "status", "attachedTabs": []},
        {"id": "k2", "error": "No tab with id: 2"},
        {"type": "pong"},
    ),
)
_BROWSERS = (
    _lines(
        {"id": 1, "result": {"product": "Chrome/150.0.1.2", "protocolVersion": "1.3"}},
        {"id": 2, "result": {"targetInfo": {**_PAGE, "type": "browser"}}},
        *({"id": number, "result": {}} for number in (3, 4)),
        _event("Target.attachedToTarget", sessionId="S", targetInfo=_PAGE, waitingForDebugger=False),
        {"id": 5, "result": {}},
        {**_event("Inspector.targetCrashed"), "sessionId": "S"},
        _event("Target.targetInfoChanged", targetInfo={**_PAGE, "title": "b"}),
        {**_event("Page.javascriptDialogOpening", url=_SITE, message="a", type="alert"), "sessionId": "S"},
        _event("Browser.downloadWillBegin", frameId="M", guid="g", url=_SITE, suggestedFilename="../a"),
        _event("Browser.downloadProgress", guid="g", totalBytes=3, receivedBytes=3, state="completed"),
        _event("Target.detachedFromTarget", sessionId="S", targetId="T"),
        _event("Target.targetDestroyed", targetId="T"),
    ),
)
_ANSWERS = (
    '{"value": 3, "type": "number"}',
    '{"entries": [{"level": "error", "timestamp": 1700000000000, "message": "a"}, "b", null]}',
    '{"logs": [{"timestamp": "2026-01-01T00:00:00", "text": "a"}], "data": "iVBORw0KGgo="}',
)
_COMMANDS = (
    '{"id": 1, "method": "Target.getTargets", "params": {"filter": [{"type": "page"}]}}',
    '{"id": 2, "method": "Runtime.evaluate", "params": null, "sessionId": "S"}',
)

_TEMPORARY = tempfile.TemporaryDirectory(prefix="kapture-fuzz-")  # removed when the process ends
_FOLDER = Path(_TEMPORARY.name)

TARGETS: Mapping[str, tuple[Sequence[str], Callable[[str], object], tuple[type[Exception], ...]]] = {
    "documents' events in any order": (_DOCUMENTS, _documents, ()),
    "messages of a relay": (_RELAYS, partial(_run, _relay), ()),
    "messages of a browser": (_BROWSERS, partial(_run, _browser), ()),
    "answers of self-executing tabs": (_ANSWERS, _answers, _NO_JSON),
    "commands of scripts": (_COMMANDS, script_messages.decode, (script_messages.MalformedCommandError,)),
}
