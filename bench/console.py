"""The Console's budgets: size, first paint, what 24 live pictures cost the hub and the page, many tabs, many runs."""

from __future__ import annotations

import gzip
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from rich.table import Table

from tests.support.console import ConsolePage, console_page
from tests.support.direct import direct_browser
from tests.support.stack import HubProcess, hub_process, launch_process

ROOT = Path(__file__).resolve().parents[1]
SERVED = (
    "test_app",
    "extension/ui/components",
    "extension/ui/scenarios",
    "extension/ui/vendor",
    "extension/ui/tokens.css",
)
PICTURES_S = 10.0
TABS = 24
MANY_TABS = 200
MANY_RUNS = 5_000
BUDGET_KB, BUDGET_PAINT_MS, BUDGET_CPU, BUDGET_RENDER_MS = 400, 300, 0.30, 100
_PAGE = (
    "data:text/html,<title>Page {number}</title><h1 id=h>0</h1><p>" + "words " * 200 + "</p>"
    "<script>setInterval(() => h.textContent++, 200)</script>"
)

_COUNT = """
window.shown = 0;
for (const tabId of one('kc-app').app.live.tabs.keys()) {
  one('kc-app').app.live.pictures.follow(tabId, () => window.shown++);
}
0
"""
_MANY_TABS = """
(async () => {
  const { live } = one('kc-app').app;
  const [first] = live.tabs.values();
  for (let at = 0; live.tabs.size < COUNT; at++) live.tabs.set(`bench-${at}`, { ...first, tabId: `bench-${at}` });
  const update = async () => {
    live.changed();
    await null;
    await one('kc-wall').updateComplete;
    await new Promise(requestAnimationFrame);
  };
  const times = [];
  for (let at = 0; at < 9; at++) {
    const began = performance.now();
    await update();
    times.push(performance.now() - began);
  }
  return times.sort((one, other) => one - other)[4];
})()
"""
_MANY_RUNS = """
(async () => {
  const { history } = one('kc-app').app;
  const run = { tool: "kapturemcp_click", tabId: "t", where: "", durationMs: 5, state: "ok", text: "", data: null };
  Object.assign(run, { parts: [], error: null });
  history.runs = Array.from({ length: COUNT }, (_, at) => ({ ...run, id: `${at}`, at, given: { css: `#b${at}` } }));
  history.changed();
  const view = one('kc-history');
  view.search = 'click b4';  // a person types letter by letter
  await view.updateComplete;
  const began = performance.now();
  view.search = 'click b49';
  await view.updateComplete;
  await new Promise(requestAnimationFrame);
  return performance.now() - began;
})()
"""


async def budgets() -> Table:
    """Each budget with the measured value and whether it is met."""
    table = Table("budget", "measured", "at most", "")

    def row(what: str, measured: float, most: float, unit: str) -> None:
        table.add_row(what, f"{measured:.0f} {unit}", f"{most:.0f} {unit}", "kept" if measured <= most else "BROKEN")

    row("size, compressed", compressed_bytes() / 1_000, BUDGET_KB, "kB")
    with TemporaryDirectory() as folder:
        home = Path(folder)
        pages = [_PAGE.replace("{number}", str(number)) for number in range(TABS)]
        with hub_process(home / "quiet") as hub:
            async with direct_browser(home / "first profile") as browser, console_page(hub, browser) as console:
                await console.until("one('kc-welcome')", "the first steps")
                row("first paint", await first_paint_ms(console), BUDGET_PAINT_MS, "ms")
        with hub_process(home / "home") as hub, launch_process(hub, pages):
            async with direct_browser(home / "profile") as browser, console_page(hub, browser) as console:
                await console.until(f"one('kc-app')?.app.live.tabs.size === {TABS}", "the cards")
                await console.size(2560, 1440)
                by_hub, by_page, shown = await cost_of_pictures(console, hub)
                pictures = f"{TABS} live pictures ({shown:.0f} a second)"
                row(f"hub, {pictures}", by_hub * 100, BUDGET_CPU * 100, "% of a core")
                row(f"page, {pictures}", by_page * 100, BUDGET_CPU * 100, "% of a core")
                row(f"{MANY_TABS} tabs on the wall", await many_tabs_ms(console), BUDGET_RENDER_MS, "ms")
                row(f"{MANY_RUNS} runs in the history", await many_runs_ms(console), BUDGET_RENDER_MS, "ms")
    return table


def compressed_bytes() -> int:
    """The size of all files that the hub serves to the Console, each compressed."""
    total = 0
    for part in SERVED:
        path = ROOT / part
        files = [path] if path.is_file() else path.rglob("*")
        for file in files:
            served = file.suffix in (".js", ".css", ".html", ".svg") and "demo" not in file.parts
            total += len(gzip.compress(file.read_bytes(), 9)) if served else 0
    return total


async def first_paint_ms(console: ConsolePage) -> float:
    """The browser's `first-contentful-paint` of a reload in ms, so that the hub is warm."""
    await console.js("location.reload()")
    await console.until("performance.getEntriesByType('navigation')[0].type === 'reload'", "the reload")
    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    await console.until(painted, "the first paint")
    return float(await console.js(painted))


async def cost_of_pictures(console: ConsolePage, hub: HubProcess) -> tuple[float, float, float]:
    """The fractions of a core that the hub and the Console's page use while all pages on the wall change, and pictures
    per second."""
    await console.until("all('kc-picture').filter((picture) => picture.drawn).length >= 12", "the pictures")
    await console.js(_COUNT)
    async with elapsed() as seconds:
        before = cpu_seconds(hub.process.pid), await console.cpu_seconds(), await console.js("window.shown")
        await trio.sleep(PICTURES_S)
        after = cpu_seconds(hub.process.pid), await console.cpu_seconds(), await console.js("window.shown")
    by_hub, by_page, shown = ((late - early) / seconds[0] for early, late in zip(before, after, strict=True))
    return by_hub, by_page, shown


async def many_tabs_ms(console: ConsolePage) -> float:
    """One update of the wall with `MANY_TABS` tabs, until the next frame, in milliseconds."""
    return float(await console.js(_MANY_TABS.replace("COUNT", str(MANY_TABS))))


async def many_runs_ms(console: ConsolePage) -> float:
    """One search of the history with `MANY_RUNS` runs, until the next frame, in milliseconds."""
    await console.show("commands")
    return float(await console.js(_MANY_RUNS.replace("COUNT", str(MANY_RUNS))))


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process so far, from `/proc`."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@asynccontextmanager
async def elapsed() -> AsyncIterator[list[float]]:
    """Yields a list that holds the block's duration in seconds after the block."""
    seconds = [0.0]
    began = time.perf_counter()
    yield seconds
    seconds[0] = time.perf_counter() - began
