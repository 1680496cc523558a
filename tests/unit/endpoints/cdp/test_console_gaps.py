"""Console entries are left out for a script that reads slowly, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
from trio.testing import wait_all_tasks_blocked

from kapture.settings import Limits
from tests.unit.endpoints.cdp.fake_browser import FakeBackend, ScriptEnd, world

LIMITS = attrs.evolve(Limits(), buffered_bytes=80_000)
LOGGED = "Runtime.consoleAPICalled"
LAST = "Page.loadEventFired"


async def read_until_last(script: ScriptEnd) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while not found or found[-1]["method"] != LAST:
        found.append(await script.message())
    return found


async def flood(tab: FakeBackend, script: ScriptEnd, *commands: str) -> list[dict[str, Any]]:
    """What a script gets that reads nothing while its page logs far more than may wait, and then everything."""
    session = await script.attach("T-tab1")
    for command in commands:
        await script.send(command, session=session)
    script.reads = False
    for number in range(1_000):
        tab.sessions[0].deliver(LOGGED, {"number": number, "text": "x" * 1_000}, None)
    tab.sessions[0].deliver(LAST, {}, None)
    await wait_all_tasks_blocked()
    script.read_again()
    return [message for message in await read_until_last(script) if not message["method"].startswith("Target.")]


async def test_a_script_that_reads_slowly_stays_connected_and_gets_all_but_console_entries(tmp_path: Path) -> None:
    async with world(tmp_path, LIMITS) as there, there.script() as script:
        got = await flood(there.tab("tab1"), script)
        assert script.closed is None
        numbers = [message["params"]["number"] for message in got[:-1]]
        assert 5 <= len(numbers) <= 20
        assert numbers == list(range(len(numbers)))


async def test_the_log_says_where_entries_are_missing(tmp_path: Path) -> None:
    async with world(tmp_path, LIMITS) as there, there.script() as script:
        got = await flood(there.tab("tab1"), script, "Log.enable")
        methods = [message["method"] for message in got]
        assert methods == [LOGGED] * methods.count(LOGGED) + ["Log.entryAdded", LAST]
        assert "left out" in got[-2]["params"]["entry"]["text"]
        assert got[-2]["sessionId"] == got[0]["sessionId"]


async def test_an_entry_that_the_script_may_not_see_begins_no_gap(tmp_path: Path) -> None:
    async with world(tmp_path, LIMITS) as there, there.script() as script:
        tab = there.tab("tab1", sites=["a.example"])
        await script.send("Log.enable", session=await script.attach("T-tab1"))
        script.reads = False
        tab.sessions[0].deliver(LOGGED, {"executionContextId": 1, "text": "x" * 15_000}, None)
        tab.sessions[0].deliver(LOGGED, {"executionContextId": 9, "text": "of another site"}, None)
        tab.sessions[0].deliver(LAST, {}, None)
        await wait_all_tasks_blocked()
        script.read_again()
        methods = [message["method"] for message in await read_until_last(script)]
        assert [method for method in methods if not method.startswith("Target.")] == [LOGGED, LAST]
