"""`python -m bench.tasks`: a table of calls and characters."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import trio
from rich.console import Console
from rich.table import Table

from bench.tasks.agent import Agent, Cost, total
from bench.tasks.scripts import CV, TASKS
from tests.support.site import Page, serving
from tests.support.stack import hub_process, launch_process, mcp_client

PAGES = Path(__file__).parent / "pages"
MOST_CALLS = 62
MOST_CHARACTERS = 60_000


@click.command()
@click.option("--only", default="", help="Only tasks whose name contains this.")
@click.option("--show", is_flag=True, help="Print every call with its answer.")
def main(only: str, show: bool) -> None:
    """Do the tasks, each on a page of its own, and count."""
    with tempfile.TemporaryDirectory() as home:
        trio.run(_run, Path(home), only, show)


def pages() -> Mapping[str, Page]:
    """The site, by path."""
    frame = (PAGES / "frame.html").read_text()
    served = {}
    for name in TASKS:
        main_part, found, script = (PAGES / f"{name}.html").read_text().partition("<script>")
        body = frame.replace("{main}", main_part).replace("{script}", found + script)
        served[f"/{name}"] = Page(body.replace("{title}", name.replace("_", " ").capitalize()))
    return served


async def _run(home: Path, only: str, show: bool) -> None:
    console = Console()
    files = home / "hub" / "uploads"
    with (
        serving(pages()) as site,
        hub_process(home / "hub") as hub,
        launch_process(hub, ["about:blank"], ["--with-extension"]),
    ):
        files.mkdir(exist_ok=True, mode=0o700)
        (files / CV).write_text("Ada Byron, analyst.\n")
        costs = []
        for name, script in TASKS.items():
            if only not in name:
                continue
            async with mcp_client(hub) as client:  # each task is a conversation of its own
                agent = Agent(client)
                try:
                    opened = "none" if name == "article" else "full"
                    await agent.call("navigate", url=site.url(f"/{name}"), snapshot=opened)
                    await script(agent, files)
                    costs.append(Cost(name, agent.calls, agent.answered, agent.sent))
                    await _check(agent, name)
                finally:
                    if show:
                        console.print("\n".join(agent.log), markup=False, highlight=False, soft_wrap=True)
        console.print(_table(costs))


async def _check(agent: Agent, name: str) -> None:
    """Raise `LookupError` unless the page reports the task as done."""
    wait = {"code": "window.done === true", "timeout": 5000}
    result: Any = await agent.client.call_tool("kapturemcp_wait_for_function", wait)
    if result.is_error:
        raise LookupError(f"{name} was not done: {result}")


def _table(costs: list[Cost]) -> Table:
    whole = total(costs)
    aim = f"aim: {MOST_CALLS} calls and {MOST_CHARACTERS:,} characters"
    table = Table("task", "calls", "answered", "sent", title=f"Whole tasks; {aim}")
    for cost in [*costs, whole]:
        table.add_row(cost.task, str(cost.calls), f"{cost.answered:,}", f"{cost.sent:,}")
    return table


if __name__ == "__main__":
    main()
