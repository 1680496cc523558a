"""Every command on a page made to be large: each answer keeps its limit, and tells no password of a URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from kapture.commands.core.registry import Scope, all_commands
from tests.support.site import Page, Site, serving
from tests.support.stack import hub_process, launched_beside, mcp_client, text_of

pytestmark = pytest.mark.e2e

LARGE = """<!doctype html><title></title><h1>Large</h1><input id=file type=file aria-label=File>
<table>
<thead><tr><th>Number<th>Words<tbody id=rows></table>
<main id=list></main><button id=go onclick="console.log('x'.repeat(9000))">Go</button>
<script>
const long = (n) => `https://ann:tea@shop.example/${n}?click=` + 'k'.repeat(2500);
document.title = 'T'.repeat(3000);
for (let n = 0; n < 300; n++) {
  list.insertAdjacentHTML('beforeend', `<p>Offer ${n} <a href="${long(n)}">Offer ${n}</a> ${long(n)}</p>`);
  rows.insertAdjacentHTML('beforeend', `<tr><td>${n}<td>${'cell '.repeat(30)}`);
}
for (let n = 0; n < 300; n++) console[n % 50 ? 'log' : 'error'](long(n), 'word '.repeat(800));
for (let n = 0; n < 12; n++) {
  localStorage.setItem(`key${n}`, 'v'.repeat(9000));
  document.cookie = `name${n}=${'c'.repeat(3000)}`;
  fetch('/small?click=' + 'q'.repeat(3000) + n);
  const frame = document.createElement('iframe');
  frame.src = '/inner?click=' + 'f'.repeat(3000) + n;
  document.body.append(frame);
}
history.replaceState(null, '', '#click=' + 'u'.repeat(3000));
</script>"""

CALLS: dict[str, dict[str, Any]] = {
    "navigate": {"snapshot": "full"},
    "reload": {"snapshot": "full", "wait_until": "domcontentloaded"},
    "tab_new": {},
    "click": {"target": {"css": "#go"}, "snapshot": "full"},
    "hover": {"target": {"css": "#go"}, "snapshot": "full"},
    "mouse": {"action": "move", "x": 5, "y": 5, "snapshot": "full"},
    "drag": {"source": {"css": "h1"}, "delta_x": 5, "snapshot": "full"},
    "fill": {"target": {"css": "#go"}, "value": "x" * 30_000},
    "select": {"target": {"css": "#go"}, "value": "x"},
    "fill_form": {"fields": [{"selector": "#go", "value": "x"}]},
    "type": {"text": "tea", "snapshot": "full"},
    "press": {"key": "Tab", "snapshot": "full"},
    "paste": {"text": "tea", "snapshot": "full"},
    "scroll": {"to": "bottom", "snapshot": "full"},
    "find": {"text": "Offer", "max": 100},
    "read_as_markdown": {"whole_page": True},
    "extract_links": {"max": 2_000},
    "table": {"max_rows": 10_000},
    "elements": {"selector": "a", "max": 500, "surroundings": True},
    "element_at": {"x": 5, "y": 5},
    "wait_for": {"text": "Large", "snapshot": "full", "timeout": 10_000},
    "wait_for_function": {"code": "true"},
    "wait_for_response": {"url": "*", "timeout": 1_000},
    "screenshot": {"labels": True},
    "logs": {"max": 1_000},
    "evaluate": {"code": "document.body.innerText"},
    "handle_dialog": {},
    "dialog_policy": {"policy": "dismiss"},
    "call_page_tool": {"name": "none"},
    "batch": {"steps": [{"command": "get_text", "arguments": {}}, {"command": "logs", "arguments": {}}] * 10},
    "upload": {"selector": "#file", "paths": ["/none/" + "n" * 30_000]},
    "download_file": {"url": "/file", "timeout": 5_000},
    "network": {"max": 1_000},
    "network_request": {"id": "r1", "max_bytes": 1_000_000},
    "route": {"action": "list"},
    "cookies": {"action": "get"},
    "storage": {"action": "get", "area": "local"},
    "permissions": {"name": "geolocation", "setting": "block"},
    "cdp": {"method": "DOM.getDocument", "params": {"depth": -1}},
    "cdp_events": {"action": "start", "events": ["Network.requestWillBeSent"]},
    "record_check": {"kind": "no_console_error"},
    "record_edit": {"step": "s1", "delete": True},
    "record_save": {"name": "large"},
    "search_scenarios": {"text": "x"},
    "run_scenario": {"name": "none"},
    "show_scenario": {"name": "none"},
    "edit_scenario": {"name": "none", "scenario": {}},
    "delete_scenario": {"name": "none"},
}
"""The arguments of commands that need some. Whether a call succeeds does not matter here, unless it is in `LONG`."""
LONG = {
    *("get_text", "get_html", "read_as_markdown", "extract_links", "elements", "table", "logs", "evaluate", "batch"),
    *(
        "network",
        "storage",
        "cdp",
        "snapshot",
        "find",
        "tab_info",
        "list_tabs",
        "navigate",
        "reload",
    ),
}
LAST = {"tab_new": 1, "go_back": 2, "go_forward": 2, "tab_close": 3, "request_tab": 4}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    file = Page("content", headers={"Content-Type": "text/plain", "Content-Disposition": "attachment"})
    with serving({"/": LARGE, "/inner": "<p>inner</p>", "/small": "ok", "/file": file}) as served:
        yield served


async def answered(client: Client, name: str, /, **arguments: Any) -> tuple[str, bool]:
    answer = await client.call_tool(f"kapturemcp_{name}", arguments)
    text = text_of(answer)
    assert len(text) <= 20_200, f"{name}: {len(text):,} characters"  # the marks around a page's text included
    at = text.find("ann:tea")
    assert at < 0, f"{name}: {text[max(0, at - 60) : at + 60]}"
    return text, not answer.is_error


async def test_every_answer_keeps_its_limit_on_a_large_page(tmp_path: Path, site: Site) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with hub_process(home) as hub:
        async with (
            launched_beside(hub, [site.url("/")]) as launched,
            mcp_client(hub, "--toolsets", "all") as client,
        ):
            tab = launched.rows[0]["tabId"]
            failed = []
            for command in sorted(all_commands(), key=lambda one: LAST.get(one.name, 0)):
                arguments = {**CALLS.get(command.name, {})}
                if command.scope is Scope.TAB:
                    arguments["tabId"] = tab
                if command.name == "navigate":
                    arguments["url"] = site.url("/").replace("//", "//ann:tea@")
                if command.name == "request_tab":
                    arguments |= {"reason": "x", "timeout": 500}
                text, worked = await answered(client, command.name, **arguments)
                if command.name in LONG and not worked:
                    failed.append(f"{command.name}: {text[:300]}")
            assert not failed
            whole, worked = await answered(client, "list_tabs", save_to="tabs.json")
            assert worked, whole
            assert (home / "downloads" / "tabs.json").read_bytes()
