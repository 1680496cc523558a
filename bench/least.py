"""The least that an extension can do: a worker that only passes commands on to `chrome.debugger`, and a client that
only sends them, in a browser of their own. What Kapture takes above that is its own.

An operation is one message to the worker, as it is in Kapture. `checked`: the page is asked afterwards what happened,
as Kapture asks it, but for nothing else. Kapture's calls also pass stdio, a bridge and the hub; these do not.
"""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import msgspec
import trio

from bench.build import HERE, Tab
from bench.operations import OPERATIONS, check, clicks, countries, words
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.measure.floor import Floor
from kapture.measure.hub_process import free_port
from kapture.measure.raw_cdp import attached, targets
from kapture.measure.timing import Side, Times, in_turn

_EXTENSION = HERE / "bench" / "least_extension"
_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_READ_BYTES = 65_536
_ROW = "the least an extension can do: "

Stage: TypeAlias = Sequence[Mapping[str, Any]]


@attrs.define
class Worker:
    """The worker at the other end of a WebSocket."""

    _stream: trio.SocketStream

    async def run(self, *stages: Stage) -> bytes:
        """Send the stages in one message; returns the value that the last one has evaluated."""
        message = msgspec.json.encode(stages)
        size = len(message)
        head = bytes((0x81, size)) if size < 126 else bytes((0x81, 126)) + size.to_bytes(2, "big")
        await self._stream.send_all(head + message)
        return await self._receive()

    async def _receive(self) -> bytes:
        """The next message, which is short and comes in one frame."""
        received = b""
        while len(received) < 2 or len(received) < 6 + (received[1] & 0x7F):
            if not (data := await self._stream.receive_some(_READ_BYTES)):
                raise trio.ClosedResourceError("The worker has gone.")
            received += data
        mask = received[2:6]
        return bytes(byte ^ mask[at % 4] for at, byte in enumerate(received[6:]))


def _command(method: str, **params: Any) -> dict[str, Any]:
    """One command of a stage."""
    return {"method": method, "params": params}


def _evaluate(expression: str) -> Stage:
    """A stage that evaluates an expression."""
    return [_command("Runtime.evaluate", expression=expression, returnByValue=True)]


def _press(kind: str) -> dict[str, Any]:
    return _command("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1)


def _point(selector: str) -> Stage:
    box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
    return _evaluate(f"(b => ({{x: b.x + b.width / 2, y: b.y + b.height / 2}}))({box})")


def _selected(selector: str) -> Stage:
    return _evaluate(f"(e => {{ e.focus(); e.select() }})(document.querySelector({json.dumps(selector)}))")


def _select(value: str) -> Stage:
    """A stage that chooses a country."""
    return _evaluate(
        f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input', {{bubbles: true}}));"
        "e.dispatchEvent(new Event('change', {bubbles: true})) })(document.querySelector('#country'))"
    )


_CLICK: Stage = [
    _command("Input.dispatchMouseEvent", type="mouseMoved"),
    _press("mousePressed"),
    _press("mouseReleased"),
]


async def _pressed(worker: Worker, *after: Stage) -> None:
    """Press the button where it is now."""
    await worker.run(_point("#go"), _CLICK, *after)
    clicks.made += 1


async def _filled(worker: Worker, *selectors: str, checked: bool = False) -> None:
    """Type over what fields hold; `checked`: ask each of them afterwards what it holds."""
    text = words.next()
    stages: list[Stage] = []
    for selector in selectors:
        stages += [_selected(selector), [_command("Input.insertText", text=text)]]
        if checked:
            stages.append(_evaluate(f"void document.querySelector({json.dumps(selector)}).value"))
    await worker.run(*stages)


_TEN = [f"#f{i}" for i in range(10)]
_WORK: Mapping[str, Mapping[str, Callable[[Worker], Awaitable[Any]]]] = {
    "evaluate 1+1": {"": lambda worker: worker.run(_evaluate("1+1"))},
    "click": {"": _pressed, ", checked": lambda worker: _pressed(worker, _evaluate("clicks"))},
    "fill one field": {
        "": lambda worker: _filled(worker, "#name"),
        ", checked": lambda worker: _filled(worker, "#name", checked=True),
    },
    "select": {"": lambda worker: worker.run(_select(countries.next()))},
    "fill ten fields": {
        "": lambda worker: _filled(worker, *_TEN),
        ", checked": lambda worker: _filled(worker, *_TEN, checked=True),
    },
}
"""What the worker does, by operation of `OPERATIONS` and kind."""


@asynccontextmanager
async def _opened() -> AsyncIterator[tuple[Worker, Tab]]:
    connected: list[Worker] = []
    opened = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        if not await _upgrade(stream):
            return
        connected.append(Worker(stream))
        opened.set()
        await trio.sleep_forever()

    with tempfile.TemporaryDirectory(prefix="kapture-bench-") as folder:
        extension, debugging_port = Path(folder) / "extension", free_port()
        extension.mkdir()
        for file in _EXTENSION.iterdir():
            (extension / file.name).write_bytes(file.read_bytes())
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
            port = listeners[0].socket.getsockname()[1]
            (extension / "port.js").write_text(f"export const PORT = {port};\n")
            launch = Launch(
                profile=Path(folder) / "profile",
                extension=extension,
                headless=True,
                extra=[f"--remote-debugging-port={debugging_port}"],
            )
            async with running(launch):
                with trio.fail_after(30):
                    await opened.wait()
                page = next(target for target in await targets(debugging_port) if target["type"] == "page")
                async with attached(debugging_port, page["id"]) as target:
                    nobody: Any = None  # only the floor of this tab is used
                    yield connected[0], Tab("", Floor(target), nobody, nobody)
            nursery.cancel_scope.cancel()


async def _upgrade(stream: trio.SocketStream) -> bool:
    """Whether the connection has become a WebSocket; it may end before."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        if not (data := await stream.receive_some(_READ_BYTES)):
            return False
        head += data
    key = next(line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
    accept = base64.b64encode(hashlib.sha1(key + _ACCEPT).digest())
    await stream.send_all(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    return True


async def through_a_worker(site: Callable[[str], str], runs: int, only: str) -> Mapping[str, tuple[Times, Times]]:
    """Times of the rows whose names contain `only`: raw CDP, and through the worker, in the same tab."""
    chosen = [one for one in OPERATIONS if one.what in _WORK and only in f"{_ROW}{one.what}"]
    found: dict[str, tuple[Times, Times]] = {}
    if not chosen:
        return found
    async with _opened() as (worker, tab):
        for operation in chosen:
            await tab.floor.navigate(site(operation.page))
            await tab.floor.prepare(*operation.points)
            kinds = {f"{_ROW}{operation.what}{kind}": work for kind, work in _WORK[operation.what].items()}
            sides = [Side("raw", partial(operation.raw, tab), partial(check, operation, tab, "raw"))]
            for what, work in kinds.items():
                sides.append(Side(what, partial(work, worker), partial(check, operation, tab, what)))
            times = await in_turn(sides, runs)
            found.update({what: (times["raw"], times[what]) for what in kinds})
    return found
