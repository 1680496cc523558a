"""`kapture tour`: shows the main task step by step, and with `--once` checks that it works.

It uses a hub, a temporary browser on the demo shop, and the official MCP client over stdio, like any MCP client. Every
step shows its result and how long it took.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import click
import trio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ImageContent, TextContent
from rich.console import Console
from rich.text import Text

from kapture.cli.demo import demo_shop
from kapture.cli.extension_browser import Browser, launched_browser
from kapture.cli.launch import check_display, run_until_stopped, settings_for
from kapture.cli.terminal import harmless_line
from kapture.errors import ErrorCode, KaptureError
from kapture.settings import Settings

STEP_TIMEOUT_S = 60
_FENCE = re.compile(r"^</?page-content[^>\n]{0,80}>\n?|</?page-content[^>\n]{0,80}>$", re.MULTILINE)


class StepError(click.ClickException):
    """A step of the tour answered with an error."""


@attrs.frozen
class Tour:
    """One tour of the shop on one tab."""

    client: Client
    tab_id: str
    screen: Console

    async def step(self, tool: str, **arguments: Any) -> str:
        """Call a tool on the tab, show its result, and return its text; `StepError` if it is an error."""
        return (await self.call(tool, {"tabId": self.tab_id, **arguments}))[0]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, CallToolResult]:
        """Call any tool."""
        began = time.perf_counter()
        with trio.fail_after(STEP_TIMEOUT_S):
            result = await self.client.call_tool(f"kapturemcp_{tool}", dict(arguments))
        took_ms = (time.perf_counter() - began) * 1000
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        shown = {name: value for name, value in arguments.items() if name != "tabId"}
        self._show(tool, shown, took_ms, _FENCE.sub("", text).strip(), failed=bool(result.is_error))
        if result.is_error:
            raise StepError(f"{tool}: {text}")
        return text, result

    def _show(self, tool: str, arguments: Mapping[str, Any], took_ms: float, text: str, *, failed: bool) -> None:
        mark, colour = ("✗", "red") if failed else ("✓", "green")
        shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        line = Text.assemble(
            (f"{mark} ", colour), (f"{tool} ", "bold"), (f"{shown} ", "cyan"), (f"{took_ms:.1f} ms", "dim")
        )
        self.screen.print(line)
        lines = text.splitlines()
        for each in lines[:14]:
            self.screen.print(
                Text(f"    {harmless_line(each)}", style="red" if failed else ""), overflow="ellipsis", no_wrap=True
            )
        if len(lines) > 14:
            self.screen.print(Text(f"    … {len(lines) - 14} more lines", style="dim"))


async def walk(tour: Tour, shop: str, folder: Path) -> Path:
    """Take every step of the main task; returns the path of the screenshot."""
    await tour.call("list_tabs", {})
    await tour.step("navigate", url=shop)
    view = await tour.step("snapshot")
    await tour.step("fill", target={"ref": find_ref(view, "textbox", "Name")}, value="Ada Lovelace")
    await tour.step("select", target={"ref": find_ref(view, "combobox", "Article")}, value="lamp")
    await tour.step("fill", target={"ref": find_ref(view, "spinbutton", "Quantity")}, value="2")
    await tour.step("click", target={"ref": find_ref(view, "checkbox", "Wrap it as a gift")})
    await tour.step("click", target={"ref": find_ref(view, "button", "Place order")})
    total = await tour.step("evaluate", code="document.querySelector('#receipt-text').textContent")
    if "48.00" not in total or "Ada Lovelace" not in total:
        raise StepError(f"The receipt should name Ada Lovelace and 48.00, but it is: {total}")
    logs = await tour.step("logs", max=5)
    if "2 × lamp for Ada Lovelace" not in logs:
        raise StepError("The order is not in the console log.")
    _, shot = await tour.call("screenshot", {"tabId": tour.tab_id, "name": "receipt"})
    image = next(part for part in shot.content if isinstance(part, ImageContent))
    path = folder / f"kapture-tour.{image.mime_type.rpartition('/')[2]}"
    await trio.Path(path).write_bytes(base64.b64decode(image.data))
    return path


def find_ref(view: str, role: str, name: str) -> str:
    """The ref in the line of an outline with this role and name."""
    for line in view.splitlines():
        if line.strip(" -").startswith(f'{role} "{name}"') and (found := re.search(r"ref=(\w+)", line)):
            return found.group(1)
    raise StepError(f'the snapshot shows no {role} "{name}":\n{view}')


async def run_tour(settings: Settings, *, once: bool, headless: bool | None, folder: Path) -> None:
    """Start hub, browser, shop and client, then take the tour. Stays up until interrupted, unless `once`."""
    screen = Console(highlight=False)
    environment = {**os.environ, "KAPTURE_HOME": str(settings.home), "KAPTURE_PORT": str(settings.port)}
    bridge = StdioServerParameters(command=sys.executable, args=["-m", "kapture", "mcp"], env=environment)
    with demo_shop() as shop:
        async with own_hub(settings), launched_browser(settings, headless=headless, urls=[shop]) as browser:
            async with Client(stdio_client(bridge)) as client:
                path = await walk(Tour(client, browser.tab_ids[0], screen), shop, folder)
            screen.print(f"\nThe screenshot is in [bold]{path}[/].")
            if not once:
                show_next_steps(screen, browser)
                await browser.ended()


@asynccontextmanager
async def own_hub(settings: Settings) -> AsyncIterator[None]:
    """Run a hub for the duration of the block, unless one is running already, which is left alone."""
    command = [sys.executable, "-m", "kapture", "serve", "--automatic"]  # nobody has chosen other caps than before
    environment = {**os.environ, "KAPTURE_HOME": str(settings.home), "KAPTURE_PORT": str(settings.port)}
    process = await trio.lowlevel.open_process(
        command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None  # noqa: S101  asked for
    async with trio.open_nursery() as nursery:
        try:
            # Its first line comes when it listens, when it finds another hub listening, or when it fails.
            first_line = (await process.stderr.receive_some()).decode()
            nursery.start_soon(_drain, process.stderr)
            if process.returncode or " ERROR " in first_line:
                raise KaptureError(
                    ErrorCode.LAUNCH_FAILED, first_line.partition(" ERROR ")[2].strip() or first_line.strip()
                )
            yield
        finally:
            with trio.CancelScope(shield=True):
                if process.poll() is None:
                    process.terminate()
                await process.wait()
            nursery.cancel_scope.cancel()


async def _drain(stream: trio.abc.ReceiveStream) -> None:
    """Read and discard everything, so that the writer never blocks."""
    async for _ in stream:
        pass


def show_next_steps(screen: Console, browser: Browser) -> None:
    """Print how to continue with one's own client and one's own Chrome."""
    screen.print(
        "\nThe hub and the browser run until you press Ctrl-C.\n\n"
        "[bold]Connect an MCP client[/]\n"
        "  kapture install claude-code     (or claude-desktop, cursor, vscode, windsurf, codex)\n"
        "  or, in its configuration:       command: kapture   args: mcp\n\n"
        "[bold]Connect your own Chrome[/]\n"
        f"  1. chrome://extensions, Developer mode, Load unpacked: {browser.extension}\n"
        "  2. kapture install-host         (lets the extension find the hub)\n"
        "  3. on the page to connect: the Kapture icon, or F12 and the Kapture panel, then Connect",
        soft_wrap=True,
    )


@click.command("tour")
@click.option("--once", is_flag=True, help="Exit after the tour, with 0 only if every step worked.")
@click.option(
    "--headless/--headed",
    default=None,
    help="Without or with a window. Default: headless only where there is no display.",
)
@click.option("--port", type=int, default=None, help="The hub's port.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder for the screenshot. Default: the current one.",
)
def tour_command(once: bool, headless: bool | None, port: int | None, output: Path) -> None:
    """Drive the demo shop through a real MCP client, step by step."""
    check_display(headless)
    settings = settings_for(port)
    output.mkdir(parents=True, exist_ok=True)
    run_until_stopped(lambda: run_tour(settings, once=once, headless=headless, folder=output.resolve()))
