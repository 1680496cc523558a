"""docs/TOOLS.md is the registry, written down."""

from __future__ import annotations

from pathlib import Path

from kapture.commands.core.reference import reference
from kapture.commands.core.registry import all_commands

TOOLS = Path(__file__).parents[4] / "docs" / "TOOLS.md"


def test_the_page_of_tools_is_not_stale() -> None:
    assert TOOLS.read_text("utf-8") == reference(), "run: python -m kapture.commands.core.reference"


def test_every_command_has_its_place_and_a_description() -> None:
    text = reference()
    for command in all_commands():
        assert f"\n### {command.name}\n" in text
        assert command.description, f"{command.name} has no description"
        assert len(command.description.splitlines()[0]) <= 120
