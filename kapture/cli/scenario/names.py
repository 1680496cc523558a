"""Common parts of the scenario commands: the argument NAME, and the exit when a scenario is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from kapture.cli import completion
from kapture.cli.terminal import print_text
from kapture.errors import KaptureError


def scenario_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """The argument NAME, with shell completion."""
    return click.argument("name", shell_complete=completion.scenarios)(function)


@contextmanager
def scenario_errors() -> Iterator[None]:
    """Print errors and exit with 2."""
    try:
        yield
    except KaptureError as error:
        print_text(str(error), err=True)
        raise SystemExit(2) from error
