"""Tab in the shell: command names, ids of connected tabs, clients, toolsets, without an error ever."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from kapture.cli import main
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Scenario, Step
from tests.support.forked import run_kapture
from tests.support.patience import until
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, hub_process

_PATIENCE_S = 30


def shell_environment(folder: Path) -> dict[str, str]:
    """A shell's, in which there is the command `kapture` and no configuration of the person's."""
    command = folder / "bin" / "kapture"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kapture "$@"\n')
    command.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "HOME": str(folder),
        "KAPTURE_HOME": str(folder),
        "TERM": "dumb",
    }


class Terminal:
    """A shell at a pseudo-terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def enter(self, text: str) -> None:
        """Type this."""
        os.write(self._descriptor, text.encode())

    def until(self, words: str) -> None:
        """Wait until it shows these words."""
        shown = ""
        ends = time.monotonic() + _PATIENCE_S
        while words not in shown:
            assert select.select([self._descriptor], [], [], max(0, ends - time.monotonic()))[0], shown
            shown += os.read(self._descriptor, 4_096).decode(errors="replace")


@contextmanager
def shell_at_terminal(name: str, folder: Path) -> Iterator[Terminal]:
    """A shell that a person types into."""
    program = shutil.which(name) or pytest.skip(f"there is no {name}")
    plain = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[name]
    ours, theirs = os.openpty()
    try:
        with subprocess.Popen(
            [program, *plain],
            env=shell_environment(folder),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        ) as process:
            try:
                yield Terminal(ours)
            finally:
                process.kill()
    finally:
        os.close(theirs)
        os.close(ours)


def completed(home: Path, *words: str) -> list[str]:
    """Return fish's completions for the last of these words."""
    environment = {
        **os.environ,
        "KAPTURE_HOME": str(home),
        "_KAPTURE_COMPLETE": "fish_complete",
        "COMP_WORDS": " ".join(["kapture", *words]),
        "COMP_CWORD": words[-1],
    }
    done = run_kapture([], environment)
    assert done.stderr == b""
    return [line.partition(",")[2].partition("\t")[0] for line in done.stdout.decode().splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell], prog_name="kapture")
    assert done.exit_code == 0
    assert "_KAPTURE_COMPLETE" in done.stdout


_LOAD = {
    "bash": 'eval "$(kapture completion bash)"',
    "zsh": 'autoload -U compinit && compinit -u && eval "$(kapture completion zsh)"',
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("shell", _LOAD)
def test_tab_completes_in_the_shell_itself(tmp_path: Path, shell: str) -> None:
    with shell_at_terminal(shell, tmp_path) as terminal:
        terminal.enter(f'{_LOAD[shell]} && echo rea""dy\n')
        terminal.until("ready\r\n")
        terminal.enter("kapture setu\t")
        terminal.until("setup ")
        terminal.enter("\x15kapture call snapsh\t")
        terminal.until("snapshot ")


def test_names_of_scenarios_are_completed_where_one_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("checkout", "check_mail", "sign_in"):
        ScenarioFolder(home).save(Scenario(version=1, name=name, chain=[Step(command="reload")]))
    for command in ("run", "show", "edit", "delete", "export", "secrets"):
        assert completed(home, "scenario", command, "che") == ["check_mail", "checkout"]


def test_commands_and_subcommands_are_completed(tmp_path: Path) -> None:
    assert completed(tmp_path, "set") == ["setup"]
    assert completed(tmp_path, "call", "snap") == ["snapshot"]
    assert completed(tmp_path, "install", "vsc") == ["vscode", "vscode-insiders"]
    assert completed(tmp_path, "install", "--profile", "m") == ["minimal"]


@pytest.fixture
def hub(tmp_path: Path) -> HubProcess:  # type: ignore[misc]
    with hub_process(tmp_path) as started:
        yield started


async def test_ids_of_connected_tabs_are_completed(hub: HubProcess) -> None:
    import trio

    async def offered() -> list[str]:
        return await trio.to_thread.run_sync(completed, hub.home, "call", "click", "--tab", "k")

    async with remote_tab(hub, "k3f9a2bc"), remote_tab(hub, "m4x8b3de"):
        # A hub that is too busy to answer within a second is not waited for: the shell must not stand still.
        assert await until(offered, "the ids of the hub's tabs") == ["k3f9a2bc"]
