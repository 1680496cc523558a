"""`kapture call` against a hub process: text, JSON, files, exit codes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from tests.support.forked import run_kapture
from tests.support.remote_tab import remote_tab
from tests.support.site import Site, serving
from tests.support.stack import HubProcess, browser_process


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/": "<title>Shop</title><h1>Shop</h1><input aria-label=Name><button>Go</button>"}) as running:
        yield running


@pytest.fixture(scope="module")
def tab(hub: HubProcess, site: Site) -> Iterator[str]:
    with browser_process(hub) as rows:
        tab_id = rows[0]["tabId"]
        opened = kapture_call(hub, "navigate", "--tab", tab_id, f"url={site.url()}")
        assert opened.returncode == 0, opened.stderr
        yield tab_id


def kapture_call(hub: HubProcess, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return run_kapture(["call", *words], hub.environment, folder)


@pytest.mark.e2e
def test_commands_print_text_or_json(hub: HubProcess, tab: str) -> None:
    shown = kapture_call(hub, "snapshot", "--tab", tab, "--plain")
    assert shown.returncode == 0
    assert b'button "Go"' in shown.stdout
    assert b"page-content" not in shown.stdout
    assert kapture_call(hub, "snapshot", "--tab", tab).stdout.startswith(b"<page-content ")
    facts = kapture_call(hub, "evaluate", "--tab", tab, "code=({a: [1, document.title]})", "--json")
    assert json.loads(facts.stdout)["value"] == {"a": [1, "Shop"]}
    filled = kapture_call(hub, "kapturemcp_fill", "--tab", tab, "selector=input", "value=Ann")
    assert filled.returncode == 0
    checked = kapture_call(hub, "evaluate", "--tab", tab, "code=document.querySelector('input').value", "--json")
    assert json.loads(checked.stdout)["value"] == "Ann"


@pytest.mark.e2e
def test_pictures_are_saved(hub: HubProcess, tab: str, tmp_path: Path) -> None:
    named = kapture_call(hub, "screenshot", "--tab", tab, "format=png", "-o", "page.png", folder=tmp_path)
    assert named.returncode == 0, named.stderr
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    for _ in range(2):  # a name that nobody chose replaces nothing
        assert kapture_call(hub, "screenshot", "--tab", tab, folder=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.png", "screenshot-2.jpg", "screenshot.jpg"]
    piped = kapture_call(hub, "screenshot", "--tab", tab, "format=png", "-o", "-")
    assert piped.stdout.startswith(b"\x89PNG")


@pytest.mark.e2e
def test_a_failure_is_reported_on_stderr_and_by_the_exit_code(hub: HubProcess, tab: str) -> None:
    missing = kapture_call(hub, "click", "--tab", tab, "selector=#none")
    assert (missing.returncode, missing.stdout) == (1, b"")
    assert missing.stderr.startswith(b"ELEMENT_NOT_FOUND: ")
    as_json = kapture_call(hub, "click", "--tab", tab, "selector=#none", "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)["error"]["code"]) == (1, "ELEMENT_NOT_FOUND")


def test_invalid_usage_and_a_failed_command_have_different_exit_codes(hub: HubProcess) -> None:
    unknown = kapture_call(hub, "clack")
    assert unknown.returncode == 2
    assert b"click" in unknown.stderr
    untyped = kapture_call(hub, "logs", "--tab", "x", "max=many")
    assert untyped.returncode == 2
    extra = kapture_call(hub, "click", "--tab", "x", "selektor=a")
    assert extra.returncode == 2
    assert b"selector" in extra.stderr
    stale = kapture_call(hub, "click", "--tab", "never-was", "selector=a")
    assert stale.returncode == 1
    assert stale.stderr.startswith(b"TAB_NOT_FOUND: ")


async def test_no_hub_has_its_own_exit_code_and_way_out(hub: HubProcess, tmp_path: Path) -> None:
    elsewhere = HubProcess(tmp_path, hub.port, hub.process)
    done = await trio.to_thread.run_sync(kapture_call, elsewhere, "list_tabs")
    assert done.returncode == 3
    assert b"kapture serve" in done.stderr


async def test_a_tab_that_answers_by_itself_can_be_called_too(hub: HubProcess) -> None:
    async with remote_tab(hub, "remote", lambda command, params: {"seen": params}) as remote:
        done = await trio.to_thread.run_sync(kapture_call, hub, "click", "--tab", "remote", "selector=#a", "--json")
    assert done.returncode == 0, done.stderr
    assert remote.commands == [("kapturemcp_click", {"selector": "#a"})]
