"""`python -m bench.latency`: what distance costs an agent that works over `kapture share ssh`, each way 50 ms.

Agent and browser are on two machines of namespaces, and a cable between them delays every packet, so that TCP and
OpenSSH do what they do over such a line. Root is needed.
"""

from __future__ import annotations

import os
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import click
import trio
from rich.console import Console
from rich.table import Table

from bench.mcp_client import McpClient, over_stdio
from bench.pages import PAGES
from tests.support.machines import HOME, Cable, Machine, cable, machine, ssh_server

_HOSTS = {"laptop": "10.77.0.1", "devhost": "10.77.0.2"}
_WARM_UP = 2
_QUIET_S = 0.3
"""After a call: for the acknowledgements that are still on their way, and for what it has changed in the page."""

Work = Callable[[], Awaitable[Any]]


@attrs.frozen
class Cost:
    """Medians of one operation, and its shortest time, in which other load on this machine has the least part."""

    shortest_ms: float
    ms: float
    up_bytes: float
    down_bytes: float


async def measured(line: Cable, work: Work, runs: int) -> Cost:
    """Time it. The line's first end is the browser's machine."""
    times, up, down = [], [], []
    for _ in range(_WARM_UP + runs):
        await trio.sleep(_QUIET_S)
        before, began = list(line.bytes), time.perf_counter()
        await work()
        times.append(1_000 * (time.perf_counter() - began))
        down.append(line.bytes[0] - before[0])
        up.append(line.bytes[1] - before[1])
    return Cost(min(times), *(statistics.median(each[_WARM_UP:]) for each in (times, up, down)))


async def start_a_call(there: Machine) -> None:
    """`kapture call`, from process start to its end."""
    await trio.run_process(there.words(["kapture", "call", "list_tabs"]), capture_stdout=True)


async def start_a_server(there: Machine) -> None:
    """`kapture mcp`, from process start to its first list of tools."""
    async with over_stdio(there.words(["kapture", "mcp"]), {}) as client:
        await client.request("tools/list", {})


def operations(client: McpClient, there: Machine, tabs: Sequence[str]) -> dict[str, Work]:
    """What is measured, by name."""
    form, table = tabs
    call = client.call
    upload = {"tabId": form, "target": {"css": "#file"}, "paths": [str(HOME / "large")], "snapshot": "none"}
    on_form = {"tabId": form, "target": {"css": "button"}}
    return {
        "list_tabs": partial(call, "list_tabs", {}),
        "snapshot of a form": partial(call, "snapshot", {"tabId": form}),
        "snapshot of a table of 500 rows": partial(call, "snapshot", {"tabId": table}),
        "click": partial(call, "click", on_form | {"snapshot": "none"}),
        "click, with the changes after it": partial(call, "click", on_form | {"snapshot": "diff"}),
        "fill": partial(call, "fill", {"tabId": form, "target": {"css": "#name"}, "value": "Ann"}),
        "screenshot": partial(call, "screenshot", {"tabId": table}),
        "upload of 1 MB": partial(call, "upload", upload),
        "`kapture call list_tabs`, a new process": partial(start_a_call, there),
        "`kapture mcp`, to its first tools/list": partial(start_a_server, there),
    }


@click.command()
@click.option("--delay", "delay_ms", default=50.0, show_default=True, help="Each way, in milliseconds.")
@click.option("--runs", default=10, show_default=True, type=click.IntRange(min=1), help="Calls that count, each.")
@click.option("--only", default="", help="Only rows whose name contains this.")
def main(delay_ms: float, runs: int, only: str) -> None:
    """Measure calls over SSH without and with a delay: the difference is in round trips."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        laptop, devhost = (stack.enter_context(machine(folder / name, name, _HOSTS)) for name in _HOSTS)
        line = stack.enter_context(cable(laptop, devhost, (_HOSTS["laptop"], _HOSTS["devhost"])))
        stack.enter_context(ssh_server(folder / "ssh", devhost, _HOSTS["devhost"], laptop))
        for path, page in PAGES.items():
            (laptop.home / f"{path[1:]}.html").write_text(f"{page}<input id=file type=file>")
        (devhost.home / "large").write_bytes(os.urandom(1_000_000))
        urls = [f"http://localhost:8000/{path}.html" for path in ("table", "form")]
        stack.enter_context(laptop.running("exec python -u -m http.server 8000 -d ~", until="Serving"))
        launch = f"exec kapture launch --headless --level interact {' '.join(urls)}"
        stack.enter_context(laptop.running(launch, until="Press"))
        stack.enter_context(laptop.running("exec kapture share ssh ann@devhost", until="can use"))
        trio.run(_measure, line, devhost, runs, only, delay_ms)


async def _measure(line: Cable, there: Machine, runs: int, only: str, delay_ms: float) -> None:
    table = Table(title=f"Over ssh, {delay_ms:g} ms each way")
    for name in ("call", "ms, no delay", "ms", "round trips", "bytes to the hub", "bytes to the agent"):
        table.add_column(name, justify="left" if name == "call" else "right")
    async with over_stdio(there.words(["kapture", "mcp"]), {}) as client:
        tabs = await _tabs(client)
        for what, work in operations(client, there, tabs).items():
            if only in what:
                line.delay_s = 0
                near = await measured(line, work, runs)
                line.delay_s = delay_ms / 1_000
                far = await measured(line, work, runs)
                trips = (far.shortest_ms - near.shortest_ms) / (2 * delay_ms)
                sizes = (f"{far.up_bytes:,.0f}", f"{far.down_bytes:,.0f}")
                table.add_row(what, f"{near.ms:.0f}", f"{far.ms:.0f}", f"{trips:.1f}", *sizes)
    Console(width=150).print(table)


async def _tabs(client: McpClient) -> list[str]:
    """The ids of the tabs: of the form, and of the table."""
    listed = (await client.call("list_tabs", {})).decode()
    found = [re.search(rf"(\w+),{title},", listed) for title in ("Sign up", "Customers")]
    return [match[1] for match in found if match is not None]


if __name__ == "__main__":
    main()
