"""Invalid configurations of clients: a pipe, a device, endless, or readable for others in its backup."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kapture.cli.clients import config_file
from kapture.cli.clients.install import install_command, uninstall_command
from kapture.cli.clients.known_clients import config_files


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "KAPTURE_HOME", "KAPTURE_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def install(*words: str) -> Result:
    return CliRunner().invoke(install_command, words)


def uninstall(*words: str) -> Result:
    return CliRunner().invoke(uninstall_command, words)


@pytest.mark.parametrize("client", config_files())
def test_every_client_gets_its_entry_and_loses_it_again(home: Path, client: str) -> None:
    config = config_files()[client]
    assert home in config.path.parents
    assert install(client, "--toolsets", "all").exit_code == 0
    text = config.path.read_text()
    data = tomllib.loads(text) if config.format == "toml" else json.loads(text)
    for key in config.member:
        data = data[key]
    entry = data["kapture"]
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert words[1:] == ["mcp", "--toolsets", "all"]
    assert Path(words[0]).is_absolute()
    assert "already" in install(client, "--toolsets", "all").output
    assert uninstall(client).exit_code == 0
    assert "kapture" not in config.path.read_text()


def test_a_copy_of_the_old_file_stays_and_its_mode_too(home: Path) -> None:
    path = config_files()["cursor"].path
    path.parent.mkdir()
    before = '{\n\t"mcpServers": {}\n}\n'
    path.write_text(before)
    path.chmod(0o640)
    done = install("cursor")
    assert done.exit_code == 0
    (backup,) = path.parent.glob("mcp.json.*.bak")
    assert backup.read_text() == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert '\n\t\t"kapture": {' in path.read_text()
    assert '"kapture": {' in done.output
    assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


def test_control_characters_of_the_file_do_not_reach_the_terminal(home: Path) -> None:
    path = home / "project.json"
    path.write_text('{"mcpServers": {"kapture": {"command": "x", "args": ["mcp", "\x9b2J"]}}}')
    for result in (install("cursor", "--file", str(path)), uninstall("cursor", "--file", str(path))):
        assert result.exit_code == 0
        assert "\x9b" not in result.output


@pytest.mark.parametrize(
    "text",
    [
        "{ broken",
        '{"mcpServers": {} // comment\n}',
        '{"mcpServers": {},}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"mcpServers": []}',
        "[]",
        '{"a": ' + "[" * 100_000,
    ],
)
def test_file_that_is_not_plain_json_is_left_alone_and_the_entry_shown(home: Path, text: str) -> None:
    path = config_files()["cursor"].path
    path.parent.mkdir()
    path.write_text(text)
    refused = install("cursor")
    assert refused.exit_code == 1
    assert f"{path} is not changed" in refused.output
    assert '"kapture": {' in refused.output
    assert path.read_text() == text
    assert uninstall("cursor").exit_code == 0
    path.write_text('{"mcpServers": {"kapture": {} /* mine */}}')
    assert "Remove kapture from mcpServers by hand." in uninstall("cursor").output


OTHERS = {
    "comments": '# top\n[a] # a\nb = 1\n\n[mcp_servers.other]\ncommand = "x" # mine\n',
    "dotted": 'mcp_servers.other.command = "x"\n[z]\n',
    "split": '[mcp_servers.other]\ncommand = "x"\n[z]\n[mcp_servers.more]\ncommand = "y"\n',
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_toml_keeps_every_other_line(home: Path, text: str) -> None:
    path = config_files()["codex"].path
    path.parent.mkdir()
    path.write_text(text)
    assert install("codex", "--toolsets", "all").exit_code == 0
    added = path.read_text()
    assert tomllib.loads(added)["mcp_servers"]["kapture"]["args"] == ["mcp", "--toolsets", "all"]
    lines = [line for line in text.splitlines() if line]
    assert [line for line in added.splitlines() if line in lines] == lines
    if text == OTHERS["comments"]:
        path.write_text(added.replace("kapture]", "kapture] # ours") + "startup_timeout_sec = 9\n")
        assert install("codex", "--toolsets", "core").exit_code == 0
        assert "# ours" in path.read_text()
        assert tomllib.loads(path.read_text())["mcp_servers"]["kapture"]["startup_timeout_sec"] == 9
    assert uninstall("codex").exit_code == 0
    assert tomllib.loads(path.read_text())["mcp_servers"] == tomllib.loads(text)["mcp_servers"]


CLAUDE = """#!/bin/sh
echo "$@" >> "$HOME/calls"
case "$2" in
    add-json) printf '{"numStartups": 3, "mcpServers": {"%s": %s}}' "$5" "$6" > "$HOME/.claude.json" ;;
    remove) printf '{"numStartups": 3}' > "$HOME/.claude.json" ;;
