"""Tab in the shell: command names, ids of connected tabs, clients, toolsets, without an error ever."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kapture.cli import main
from kapture.mcp.options import TOOLSETS
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, hub_process


def completed(home: Path, *words: str) -> list[str]:
    """What fish would offer for the last of these words."""
    environment = {
        **os.environ,
        "KAPTURE_HOME": str(home),
        "_KAPTURE_COMPLETE": "fish_complete",
        "COMP_WORDS": " ".join(["kapture", *words]),
        "COMP_CWORD": words[-1],
    }
    done = subprocess.run(
        [sys.executable, "-m", "kapture"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return [line.partition(",")[2].partition("\t")[0] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_understood_by_it(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell], prog_name="kapture")
    assert done.exit_code == 0
    assert "_KAPTURE_COMPLETE" in done.stdout
    if (program := shutil.which(shell)) is not None:
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True)


def test_an_unknown_shell_is_refused_with_those_that_are_known() -> None:
    done = CliRunner().invoke(main, ["completion", "tcsh"])
    assert done.exit_code == 2
    assert "bash" in done.output


def test_commands_and_subcommands_are_completed(tmp_path: Path) -> None:
    assert completed(tmp_path, "set") == ["setup"]
    assert completed(tmp_path, "call", "snap") == ["snapshot"]
    assert completed(tmp_path, "install", "vsc") == ["vscode", "vscode-insiders"]
    assert completed(tmp_path, "install", "--profile", "m") == ["minimal"]


def test_toolsets_are_completed_one_after_the_other(tmp_path: Path) -> None:
    assert completed(tmp_path, "mcp", "--toolsets", "n") == ["network"]
    assert completed(tmp_path, "mcp", "--toolsets", "network,f") == ["network,files"]
    assert completed(tmp_path, "mcp", "--toolsets", "core,c") == []


def test_the_help_of_toolsets_names_each_of_them() -> None:
    for command in ("mcp", "install"):
        text = " ".join(CliRunner().invoke(main, [command, "--help"]).output.split())
        assert f"Any of {', '.join(TOOLSETS)}; or all." in text


def test_without_a_hub_no_tab_is_offered_and_nothing_is_said(tmp_path: Path) -> None:
    assert completed(tmp_path, "call", "click", "--tab", "k") == []


@pytest.fixture
def hub(tmp_path: Path) -> HubProcess:  # type: ignore[misc]
    with hub_process(tmp_path) as started:
        yield started


async def test_ids_of_connected_tabs_are_completed(hub: HubProcess) -> None:
    import trio

    async with remote_tab(hub, "k3f9a2bc"), remote_tab(hub, "m4x8b3de"):
        found = await trio.to_thread.run_sync(completed, hub.home, "call", "click", "--tab", "k")
    assert found == ["k3f9a2bc"]
