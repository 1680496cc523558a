"""The audit log: private, complete, and without a word of what was typed or read."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.policy import audit
from kapture.policy.audit import FILE_NAME, AuditLog, AuditReader, entries, latest, rotated
from kapture.policy.redact import redact, site_for_log

CLIENT = {"id": "c1", "name": "claude", "kind": "stdio"}


SECRET = "hunter2-Geheim"


def written(folder: Path) -> list[dict[str, object]]:
    return list(entries(folder))


def logs(folder: Path) -> list[Path]:
    return sorted(folder.glob("audit*.jsonl"))


async def test_every_entry_is_on_disk_when_the_log_closes(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path / "home") as log:
        for number in range(500):
            log.command(
                client=CLIENT, command="click", outcome="ok", duration_ms=number, tab_id="T", url="https://a.test/x"
            )
    found = written(tmp_path / "home")
    assert [entry["duration_ms"] for entry in found] == list(range(500))
    assert found[0]["client"] == CLIENT
    assert found[0]["site"] == "https://a.test"


async def test_the_log_is_for_its_owner_alone_also_when_it_was_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "audit.jsonl").touch(mode=0o666)
    (home / "audit.jsonl").chmod(0o666)
    old = os.umask(0)
    try:
        async with AuditLog.open(home, max_file_bytes=200) as log:
            for _ in range(5):
                log.decision(client=CLIENT, command="click", allowed=False, rule="no grant", tab_id="T")
    finally:
        os.umask(old)
    assert len(logs(home)) > 1
    assert {stat.S_IMODE(file.stat().st_mode) for file in logs(home)} == {0o600}


async def test_a_link_in_the_logs_place_is_not_written_through(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    victim = tmp_path / "victim"
    (home / "audit.jsonl").symlink_to(victim)
    with pytest.raises(KaptureError):
        async with AuditLog.open(home):
            pass
    assert not victim.exists()


async def test_the_log_turns_over_by_size_and_keeps_a_bounded_number(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path, max_file_bytes=1_000, kept_files=3) as log:
        for number in range(200):
            log.record("test", number=number)
    sizes = {path.name: path.stat().st_size for path in logs(tmp_path)}
    assert sorted(sizes) == ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", "audit.jsonl"]
    assert max(sizes.values()) <= 1_000
    numbers = [entry["number"] for entry in written(tmp_path)]
    assert numbers == list(range(200 - len(numbers), 200))


async def test_a_line_broken_off_by_a_crash_does_not_hide_the_others(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=1)
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(b'{"event": "te\n[1]\n')
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=2)
    assert [entry["number"] for entry in written(tmp_path)] == [1, 2]


CALLS = [
    {"target": {"label": "Password"}, "value": SECRET},
    {"selector": f"input[value='{SECRET}']"},
    {"text": SECRET},
    {"fields": [{"target": "#a", "value": SECRET}, {"name": SECRET, "value": 4711}]},
    {"code": f"login('{SECRET}')"},
    {"url": f"https://user:{SECRET}@a.test/reset?token={SECRET}#{SECRET}"},
    {"url": f"data:text/plain,{SECRET}"},
    {"url": SECRET},
    {"method": "Network.setCookie", "params": {"name": "sid", "value": SECRET, SECRET: 1} | {}},
    {"headers": {"Authorization": f"Bearer {SECRET}"}},
    {"action": "set", "name": "sid", "value": SECRET},
    {"steps": [{"command": "fill", "arguments": {"selector": "#p", "value": SECRET}}]},
    {"key": SECRET},
    {"keys": [SECRET]},
    {"accept": True, "text": SECRET},
    {"path": f"/home/me/{SECRET}.txt"},
    {"paths": [f"/home/me/{SECRET}.txt"]},
    {"body": {"password": SECRET}},
    {"unknown_of_tomorrow": SECRET},
    {"target": {"text": SECRET, "role": "button"}},
    {"target": f"text={SECRET}"},
    {"override_secrets": {"code": SECRET, "state": SECRET}},
    {"parameters": {"type": SECRET, "button": [SECRET]}},
    *({name: SECRET} for name in ("state", "type", "role", "method", "format", "testId", "name", "direction")),
    {"name": "pay", "arguments": {"state": SECRET, "pin": 4711, "url": f"https://a.test/{SECRET}", "ref": SECRET}},
    {
        "steps": [
            {"command": "call_page_tool", "arguments": {"name": "pay", "arguments": {"type": SECRET, "nth": 4711}}}
        ]
    },
    {"steps": [{"command": SECRET, "arguments": {"body": {"type": SECRET, "steps": [{"ref": SECRET}]}}}]},
    {"action": "mock", "body": {"type": SECRET, "state": [SECRET], "count": 4711}},
    {"body": [{"ref": SECRET, "count": 4711}], "unknown_number": 4711},
    {"frame": f"https://a.test/{SECRET}?{SECRET}"},
    {"target": {"ref": "e1", "frame": SECRET}},
    {"frame": f"/{SECRET}?q"},
]


@pytest.mark.parametrize("arguments", CALLS, ids=lambda arguments: ",".join(arguments))
def test_no_secret_of_a_call_reaches_the_log(arguments: dict[str, object]) -> None:
    shown = json.dumps({key: value for key, value in redact(arguments).items() if "params" not in key})
    assert SECRET not in shown
    assert "4711" not in shown


def test_audit_entry_describes_the_action() -> None:
    shown = redact(
        {
            "target": {"ref": "e12"},
            "selector": "form > #save",
            "button": "right",
            "count": 2,
            "url": "https://a.test:8443/x?y",
            "code": "1+1",
            "key": "Enter",
            "wait_until": "load",
        }
    )
    assert shown["target"] == {"ref": "e12"}
    assert shown["selector"] == "form > #save"
    assert shown["url"] == "https://a.test:8443"
    assert shown["code"].startswith("(3 characters, sha256 ")
    assert (shown["button"], shown["count"], shown["key"], shown["wait_until"]) == ("right", 2, "Enter", "load")


def test_values_for_page_or_server_are_logged_as_names_and_sizes() -> None:
    tool = {"name": "pay", "frame": "f2", "arguments": {"to": "me", "amount": 5, "notes": ["a", "b"]}}
    sizes = {"to": "(2 characters)", "amount": "(number)", "notes": "(2 values)"}
    logged = {"name": "(3 characters)", "frame": "f2", "arguments": sizes}
    assert redact(tool) == logged
    step = {"command": "call_page_tool", "arguments": tool}
    assert redact({"steps": [step]}) == {"steps": [{"command": "call_page_tool", "arguments": logged}]}
    assert redact({"body": {"a": {"b": 1}}}) == {"body": {"a": "(1 values)"}}
    assert redact({"frame": "https://a.test:8443/x?y"}) == {"frame": "https://a.test:8443"}


def test_single_keys_are_not_kept_because_they_may_spell_a_password() -> None:
    assert redact({"key": "h"}) == {"key": "(1 characters)"}


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=10), JSON_LIKE, max_size=5))
def test_any_arguments_can_be_logged(arguments: dict[str, object]) -> None:
    json.dumps(redact(arguments))


def test_arguments_of_any_depth_and_size_make_a_bounded_entry() -> None:
    deep: object = SECRET
    for _ in range(500):
        deep = {"a": [deep]}
    shown = json.dumps(redact({"deep": deep, "many": list(range(100_000)), "long": "x" * 10**6}))
    assert len(shown) < 2_000


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://a.test/x?token=1#y", "https://a.test"),
        ("https://me:pw@a.test/", "https://a.test"),
        ("file:///home/me/x", "file://"),
        ("data:text/html,secret", "data:"),
        ("javascript:secret()", "javascript:"),
        ("", None),
        (None, None),
    ],
)
def test_a_page_is_logged_as_its_origin(url: str | None, site: str | None) -> None:
    assert site_for_log(url) == site


async def test_the_latest_entries_are_those_at_the_end_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert latest(tmp_path, 3) == []
    async with AuditLog.open(tmp_path) as log:
        for number in range(100):
            log.record("test", number=number)
    assert [entry["number"] for entry in latest(tmp_path, 3)] == [99, 98, 97]
    assert len(latest(tmp_path, 1_000)) == 100
    monkeypatch.setattr("kapture.policy.audit._TAIL_BYTES", 150)  # begins within a line
    assert [entry["number"] for entry in latest(tmp_path, 1_000)] == [99, 98]


# The audit log on a disk that is slow, full, or takes only parts: calls never wait, and every loss is counted.


def written_audit_disk(folder: Path) -> list[dict[str, Any]]:
    return list(entries(folder))


class Disk:
    """A file whose writes do first what the test wants, in the thread that writes."""

    def __init__(self, file: Any, before_write: Callable[[], None]) -> None:
        self._file = file
        self._before_write = before_write

    def write(self, data: bytes) -> Any:
        self._before_write()
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def on_disk(monkeypatch: pytest.MonkeyPatch, before_write: Callable[[], None]) -> None:
    """Let the log write to such a file."""
    monkeypatch.setattr("kapture.policy.audit.FileIO", lambda *given: Disk(FileIO(*given), before_write))


async def test_recording_never_waits_and_a_loss_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_WAITING", 10)
    writing, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        writing.set()
        go_on.wait()

    on_disk(monkeypatch, slow)
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=-1)
        await trio.to_thread.run_sync(writing.wait)
        for number in range(25):
            log.record("test", number=number)
        go_on.set()
    found = written_audit_disk(tmp_path)
    kept = [entry for entry in found if entry["event"] == "test"]
    losses = [entry for entry in found if entry["event"] == "lost"]
    assert len(kept) == 1 + 10
    assert len(kept) + sum(entry["entries"] for entry in losses) == 1 + 25
    assert all(entry["time"] >= kept[0]["time"] for entry in losses)  # so that `kapture audit --since` shows them


class FullDisk:
    """Before a write: raises until it is `mended`."""

    def __init__(self) -> None:
        self.refused, self.mended = threading.Event(), threading.Event()
        self.refusals = 0

    def __call__(self) -> None:
        if not self.mended.is_set():
            self.refusals += 1
            self.refused.set()
            raise OSError(28, "No space left on device")


async def test_entries_refused_by_full_disk_are_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = FullDisk()
    on_disk(monkeypatch, disk)
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=1)
        await trio.to_thread.run_sync(disk.refused.wait)
        disk.mended.set()
        log.record("test", number=2)
    assert [entry.get("number") for entry in written_audit_disk(tmp_path)] == [1, 2]


async def test_entries_waiting_for_disk_are_bounded_and_losses_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "MAX_WAITING", 10)
    monkeypatch.setattr(audit, "RETRY_S", 60.0)  # the next try is the one at the end
    disk = FullDisk()
    on_disk(monkeypatch, disk)
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=0)
        await trio.to_thread.run_sync(disk.refused.wait)
        for number in range(1, 100):
            log.record("test", number=number)
        disk.mended.set()
    found = written_audit_disk(tmp_path)
    kept = [entry["number"] for entry in found if entry["event"] == "test"]
    assert kept == list(range(len(kept)))
    assert 10 <= len(kept) <= 20
    assert len(kept) + sum(entry["entries"] for entry in found if entry["event"] == "lost") == 100


async def test_a_full_disk_is_reported_once_and_so_is_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(audit, "RETRY_S", 0.0)
    caplog.set_level("INFO", "kapture.policy.audit")
    twice = threading.Event()
    disk = FullDisk()

    def refuse() -> None:
        if disk.refusals == 2:
            twice.set()
        disk()

    on_disk(monkeypatch, refuse)
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=1)
        await trio.to_thread.run_sync(twice.wait)
        assert "No space left on device" in str(log.failure)
        assert "Make room on its disk." in str(log.failure)
        disk.mended.set()
    assert log.failure is None
    first, last = [record.getMessage() for record in caplog.records]
    assert "No space left on device" in first
    assert last.endswith("audit.jsonl is written again.")


async def test_a_line_that_the_disk_took_in_parts_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class InParts(FileIO):
        def write(self, data: Any, /) -> int:
            return super().write(data[: max(1, len(data) // 3)])

    monkeypatch.setattr("kapture.policy.audit.FileIO", InParts)
    async with AuditLog.open(tmp_path) as log:
        for number in range(20):
            log.record("test", number=number)
    assert [entry["number"] for entry in written_audit_disk(tmp_path)] == list(range(20))


# Reading the audit log while it is written and rotated: every entry once.


def write(folder: Path, *numbers: int, rest: str = "") -> None:
    with (folder / FILE_NAME).open("a") as file:
        file.write("".join(json.dumps({"event": "test", "number": number}) + "\n" for number in numbers) + rest)


def rotate(folder: Path) -> None:
    path = folder / FILE_NAME
    for number in (2, 1):
        if rotated(path, number).exists():
            rotated(path, number).replace(rotated(path, number + 1))
    path.replace(rotated(path, 1))


def numbers(reader: AuditReader) -> list[int]:
    return [entry["number"] for entry in reader.new()]


def test_each_entry_is_read_once(tmp_path: Path) -> None:
    reader = AuditReader(tmp_path)
    assert numbers(reader) == []
    write(tmp_path, 1, 2)
    assert numbers(reader) == [1, 2]
    assert numbers(reader) == []
    write(tmp_path, 3)
    assert numbers(reader) == [3]


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    reader = AuditReader(tmp_path)
    write(tmp_path, 1, rest='{"event": "test", ')
    assert numbers(reader) == [1]
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write('"number": 2}\n')
    assert numbers(reader) == [2]


def test_nothing_is_lost_or_repeated_when_the_log_is_rotated_twice(tmp_path: Path) -> None:
    reader = AuditReader(tmp_path)
    write(tmp_path, 1)
    assert numbers(reader) == [1]
    write(tmp_path, 2)
    rotate(tmp_path)
    write(tmp_path, 3)
    rotate(tmp_path)
    write(tmp_path, 4)
    assert numbers(reader) == [2, 3, 4]
    assert [entry["number"] for entry in entries(tmp_path)] == [1, 2, 3, 4]


def test_the_command_goes_on_with_new_entries(tmp_path: Path) -> None:
    write(tmp_path, 1)
    command = [sys.executable, "-m", "kapture", "audit", "--follow", "--json"]
    environment = {**os.environ, "KAPTURE_HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert json.loads(process.stdout.readline())["number"] == 1
            write(tmp_path, 2)
            assert json.loads(process.stdout.readline())["number"] == 2
        finally:
            process.terminate()
