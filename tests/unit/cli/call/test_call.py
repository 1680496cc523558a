"""`kapture call` through a real hub: what goes to stdout, what to stderr, and what may be left out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from kapture.cli.call.call import call_command
from tests.support.forked import run_kapture
from tests.support.proven_extension import proven_extension
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, hub_process


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    with hub_process(tmp_path / "data") as started:
        yield started


def call(hub: HubProcess, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = run_kapture(["call", *words], hub.environment, cwd or hub.home)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


async def test_one_connected_tab_needs_no_name_and_a_ref_no_key(hub: HubProcess) -> None:
    async with remote_tab(hub, "k3f9a2bc") as tab:
        done = await trio.to_thread.run_sync(call, hub, "hover", "selector=#save")
        assert done.returncode == 0, done.stderr
        assert tab.commands == [("kapturemcp_hover", {"selector": "#save"})]
        refused = await trio.to_thread.run_sync(call, hub, "hover", "e12")
        assert "UNSUPPORTED" in refused.stderr  # this tab takes selectors only: the ref has arrived as one


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["click", "e3", "--count", "2"], "Write a command's parameters without dashes: count=VALUE."),
        (["snapshot", "--max-chars=100"], "Write a command's parameters without dashes: max_chars=VALUE."),
        (["list_tabs", "--jsn"], "Did you mean '--json'?"),
        (["no_command", "--count"], "No such option '--count'."),
    ],
)
def test_a_parameter_given_as_an_option_is_answered_with_how_it_is_written(words: list[str], said: str) -> None:
    refused = CliRunner().invoke(call_command, words)
    assert refused.exit_code == 2
    assert said in refused.output


async def test_it_says_on_stderr_that_it_waits_for_the_person(hub: HubProcess) -> None:
    async with proven_extension(hub.home) as browser:
        register = {"type": "register_browser", "protocol": 1, "capabilities": ["tab_request"], "browser": {}}
        await browser.send_message(json.dumps(register))
        done: list[subprocess.CompletedProcess[str]] = []

        async def ask() -> None:
            done.append(await trio.to_thread.run_sync(call, hub, "request_tab", "reason=To compare prices."))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            with trio.fail_after(30):
                while (message := json.loads(await browser.get_message()))["type"] != "tab_request":
                    continue
            answer = {"type": "tab_request_answer", "id": message["id"], "decision": "deny"}
            await browser.send_message(json.dumps(answer))
    (ended,) = done
    assert ended.stderr.splitlines()[0] == "Waiting for the person to choose a tab."
    assert "POLICY_DENIED" in ended.stderr
    assert ended.stdout == ""


def test_without_a_hub_it_says_how_to_start_one_and_exits_with_3(hub: HubProcess) -> None:
    hub.kill()
    done = call(hub, "list_tabs", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["data"] == {"state": "no_hub"}
