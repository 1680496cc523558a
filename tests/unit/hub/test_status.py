"""What `status` answers, and docs/PROTOCOL.md says of it."""

from __future__ import annotations

import mmap
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from kapture.hub import Client
from kapture.hub.status import resident_bytes
from tests.unit.hub.simulated import world

PROTOCOL = (Path(__file__).parents[3] / "docs" / "PROTOCOL.md").read_text("utf-8")


async def test_every_fact_of_status_is_named_in_the_protocol(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect()
        await tab.register("tab1")
        answer = (await there.hub.call(Client(name="claude", kind="stdio"), "status", {})).data["status"]
    section = PROTOCOL.partition("\n## `status`\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"\w+", section))
    rows = [
        answer,
        answer["hub"],
        answer["memory"],
        answer["loop"],
        answer["policy"],
        answer["counters"],
        *answer["tabs"],
    ]
    assert answer["tabs"]
    assert {key for row in rows for key in row} <= named


async def test_a_tab_that_executes_commands_itself_does_not_count_as_one_of_the_extension(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        await there.tab("itself")
        await there.tab("debugged", capabilities=["cdp"])
        shown = {tab["tabId"]: tab["backend"] for tab in there.hub.status()["tabs"]}
    assert shown == {"itself": "self-executing", "debugged": "extension"}


async def test_status_holds_no_secret(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", browser={"name": "Chromium", "instance": "instance-secret"})
        text = str(there.hub.status())
        assert "Chromium" in text
        for secret in ("instance-secret", there.secrets.key, there.secrets.clientToken):
            assert secret not in text


_MIB = 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the most is known, or nothing")
def test_memory_that_is_written_to_shows_in_the_memory_of_the_process() -> None:
    # A mapping of its own: memory from the allocator may be some that the process has and counts already.
    with mmap.mmap(-1, 64 * _MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as held:
        before = resident_bytes()
        held.write(b"x" * (64 * _MIB))
        after = resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before > 48 * _MIB
