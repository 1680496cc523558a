"""A text is put on the clipboard by the program that the desktop has, and said not to be where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.cli.clipboard import copy


async def test_text_is_copied_by_the_first_program_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = tmp_path / "copied"
    for name, script in (("xclip", "exit 1"), ("xsel", f"/bin/cat > '{copied}'")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await copy("/home/me/Kapture/extension", {"DISPLAY": ":0"})
    assert copied.read_text() == "/home/me/Kapture/extension"
    assert not await copy("anything", {})
