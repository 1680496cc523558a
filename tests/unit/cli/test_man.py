"""The manual page is the help of every command, and roff reads it."""

from __future__ import annotations

import shutil
import subprocess

import click
import pytest
from click.testing import CliRunner

from kapture.cli import main
from kapture.cli.man import page


def test_every_command_and_option_stands_in_the_manual() -> None:
    text = "\n".join(page(main)).replace("\\-", "-")
    ctx = click.Context(main)
    for name in main.list_commands(ctx):
        assert f".SS kapture {name}" in text
    for option in ("--toolsets", "--follow", "--no-wait", "--copy", "--safe-mode"):
        assert option in text


def test_the_command_prints_it() -> None:
    done = CliRunner().invoke(main, ["man"])
    assert done.exit_code == 0
    assert done.stdout.startswith(".TH KAPTURE 1")


def test_no_line_of_text_is_read_as_a_request_of_roffs() -> None:
    group = click.Group("kapture", help="Top.", commands={"x": click.Command("x", help=".TH forged\n\n'x \\fB bold")})
    text = list(page(group))
    assert "\\&.TH forged" in text
    assert "\\&'x \\efB bold" in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="without groff nothing here reads roff")
def test_groff_reads_it_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"], input="\n".join(page(main)), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
