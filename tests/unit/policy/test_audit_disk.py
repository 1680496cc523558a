"""The audit log on a disk that is slow, full, or takes only parts: calls never wait, and every loss is counted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.policy import audit
from kapture.policy.audit import AuditLog, entries


def written(folder: Path) -> list[dict[str, Any]]:
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
    found = written(tmp_path)
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


async def test_what_a_full_disk_refused_is_written_when_it_has_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk()
    on_disk(monkeypatch, disk)
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=1)
        await trio.to_thread.run_sync(disk.refused.wait)
        disk.mended.set()
        log.record("test", number=2)
    assert [entry.get("number") for entry in written(tmp_path)] == [1, 2]


async def test_what_a_full_disk_refused_is_bounded_and_its_loss_counted(
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
    found = written(tmp_path)
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
    assert [entry["number"] for entry in written(tmp_path)] == list(range(20))
