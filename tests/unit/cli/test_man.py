"""The manual page is the help of every command, and roff reads it."""

from __future__ import annotations

import shutil
import subprocess

import click
import pytest

from kapture.cli import main
from kapture.cli.man import page


def test_every_command_and_option_stands_in_the_manual() -> None:
    text = "\n".join(page(main)).replace("\\-", "-")
    ctx = click.Context(main)
    for name in main.list_commands(ctx):
        assert f".SS kapture {name}" in text
    for option in ("--toolsets", "--follow", "--no-wait", "--copy", "--safe-mode"):
        assert option in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="without groff nothing here reads roff")
def test_groff_reads_it_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"], input="\n".join(page(main)), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
