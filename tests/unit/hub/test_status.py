"""What `status` answers, and docs/PROTOCOL.md says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kapture.hub import Client
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


async def test_status_holds_no_secret(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", browser={"name": "Chromium", "instance": "instance-secret"})
        text = str(there.hub.status())
        assert "Chromium" in text
        for secret in ("instance-secret", there.secrets.key, there.secrets.clientToken):
            assert secret not in text
