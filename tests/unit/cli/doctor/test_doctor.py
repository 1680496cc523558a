"""Problems in the status of a running hub."""

from __future__ import annotations

import json
import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
from click.testing import CliRunner

from kapture.cli.clients.install import install_command
from kapture.cli.doctor import hub_checks
from kapture.cli.doctor.doctor import doctor_command, examine
from kapture.cli.doctor.finding import Finding
from kapture.cli.doctor.hub_checks import changed_policy, written
from kapture.errors import KaptureError
from kapture.group.key import new_key
from kapture.pairing import Pairing, native_host
from kapture.pairing.host_manifest import write_host_manifest
from kapture.settings import GroupServer, Settings

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "KAPTURE_POLICY_FILE"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    monkeypatch.setenv("KAPTURE_PORT", "0")
    monkeypatch.setenv("KAPTURE_BROWSER", sys.executable)  # it has a version, and says so sooner than a browser
    return home


async def about(what: str) -> Finding:
    return next(finding for finding in await examine() if finding.what == what)


async def test_a_fresh_machine_has_nothing_bad(home: Path) -> None:
    assert [finding for finding in await examine() if finding.state == "bad"] == []
    assert "not running" in (await about("hub")).detail


@pytest.mark.parametrize("broken", ["settings.toml", "policy.toml", "hub.json", "seen.json"])
async def test_a_broken_file_stops_no_other_check_and_the_extensions_folder_is_always_there(
    home: Path, broken: str
) -> None:
    (home / broken).write_text("[[[")
    findings = {finding.what: finding for finding in await examine()}
    assert {"extension folder", "data folder", "hub", "browser", "extension", "MCP clients"} <= findings.keys()
    assert (Path(findings["extension folder"].detail) / "manifest.json").exists()


@posix
def test_a_data_folder_open_to_others_is_found(home: Path) -> None:
    home.chmod(0o755)
    finding = trio.run(about, "data folder")
    assert finding.state == "bad"
    assert finding.fix == f"Run `chmod 700 {home}`."


async def test_a_full_disk_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kapture.cli.doctor.setup_checks.shutil.disk_usage", lambda _: SimpleNamespace(free=4_096))
    finding = await about("data folder")
    assert finding.state == "bad"
    assert "4,096 bytes are free" in finding.detail


@posix
async def test_a_key_file_that_others_can_read_is_found(home: Path) -> None:
    Pairing(home).write_key_file(1)
    (home / "hub.json").chmod(0o644)
    finding = await about("key file")
    assert finding.state == "bad"
    assert "chmod" in finding.fix


async def test_a_broken_policy_file_is_found_with_its_line(home: Path) -> None:
    (home / "policy.toml").write_text("allow = [\n")
    (home / "policy.toml").chmod(0o600)
    assert (await about("policy file")).state == "bad"


async def test_broken_settings_are_found(home: Path) -> None:
    (home / "settings.toml").write_text("prot = 1\n")
    finding = await about("settings")
    assert finding.state == "bad"


async def test_a_port_that_another_program_has_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, trio.aclose_forcefully, listeners)
        port = listeners[0].socket.getsockname()[1]
        monkeypatch.setenv("KAPTURE_PORT", str(port))
        finding = await about("hub")
        nursery.cancel_scope.cancel()
    assert finding.state == "bad"
    assert f"port {port} is taken" in finding.detail
    assert "KAPTURE_PORT" in finding.fix


@pytest.mark.parametrize(
    ("client", "file", "broken", "where"),
    [
        ("cursor", ".cursor/mcp.json", b'{\n  "mcpServers": {,}\n}', "line 2 column 18"),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": []}', "mcpServers is not a table of servers"),
        ("cursor", ".cursor/mcp.json", b"\xff\xfe", "it is not UTF-8"),
        ("codex", ".codex/config.toml", b'model = "o3"\n[mcp_servers\n', "line 2"),
    ],
)
async def test_file_that_cannot_be_edited_is_reported_as_by_install(
    home: Path, client: str, file: str, broken: bytes, where: str
) -> None:
    config = home.parent / file
    config.parent.mkdir()
    config.write_bytes(broken)
    zed = home.parent / ".config" / "zed" / "settings.json"  # stands after both
    zed.parent.mkdir(parents=True)
    zed.write_text("{}")
    findings = {finding.what: finding for finding in await examine()}
    finding = findings[client.title()]
    assert finding.state == "note"
    assert str(config) in finding.detail
    assert where in finding.detail
    assert finding.detail in CliRunner().invoke(install_command, [client]).output
    assert findings["Zed"].fix == "Run `kapture install zed`."


