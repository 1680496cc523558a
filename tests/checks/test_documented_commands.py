"""The commands of `kapture` in the documentation's blocks of shell commands exist, with their options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from kapture.cli import main

_ROOT = Path(__file__).parents[2]
_ENDS = ("|", "&&", ">")


def documented() -> list[list[str]]:
    """The arguments of each."""
    pages = [_ROOT / "README.md", *(_ROOT / "docs").glob("*.md")]
    blocks = [
        block
        for page in pages
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    ]
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("kapture ")]
    found = []
    for line in lines:
        words = shlex.split(line, comments=True)[1:]
        found.append(words[: next((at for at, word in enumerate(words) if word in _ENDS), len(words))])
    return found


def test_documented_commands_and_their_options_exist() -> None:
    found = documented()
    assert ["share", "port", "box", "--level", "read"] in found
    unknown = [words for words in found if CliRunner().invoke(main, [*words, "--help"]).exit_code]
    assert not unknown