esac
"""


def _program(home: Path, name: str, text: str) -> None:
    (home / "bin").mkdir()
    (home / "bin" / name).write_text(text)
    (home / "bin" / name).chmod(0o755)


def test_own_command_of_a_client_makes_the_change(home: Path) -> None:
    _program(home, "claude", CLAUDE)
    (home / ".claude.json").write_text('{"numStartups": 2} // comment')
    assert "mcp add-json" in install("claude-code", "--print").output
    assert not (home / "calls").exists()
    assert install("claude-code").exit_code == 0
    assert install("claude-code", "--toolsets", "all").exit_code == 0
    assert "already" in install("claude-code", "--toolsets", "all").output
    assert uninstall("claude-code").exit_code == 0
    assert json.loads((home / ".claude.json").read_text()) == {"numStartups": 3}
    calls = [" ".join(line.split()[:5]) for line in (home / "calls").read_text().splitlines()]
    add, remove = "mcp add-json --scope user kapture", "mcp remove --scope user kapture"
    assert calls == [add, remove, add, remove]


@pytest.mark.parametrize(("text", "reason"), [("exit 0", "does not have"), ("echo no >&2; exit 3", "code 3: no")])
def test_own_command_that_changes_nothing_is_an_error(home: Path, text: str, reason: str) -> None:
    _program(home, "gemini", f"#!/bin/sh\n{text}\n")
    refused = install("gemini")
    assert refused.exit_code == 1
    assert reason in refused.output


def test_own_command_is_not_run_for_another_file(home: Path) -> None:
    _program(home, "claude", CLAUDE)
    assert install("claude-code", "--file", str(home / "other.json")).exit_code == 0
    assert not (home / "calls").exists()
    assert "kapture" in json.loads((home / "other.json").read_text())["mcpServers"]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_in_another_encoding_is_left_alone_and_the_person_told_what_to_do(home: Path, encoding: str) -> None:
    config = home / "mcp.json"
    before = '{"mcpServers": {"ü": {"command": "x"}}}'.encode(encoding)
    config.write_bytes(before)
    refused = install("cursor", "--file", str(config))
    assert refused.exit_code == 1
    assert "Save it as UTF-8" in refused.output
    assert config.read_bytes() == before


def test_additions_of_person_to_entry_stay(home: Path) -> None:
    path = config_files()["cursor"].path
    path.parent.mkdir()
    entry = {
        "command": "/gone/kapture",
        "args": ["mcp", "--profile", "minimal"],
        "env": {"HTTPS_PROXY": "http://proxy:8080"},
        "disabled": False,
        "autoApprove": ["kapturemcp_snapshot"],
    }
    path.write_text(json.dumps({"mcpServers": {"kapture": entry}}))
    assert install("cursor").exit_code == 0
    after = json.loads(path.read_text())["mcpServers"]["kapture"]
    assert after == {**entry, "command": after["command"]}
    assert after["command"] != "/gone/kapture"
    assert install("cursor", "--toolsets", "all").exit_code == 0
    assert json.loads(path.read_text())["mcpServers"]["kapture"]["args"] == ["mcp", "--toolsets", "all"]


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_a_byte_order_mark_stays(home: Path, client: str) -> None:
    config = config_files()[client]
    config.path.parent.mkdir(parents=True)
    config.path.write_bytes(b"\xef\xbb\xbf")
    assert install(client).exit_code == 0
    assert config.path.read_bytes().startswith(b"\xef\xbb\xbf{" if client == "cursor" else b"\xef\xbb\xbf[")
    assert "is configured already" in install(client).output
    assert uninstall(client).output.splitlines()[-1].startswith("Removed Kapture")


def _link_to_itself(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir(parents=True)


def _file_in_place_of_its_folder(path: Path) -> None:
    path.parent.write_text("")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_link_to_itself, "is a link that leads to itself. Remove it"),
        (_folder, "could not be read: Is a directory."),
        (_file_in_place_of_its_folder, "could not be written: "),
    ],
)
def test_a_path_that_holds_no_file_is_said_in_words(home: Path, make: Callable[[Path], None], reason: str) -> None:
    path = config_files()["cursor"].path
    make(path)
    refused = install("cursor")
    assert isinstance(refused.exception, SystemExit), refused.exception
    assert f"{path} {reason}" in refused.output


def test_an_unknown_client_is_an_error_that_lists_the_known_ones(home: Path) -> None:
    refused = install("curser")
    assert refused.exit_code == 2
    assert "Did you mean cursor?" in refused.output


@pytest.mark.parametrize(
    ("platform", "environment", "client", "path"),
    [
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "claude-desktop", "/c/Claude/claude_desktop_config.json"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "opencode", "/c/opencode/opencode.json"),
        ("darwin", {"HOME": "/h", "CODEX_HOME": "/c"}, "codex", "/c/config.toml"),
        ("linux", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "claude-code", "/c/.claude.json"),
        ("win32", {"USERPROFILE": "C:/u"}, "vscode", "C:/u/AppData/Roaming/Code/User/mcp.json"),
    ],
)
def test_environment_variable_for_client_folder_is_used(
    platform: str, environment: dict[str, str], client: str, path: str
) -> None:
    assert config_files(platform, environment)[client].path.as_posix() == path


# What a client's configuration must not be: a pipe, a device, endless, or readable for others in its backup.


@pytest.mark.parametrize("command", [install, uninstall])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path, command: Callable[..., Result]) -> None:
    pipe = tmp_path / "mcp.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        refused = command("cursor", "--file", str(path))
        assert refused.exit_code == 1
        assert "not a regular file" in refused.output
    assert pipe.is_fifo()


def test_addition_is_printed_for_null_device_which_is_never_replaced() -> None:
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
