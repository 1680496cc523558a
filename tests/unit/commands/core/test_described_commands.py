"""The Console's forms have what a person needs to fill them in: bounds and defaults, for every command."""

from __future__ import annotations

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.described import described_commands


def test_every_command_has_its_whole_schema() -> None:
    rows = {row["name"]: row for row in described_commands()}
    quality = rows["screenshot"]["schema"]["properties"]["quality"]
    assert (quality["minimum"], quality["maximum"]) == (1, 100)
    assert rows["screenshot"]["schema"]["properties"]["max_height"]["default"] == 8_000
    assert rows["navigate"]["schema"]["required"] == ["url"]
    assert (rows["logs"]["lane"], rows["list_tabs"]["scope"], rows["evaluate"]["level"]) == ("control", "hub", "full")
