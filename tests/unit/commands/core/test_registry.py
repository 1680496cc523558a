"""The registry: every family is in it, whole and in one order, whoever imports what."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kapture.commands.core.registry import all_commands, get_command
from kapture.errors import UnknownCommand

PRINT = "from kapture.commands.core.registry import all_commands; print(*(command.name for command in all_commands()))"


@pytest.mark.parametrize("first", ["kapture.commands.status", "kapture.policy"])
def test_the_registry_is_complete_and_in_order_whatever_is_imported_first(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {first}\n{PRINT}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [command.name for command in all_commands()]


def test_a_misspelt_command_is_answered_with_what_was_meant() -> None:
    with pytest.raises(UnknownCommand) as unknown:
        get_command("kapturemcp_navigat")
    assert unknown.value.data["suggestions"][0] == "navigate"
