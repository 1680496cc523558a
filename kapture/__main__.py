"""`python -m kapture` is the `kapture` command."""

from kapture.cli import main

main(prog_name="kapture")
