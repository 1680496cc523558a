"""Reading the audit log while it is written and rotated: every entry once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from kapture.policy.audit import FILE_NAME, AuditReader, entries, rotated


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
