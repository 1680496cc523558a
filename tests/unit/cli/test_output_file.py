"""Files that commands write at their end are checked at their start."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from kapture.cli.output_file import OutputFile, write_output


def _convert(path: Path) -> object:
    return OutputFile().convert(str(path), None, None)


def test_a_file_that_can_be_written_is_accepted_and_not_touched(tmp_path: Path) -> None:
    assert _convert(tmp_path / "new.svg") == tmp_path / "new.svg"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.svg").write_text("old")
    assert _convert(tmp_path / "old.svg") == tmp_path / "old.svg"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_disk_is_told_in_one_line() -> None:
    with pytest.raises(click.ClickException, match="Could not write /dev/full: No space left on device"):
        write_output(Path("/dev/full"), b"a")
