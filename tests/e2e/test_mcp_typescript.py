"""The official TypeScript client over all three transports, in both eras of the protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.pairing import key_file
from tests.support.mcp_transports import PAIRS
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess

ROOT = Path(__file__).resolve().parents[2]


async def run_client(hub: HubProcess, transport: str, era: str, tab_id: str) -> Any:
    environment = {
        **hub.environment,
        "KAPTURE_TEST_PORT": str(hub.port),
        "KAPTURE_TEST_TOKEN": key_file.read(hub.home).clientToken,
        "KAPTURE_TEST_PYTHON": sys.executable,
    }
    node = ["node", "tests/js/mcp_client.js", transport, era, tab_id]
    if transport == "websocket":
        node.insert(1, "--experimental-websocket")  # Node 20 has it behind a flag; later ones accept the flag
    with trio.fail_after(60):
        done = await trio.run_process(
            node, cwd=ROOT, env=environment, capture_stdout=True, capture_stderr=True, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize(("transport", "era"), PAIRS)
async def test_the_typescript_client_is_served(hub: HubProcess, transport: str, era: str) -> None:
    tab_id = f"ts-{transport}-{era[:4]}"
    async with remote_tab(hub, tab_id) as tab:
        seen = await run_client(hub, transport, era, tab_id)
    assert "kapturemcp_click" in seen["tools"]
    assert tab.commands == [("kapturemcp_click", {"selector": "#go"})]
    assert not seen["clicked"].get("isError")
    assert seen["failed"]["isError"]
    assert seen["failed"]["content"][0]["text"].startswith("TAB_NOT_FOUND: ")
    assert f"kapture://tab/{tab_id}" in [resource["uri"] for resource in seen["resources"]]
    assert tab_id in seen["tabs"]["contents"][0]["text"]
    assert len(seen["prompts"]) == 6
