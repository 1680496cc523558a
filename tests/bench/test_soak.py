"""A load small enough for a test, on a real hub."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from bench import soak as module
from bench.soak import Load, call_once


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WARM_UP_S", 0.1)
    monkeypatch.setattr(module, "_LEAST_STEP_S", 0.2)


async def test_each_answer_of_a_load_belongs_to_its_call() -> None:
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


async def test_load_notices_answers_to_other_calls() -> None:
    client: Any = Confused()
    tab: Any = Tab()
    load = Load(by_client=[0])
    for _ in range(3):
        await call_once(load, client, 0, tab)
    assert (load.commands, len(load.wrong)) == (3, 2)


def test_command_prints_figures() -> None:
    done = CliRunner().invoke(module.main, ["--tabs", "2", "--clients", "1", "--seconds", "1"])
    assert done.exit_code == 0, done.output
    assert "commands answered" in done.output
