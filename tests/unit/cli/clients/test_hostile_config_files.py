"""What a client's configuration must not be: a pipe, a device, endless, or readable for others in its backup."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from kapture.cli.clients import config_file
from kapture.cli.clients.known_clients import config_files
from tests.unit.cli.clients.test_install import install, uninstall


@pytest.mark.parametrize("command", [install, uninstall])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path, command: Callable[..., Result]) -> None:
    pipe = tmp_path / "mcp.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        refused = command("cursor", "--file", str(path))
        assert refused.exit_code == 1
        assert "not a regular file" in refused.output
    assert pipe.is_fifo()


def test_what_would_be_added_is_printed_for_the_null_device_which_is_never_replaced() -> None:
    printed = install("cursor", "--print", "--file", os.devnull)
    assert printed.exit_code == 0
    assert "mcpServers" in printed.output
    assert install("cursor", "--file", os.devnull).exit_code == 1
    assert Path(os.devnull).is_char_device()


def test_a_pipe_where_a_client_has_its_file_does_not_stop_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    path = config_files()["codex"].path
    path.parent.mkdir()
    os.mkfifo(path)
    assert install().exit_code == 0


def test_a_file_larger_than_any_configuration_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    with path.open("wb") as file:
        file.truncate(2**40)
    refused = install("cursor", "--file", str(path))
    assert refused.exit_code == 1
    assert "is larger than" in refused.output


def test_the_backup_is_a_new_file_that_nobody_else_can_read_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, elsewhere = tmp_path / "mcp.json", tmp_path / "elsewhere"
    path.write_text('{"mcpServers": {"other": {"env": {"KEY": "secret"}}}}')
    path.chmod(0o600)
    planned = tmp_path / "mcp.json.planned.bak"
    planned.symlink_to(elsewhere)
    monkeypatch.setattr(config_file, "_backup_name", lambda _: planned)
    assert install("cursor", "--file", str(path)).exit_code == 1
    assert not elsewhere.exists()
    planned.unlink()
    opened: list[int] = []
    plain_open = os.open

    def watched(path: str | Path, flags: int, mode: int = 0o777) -> int:
        handle = plain_open(path, flags, mode)
        opened.append(os.fstat(handle).st_mode & 0o077)
        return handle

    monkeypatch.setattr(os, "open", watched)
    assert install("cursor", "--file", str(path)).exit_code == 0
    assert planned.stat().st_mode & 0o777 == 0o600
    assert "secret" in planned.read_text()
    assert opened
    assert not any(opened)
