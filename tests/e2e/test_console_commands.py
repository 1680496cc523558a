"""Every command, run once from the Console through its form, on a browser of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.cli.demo import demo_shop
from kapture.commands.core.registry import all_commands
from tests.support.console import console_page
from tests.support.site import serving
from tests.support.stack import HubProcess, hub_process, launch_process

pytestmark = pytest.mark.e2e

NAME = {"label": "Name"}
# What is typed into each command's form, and how the run ends where that is not `ok`.
GIVEN: dict[str, dict[str, Any]] = {
    "fill": {"target": NAME, "value": "Ada"},
    "select": {"target": {"role": "combobox"}, "index": 1},
    "fill_form": {"fields": [{"target": NAME, "value": "Grace"}]},
    "type": {"text": "!", "target": NAME},
    "press": {"key": "Home"},
    "click": {"target": NAME},
    "hover": {"target": NAME},
    "find": {"text": "Place order"},
    "wait_for": {"text": "Corner Shop"},
    "evaluate": {"code": "1 + 1"},
    "batch": {"steps": [{"command": "get_text", "arguments": {"selector": "h1"}}]},
    "tab_new": {"url": "about:blank"},
    "mouse": {"action": "move", "x": 20, "y": 20},
    "drag": {"source": NAME, "target": {"role": "button", "name": "Place order"}},
    "paste": {"text": "pasted", "target": NAME},
    "elements": {"selector": "button"},
    "element_at": {"x": 60, "y": 40},
    "wait_for_function": {"code": "true"},
    "dialog_policy": {"policy": "ask"},
    "network_request": {"id": "r1"},
    "route": {"action": "list"},
    "cookies": {"action": "get"},
    "storage": {"action": "get"},
    "permissions": {"name": "geolocation", "setting": "block"},
    "emulate": {"viewport": {"width": 900, "height": 700}},
    "scroll": {"to": "bottom"},
    "wait_for_response": {"url": "*never*"},
    "upload": {"paths": ["/nowhere/file.txt"], "selector": "input"},
    "download_file": {"url": "file:///nowhere"},
    "cdp": {"method": "Runtime.evaluate", "params": {"expression": "6*7"}},
    "request_tab": {"reason": "a try"},
    "call_page_tool": {"name": "none"},
    "record_check": {"kind": "text", "expected": "Corner Shop"},
    "record_edit": {"step": "none", "delete": True},
    "record_save": {"name": "a-try"},
    "show_scenario": {"name": "a-try"},
    "edit_scenario": {"name": "none", "scenario": {}},
    "run_scenario": {"name": "none"},
    "delete_scenario": {"name": "none"},
    "search_scenarios": {"text": "checkout"},
}
ENDS = {
    "handle_dialog": "INVALID_PARAMS",  # none is open
    "call_page_tool": "ELEMENT_NOT_FOUND",
    "wait_for_response": "COMMAND_TIMEOUT",
    "upload": "POLICY_DENIED",
    "download_file": "POLICY_DENIED",
    "run_scenario": "SCENARIO_INVALID",  # there is none
    "delete_scenario": "SCENARIO_INVALID",
    "edit_scenario": "SCENARIO_INVALID",
    "record_edit": "INVALID_PARAMS",  # there is no such step
    "request_tab": "NO_BACKEND",  # no extension that could ask anybody
}


@contextmanager
def one_shop(home: Path) -> Iterator[tuple[HubProcess, str]]:
    with hub_process(home) as hub, demo_shop() as shop, launch_process(hub, [shop, "about:blank", "about:blank"]):
        yield hub, shop


@pytest.mark.long
async def test_every_command_is_run_once_through_its_form(tmp_path: Path, browser: int) -> None:
    """No run may be refused for its parameters: what the form says fits is what the hub takes."""
    outcomes: dict[str, str] = {}
    said: dict[str, str] = {}
    with one_shop(tmp_path / "home") as (hub, shop):
        async with console_page(hub, browser) as console:
            await console.show("commands")
            await console.until("all('.item').length > 40", "the commands")
            listed = set(await console.js("all('.item').map((item) => item.textContent.trim())"))
            names = [command.name for command in all_commands() if command.name in listed]
            assert len(names) == len(listed) > 40
            last = ["tab_activate", "tab_close"]
            for name in [*(name for name in names if name not in last), *last]:
                given = GIVEN.get(name, {})
                if name == "navigate":
                    given = {"url": shop}
                await console.choose(name)
                timeout = 500 if ENDS.get(name) == "COMMAND_TIMEOUT" else 30_000
                await console.js(
                    f"one('kc-app').app.runner.edit('kapturemcp_{name}', {json.dumps({**given, 'timeout': timeout})})"
                )
                await console.until(f"one('k-form').value.timeout === {timeout}", f"the form of {name}")
                problems = await console.js("one('k-form').problems()")
                run = "one('kc-app').app.history.runs[0]"
                state = await console.run() if not problems else f"problems: {problems}"
                outcomes[name] = state if problems else await console.js(f"{run}.error?.code ?? {run}.state")
                said[name] = str(await console.js(f"{run}.error?.message"))

    assert {name: (code, said.get(name)) for name, code in outcomes.items() if code != ENDS.get(name, "ok")} == {}


DECLARES = """<title>Shop</title><script>document.modelContext.registerTool({name: "add", description: "Adds one",
  inputSchema: {type: "object", properties: {n: {type: "number"}}, required: ["n"]},
  execute: async ({n}) => n + 1})</script>"""


async def test_a_command_that_a_page_declares_has_a_form_and_the_list_is_one_stop_of_the_tab_key(
    tmp_path: Path, browser: int
) -> None:
    with serving({"/": DECLARES}) as site, hub_process(tmp_path / "home") as hub, launch_process(hub, [site.url("/")]):
        async with console_page(hub, browser) as console:
            await console.show("commands")
            await console.choose("click")
            await console.js("one('kc-commands').search()")
            await console.until("one('kc-command-list')?.renderRoot.querySelector('input:focus')", "the search")
            await console.key("Tab")
            await console.until("one('.item:focus')?.ariaCurrent === 'true'", "the chosen command")
            await console.key("ArrowDown")
            await console.until("one('.item:focus')?.textContent.trim() === 'hover'", "the command after it")
            await console.key("Tab")
            await console.until("one('kc-commands').matches(':focus-within') && !one('.item:focus')", "what follows")
            assert not await console.js("one('kc-command-list').matches(':focus-within')")

            await console.choose("page_add")
            await console.until("one('k-form')?.problems()[0]?.message === 'Required.'", "what is missing")
            await console.js("one('kc-app').app.runner.edit('page_add', {n: 2})")
            await console.until("one('k-form').value.n === 2", "the form of the page's tool")
            assert await console.run() == "ok"
            assert "add answered: 3" in await console.js("one('kc-app').app.history.runs[0].text")