@posix
def test_installations_of_other_versions_are_found(home: Path, tmp_path: Path) -> None:
    old = tmp_path / "an old one"
    (old / "kapture" / "pairing").mkdir(parents=True)
    (old / "kapture" / "__init__.py").write_text('__version__ = "0.1.0"\n')
    program = old / "kapture-old"
    program.write_text("#!/bin/sh\necho 'kapture, version 0.1.0'\n")
    program.chmod(0o755)
    config = tmp_path / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"mcpServers": {"kapture": {"command": str(program), "args": ["mcp"]}}}))
    browser = tmp_path / ".config" / "chromium"
    browser.mkdir(parents=True)
    (browser / "Local State").write_text("{}")
    manifest = write_host_manifest(browser / "NativeMessagingHosts", home=home)
    assert trio.run(about, "pairing with Chromium").state == "ok"
    script = Path(json.loads(manifest.read_text())["path"])
    theirs = old / "kapture" / "pairing" / "native_host.py"
    theirs.touch()
    script.write_text(script.read_text().replace(shlex.quote(native_host.__file__), shlex.quote(str(theirs))))
    for what in ("Cursor", "pairing with Chromium"):
        found = trio.run(about, what)
        assert (found.state, "0.1.0" in found.detail, "kapture setup" in found.fix) == ("note", True, True)
    theirs.unlink()
    assert trio.run(about, "pairing with Chromium").state == "bad"


def test_the_exit_code_is_1_when_anything_is_bad(home: Path) -> None:
    assert CliRunner().invoke(doctor_command, ["--json"]).exit_code == 0
    home.chmod(0o755)
    done = CliRunner().invoke(doctor_command, ["--json"])
    assert done.exit_code == 1
    assert any(finding["state"] == "bad" for finding in json.loads(done.output))


# What the status of a running hub says of what is wrong with it.


def test_failed_writes_of_hub_are_found() -> None:
    assert list(written(None)) == []
    assert list(written({"auditFailure": None, "dataFolderFailure": None})) == []
    (finding,) = written({"auditFailure": "audit.jsonl could not be written: No space left on device."})
    assert (finding.what, finding.state) == ("audit log", "bad")
    assert "No space left" in finding.detail


def test_a_policy_file_that_has_changed_since_the_hub_read_it_is_found(tmp_path: Path) -> None:
    def found(started: str, file: Path | None) -> list[str]:
        status = {"hub": {"startedAt": started, "pid": 7}, "policy": {"file": str(file) if file else None}}
        return [finding.fix for finding in changed_policy(Settings(home=tmp_path), status)]

    early, late = "2026-01-01T10:00:00.000Z", "2026-01-01T12:00:00.000Z"
    policy = tmp_path / "policy.toml"
    assert found(early, None) == []
    assert found(early, policy)  # it is gone
    policy.write_text('level = "read"\n')
    os.utime(policy, times=(datetime(2026, 1, 1, 11, tzinfo=UTC).timestamp(),) * 2)
    assert found(late, policy) == []
    assert len(found(early, policy)) == len(found(early, None)) == 1
    assert list(changed_policy(Settings(home=tmp_path), None)) == []


@pytest.mark.parametrize(
    ("differs", "state", "words"),
    [
        ({}, "ok", "2 of its tabs are for the group"),
        (
            {"away": "it does not answer"},
            "bad",
            "no connection to its server since 2026-01-01T00:00:00Z: it",
        ),
        ({"clockDiffersS": -40.0}, "bad", "40 s behind"),
        ({"machines": [{"machine": "laptop", "version": "1", "tabs": 0}]}, "note", "another machine has its name"),
        ({"refused": {"hub": 1}}, "note", "1 refused"),
        ({"taken": ["tab1"], "refused": {"message": 3}}, "ok", "has their ids: tab1; 3 refused"),
    ],
)
def test_state_of_the_group_is_told(differs: dict[str, object], state: str, words: str) -> None:
    group: dict[str, object] = {
        "name": "team",
        "machine": "laptop",
        "server": "rediss://redis.example:6379/0",
        "away": None,
        "since": "2026-01-01T00:00:00Z",
        "clockDiffersS": None,
        "offered": 2,
        "taken": [],
        "machines": [],
        "refused": {},
    }
    (finding,) = hub_checks.group(Settings(home=Path("/")), {"group": {**group, **differs}})
    assert finding.state == state
    assert words in finding.detail
    assert list(hub_checks.group(Settings(home=Path("/")), {"group": None})) == []


def test_group_of_the_settings_is_checked_without_a_hub(tmp_path: Path) -> None:
    key = tmp_path / "team.key"
    settings = Settings(home=tmp_path, join=GroupServer(path="/s"), group_key_file=key)
    with pytest.raises(KaptureError, match="there is no such file"):
        list(hub_checks.group(settings, None))
    new_key("team", key)
    assert [finding.state for finding in hub_checks.group(settings, None)] == ["ok"]
    (finding,) = hub_checks.group(settings, {"group": None})
    assert "kapture stop" in finding.fix
