"""Every command, run once from the Console through its form, on a browser of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import kapture.commands  # noqa: F401  declares every command
from tests.support.console import console_page
from tests.support.site import serving
from tests.support.stack import hub_process, launch_process

pytestmark = pytest.mark.e2e


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
