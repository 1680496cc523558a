"""The least that an extension can do: a worker that only passes commands on to `chrome.debugger`, and a client that
only sends them, in a browser of their own. What Kapture takes above that is its own.

An operation is one message to the worker, as it is in Kapture. `checked`: the page is asked afterwards what happened,
as Kapture asks it, but for nothing else. Kapture's calls also pass stdio, a bridge and the hub: the second way to ask
the worker passes two processes that do no more than pass lines on.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import msgspec
import trio

from bench.build import HERE, Tab
from bench.floor import Floor
from bench.hub_process import free_port
from bench.least_chain import Lines
from bench.least_worker import WorkerSocket, upgraded
from bench.operations import OPERATIONS, check, clicks, countries, words
from bench.raw_cdp import attached, targets
from bench.timing import Side, Times, in_turn
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running

_EXTENSION = HERE / "bench" / "least_extension"

Stage: TypeAlias = Sequence[Mapping[str, Any]]


@attrs.frozen
class Worker:
    """The worker, asked directly or through a bridge and a hub."""

    _ask: Callable[[bytes], Awaitable[bytes]]

    async def run(self, *stages: Stage) -> bytes:
        """Send the stages in one message; returns the value that the last one has evaluated."""
        return await self._ask(msgspec.json.encode(stages))


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
"""The worker's share, by operation of `OPERATIONS` and kind."""


@asynccontextmanager
async def _direct() -> AsyncIterator[tuple[Worker, int]]:
    """The worker, once it connects to this port: this process is what it connects to."""
    connected: list[WorkerSocket] = []
    opened = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        if (worker := await upgraded(stream)) is not None:
            connected.append(worker)
            opened.set()
            await trio.sleep_forever()

    async def ask(message: bytes) -> bytes:
        await opened.wait()
        return await connected[0].ask(message)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        yield Worker(ask), listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _chained() -> AsyncIterator[tuple[Worker, int]]:
    """The same, asked as an MCP client asks: over the standard streams of a bridge, which asks a hub."""
    async with _running("hub") as hub:
        port = int(await Lines(hub.stdout).next())
        async with _running("bridge", str(port)) as bridge:
            answers = Lines(bridge.stdout)

            async def ask(message: bytes) -> bytes:
                await bridge.stdin.send_all(message + b"\n")
                return await answers.next()

            yield Worker(ask), port


@asynccontextmanager
async def _running(*arguments: str) -> AsyncIterator[Any]:
    command = [sys.executable, "-m", "bench.least_chain", *arguments]
    process = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE)
    try:
        yield process
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


_WAYS: Mapping[str, Callable[[], AbstractAsyncContextManager[tuple[Worker, int]]]] = {
    "the least an extension can do": _direct,
    "the same behind a bridge and a hub": _chained,
}


@asynccontextmanager
async def _opened(way: str) -> AsyncIterator[tuple[Worker, Tab]]:
    with tempfile.TemporaryDirectory(prefix="kapture-bench-") as folder:
        extension, debugging_port = Path(folder) / "extension", free_port()
        extension.mkdir()
        for file in _EXTENSION.iterdir():
            (extension / file.name).write_bytes(file.read_bytes())
        async with _WAYS[way]() as (worker, port):
            (extension / "port.js").write_text(f"export const PORT = {port};\n")
            launch = Launch(
                profile=Path(folder) / "profile",
                extension=extension,
                headless=True,
                extra=[f"--remote-debugging-port={debugging_port}"],
            )
            async with running(launch):
                with trio.fail_after(30):
                    await worker.run(_evaluate("1"))
                page = next(target for target in await targets(debugging_port) if target["type"] == "page")
                async with attached(debugging_port, page["id"]) as target:
                    nobody: Any = None  # only the floor of this tab is used
                    yield worker, Tab("", Floor(target), nobody, nobody)


async def through_a_worker(site: Callable[[str], str], runs: int, only: str) -> Mapping[str, tuple[Times, Times]]:
    """Times of the rows whose names contain `only`: raw CDP, and through the worker, in the same tab."""
    found: dict[str, tuple[Times, Times]] = {}
    for way in _WAYS:
        chosen = [one for one in OPERATIONS if one.what in _WORK and only in f"{way}: {one.what}"]
        if not chosen:
            continue
        async with _opened(way) as (worker, tab):
            for operation in chosen:
                await tab.floor.navigate(site(operation.page))
                await tab.floor.prepare(*operation.points)
                kinds = {f"{way}: {operation.what}{kind}": work for kind, work in _WORK[operation.what].items()}
                sides = [Side("raw", partial(operation.raw, tab), partial(check, operation, tab, "raw"))]
                for what, work in kinds.items():
                    sides.append(Side(what, partial(work, worker), partial(check, operation, tab, what)))
                times = await in_turn(sides, runs)
                found.update({what: (times["raw"], times[what]) for what in kinds})
    return found
