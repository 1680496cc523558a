"""A load small enough for a test, on a real hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kapture.cli.soak import soak_command
from kapture.measure import soak as module
from kapture.measure.load import Load, call_once


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WARM_UP_S", 0.1)
    monkeypatch.setattr(module, "_LEAST_STEP_S", 0.2)


async def test_every_answer_of_a_load_is_its_calls_own() -> None:
    result = await module.soak(tabs=12, clients=3, seconds=0.5)
    assert result.commands > 0
    assert (list(result.wrong), result.lost_tabs) == ([], 0)
    assert [step.tabs for step in result.steps] == [10, 12]


class Tab:
    tab_id = "soak000001"


class Confused:
    """Answers every call with the first one's answer."""

    answer = b""

    async def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        if not self.answer:
            fields = json.dumps({"clicked": arguments["selector"], "by": arguments["tabId"]})
            self.answer = json.dumps({"content": [{"text": fields}]}).encode()
        return self.answer


async def test_a_load_notices_an_answer_that_is_another_calls() -> None:
    client: Any = Confused()
    tab: Any = Tab()
    load = Load(by_client=[0])
    for _ in range(3):
        await call_once(load, client, 0, tab)
    assert (load.commands, len(load.wrong)) == (3, 2)


def test_the_command_prints_json_and_writes_a_chart(tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    arguments = ["--tabs", "2", "--clients", "1", "--seconds", "1", "--json", "--svg", str(chart)]
    done = CliRunner().invoke(soak_command, arguments)
    result = json.loads(done.stdout)
    assert result["commands"] > 0
    assert result["wrong"] == []
    assert chart.read_text().startswith("<svg")
