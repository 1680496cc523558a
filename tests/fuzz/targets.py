"""Readers of foreign input, with good examples of it. Each may refuse it in its own words."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import msgspec

from kapture.cdp import CdpConnection
from kapture.client import json_rpc
from kapture.errors import KaptureError
from kapture.mcp.websocket import NoMessageError, message_of
from kapture.page.console import ConsoleLog
from kapture.page.network.network_log import NetworkLog
from kapture.page.tab_memory import LIMIT_BYTES, TabMemory
from kapture.pairing import key_file
from kapture.policy import grant as address
from kapture.policy import policy_file
from kapture.policy.policy_file import Pattern, PatternError
from kapture.scenarios.files import decode as scenario
from kapture.server.admission import identify_caller
from kapture.server.request_head import RequestHeadReader
from kapture.settings import Settings
from kapture.snapshot import FrameView, Options, Tree
from kapture.snapshot.as_json import as_json
from kapture.snapshot.render import outline
from kapture.snapshot.toon import toon
from kapture.snapshot.tree import SentTree, completed
from kapture.wire.codec import decode_from_hub, decode_from_tab, decode_json
from tests.fuzz import conversations
from tests.fuzz.mutations import as_bytes, mutated
from tests.support.cdp_transports import EmptyTransport

_TESTS = Path(__file__).parents[1]


@attrs.frozen(kw_only=True)
class Target:
    """`read` is given what `make` makes of a random source; it may raise `refusals`, its documented errors."""

    name: str
    examples: Sequence[str]
    read: Callable[[Any], object]
    refusals: tuple[type[Exception], ...] = (KaptureError,)
    binary: bool = False

    def make(self, chosen: random.Random) -> str | bytes:
        """One input."""
        text = mutated(chosen, self.examples)
        return as_bytes(chosen, text) if self.binary else text

    def try_one(self, given: str | bytes) -> bool:
        """Whether the input was taken; any other error than a refusal is a defect, and raised."""
        try:
            self.read(given)
        except self.refusals:
            return False
        return True


def _vectors(name: str) -> list[str]:
    return [vector["frame"] for vector in json.loads((_TESTS / "wire" / name).read_text("utf-8"))]


def _mcp(method: str, params: Mapping[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


_MCP = (
    _mcp(
        "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    ),
    _mcp("tools/call", {"name": "kapturemcp_click", "arguments": {"tabId": "t"}, "_meta": {"progressToken": 7}}),
    _mcp("notifications/cancelled", {"requestId": 3, "reason": "no"}),
    '{"jsonrpc": "2.0", "id": "x", "result": {"action": "accept"}}',
)
_HEADS = (
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:61822\r\n\r\n",
    "GET /mcp?profile=chrome HTTP/1.1\r\nHost: localhost:61822\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: https://a.test\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nHost: [::1]:61822\r\nAuthorization: Bearer abc\r\nContent-Length: 2\r\n\r\n{}",
)
_KEY = json.dumps(
    {"version": "1", "pid": 1, "port": 61822, "key": "A" * 43, "clientToken": "AB" * 21 + "A", "startedAt": "2026"}
)
_POLICY = (
    'level = "interact"\nallow = ["*.example.com", "https://a.test:8443/x/*"]\ndeny = ["bank.test"]\n'
    '[uploads]\nfolders = ["~/files"]\n[downloads]\nmax_bytes = 1000\n[clients."Claude Code"]\nlevel = "read"\n',
    "[approvals]\nenabled = true\n",
)
_SCENARIO = json.dumps(
    {
        "version": 1,
        "name": "checkout",
        "parameters": {"email": {"type": "string"}},
        "chain": [
            {"command": "navigate", "arguments": {"url": "https://shop.test/{{email}}"}},
            {"command": "click", "targets": [{"role": "button", "name": "Buy"}], "timeout": 5_000},
            {"check": {"kind": "url", "expected": "*"}},
        ],
    }
)
_ADDRESSES = (
    *("https://user:pw@shop.example.com:8443/a/../b?c#d", "http://[2001:db8::1]/", "http://0x7f.1/", "file:///C:/a b"),
    *("http://xn--bcher-kva.example/", "https://bücher.example./", "blob:https://a.test/1", "about:blank", "data:,a"),
)
_PATTERNS = (
    "*",
    "example.com",
    "*.example.com",
    "https://a.test/b/*",
    "http://*:8080",
    "192.168.0.1",
    "[::1]",
    "file:///a/*",
)
_SETTINGS = 'port = 61822\nidle_exit = "15m"\nsafe_mode = true\nmax_tabs = 256\nprefer = "launch"\n'
_CONSOLE = [
    {
        "type": "error",
        "timestamp": 1.0,
        "executionContextId": 1,
        "args": [
            {"type": "string", "value": "%s is %d"},
            {
                "type": "object",
                "preview": {"type": "object", "overflow": False, "properties": [{"name": "a", "value": "1"}]},
            },
            {"type": "number", "unserializableValue": "NaN"},
        ],
        "stackTrace": {"callFrames": [{"url": "https://a.test/x.js", "lineNumber": 3, "columnNumber": 1}]},
    }
]
_REQUEST = {
    "requestId": "1",
    "type": "Fetch",
    "wallTime": 1.0,
    "timestamp": 1.0,
    "documentURL": "https://a.test/",
    "request": {"method": "GET", "url": "https://a.test/x", "headers": {"Accept": "*/*"}, "postData": "x"},
}


def _mcp_message(text: str) -> None:
    with suppress(NoMessageError):
        message_of(text)


def _tree(text: str) -> None:
    sent: SentTree = decode_json(text, SentTree)
    if sent.base is not None:
        return  # what it leaves out is not here
    tree = Tree({"": FrameView(key="", url="https://a.test/", root=completed(sent, None))})
    for show in (outline, toon, as_json):
        show(tree, Options(max_chars=2_000))


def _head(data: bytes) -> None:
    reader = RequestHeadReader(65_536)
    if (head := reader.feed(data)) is not None:
        identify_caller(head, 61822)


def _key_file(data: bytes) -> None:
    path = _FOLDER / key_file.FILE_NAME
    path.write_bytes(data)
    path.chmod(0o600)
    key_file.read(_FOLDER)


def _settings(data: bytes) -> None:
    (_FOLDER / "settings.toml").write_bytes(data)
    Settings.load({"home": _FOLDER}, {})


def _deliver(method: str) -> Callable[[str], None]:
    """Events as the extension carries them: parameters of another shape than Chromium's end that tab's session, so
    they may be refused in any way; what is kept of them stays bounded all the same."""

    def read(text: str) -> None:
        params = decode_json(text)
        connection = CdpConnection(EmptyTransport())
        network = NetworkLog(lambda session, frame: ("https://a.test/",))
        console = ConsoleLog(lambda session, frame: ("https://a.test/",), network.owners)
        memory = TabMemory()
        memory.add("logs", console.entries)
        memory.add("requests", network.kept)
        for log in (network, console):
            with suppress(StopIteration):
                log.observe(connection.root).send(None)
        connection.deliver(method, params, None)
        assert memory.held_bytes <= LIMIT_BYTES

    return read


_TEMPORARY = tempfile.TemporaryDirectory(prefix="kapture-fuzz-")  # removed when the process ends
_FOLDER = Path(_TEMPORARY.name)
_SHAPE = (KaptureError, LookupError, TypeError, ValueError, AttributeError, RecursionError)

TARGETS: Sequence[Target] = (
    Target(name="wire frames of tabs", examples=_vectors("from_tab.json"), read=decode_from_tab),
    Target(name="wire frames of the hub", examples=_vectors("from_hub.json"), read=decode_from_hub),
    Target(name="MCP messages, hub", examples=_MCP, read=_mcp_message),
    Target(
        name="MCP messages, bridge",
        examples=_MCP,
        read=lambda data: (json_rpc.read_head(data), json_rpc.read_subject(data)),
        binary=True,
    ),
    Target(name="HTTP heads", examples=_HEADS, read=_head, binary=True),
    Target(name="key files", examples=[_KEY], read=_key_file, binary=True),
    Target(name="policy files", examples=_POLICY, read=lambda text: policy_file.parse(text, Path("policy.toml"))),
    Target(name="scenario files", examples=[_SCENARIO], read=scenario.decode, binary=True),
    Target(name="settings files", examples=[_SETTINGS], read=_settings, binary=True),
    Target(name="URLs", examples=_ADDRESSES, read=address.parse),
    Target(name="site patterns", examples=_PATTERNS, read=Pattern.compile, refusals=(PatternError,)),
    Target(
        name="page trees",
        examples=[
            json.dumps({"root": vector["sent"]})
            for vector in json.loads((_TESTS / "snapshot" / "sent_trees.json").read_text("utf-8"))
        ],
        read=_tree,
        refusals=(msgspec.MsgspecError, RecursionError),
    ),
    Target(
        name="console events",
        examples=[json.dumps(params) for params in _CONSOLE],
        read=_deliver("Runtime.consoleAPICalled"),
        refusals=_SHAPE,
    ),
    Target(
        name="network events",
        examples=[json.dumps(_REQUEST)],
        read=_deliver("Network.requestWillBeSent"),
        refusals=_SHAPE,
    ),
    *(
        Target(name=name, examples=examples, read=read, refusals=refusals)
        for name, (examples, read, refusals) in conversations.TARGETS.items()
    ),
)
