"""Text of pages and clients on a terminal: it must not steer it.

Control characters of both sets (C0 with ESC, C1 with CSI), bidirectional overrides and lone surrogates are shown as
the replacement character. Only what goes to a terminal is changed: a file or a pipe gets the text as it is.
"""

from __future__ import annotations

import logging
import re
import sys

import click

_STEERS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_CONTROLS = re.compile(f"[{_STEERS}]")
_CONTROLS_AND_BREAKS = re.compile(f"[{_STEERS}\t\n\u2028\u2029]")


def harmless(text: str) -> str:
    """The text without anything that steers a terminal. Lines and tabs stay."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))


def harmless_line(text: str) -> str:
    """The same in one line: breaks and tabs are replaced too."""
    return _CONTROLS_AND_BREAKS.sub("\ufffd", text)


def harmless_json(text: str) -> str:
    """JSON with the same characters escaped, so that it still means the same."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_text(text: str, *, err: bool = False) -> None:
    """Print text that a page or a client may have chosen."""
    _print(text, harmless(text), err=err)


def print_json(text: str) -> None:
    """Print JSON whose strings a page or a client may have chosen."""
    _print(text, harmless_json(text), err=False)


def _print(text: str, shown: str, *, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    # `color`: click takes escape sequences out of what goes to a pipe, where the text must stay as it is.
    click.echo(shown if stream.isatty() else text, err=err, color=True)


class HarmlessFormatter(logging.Formatter):
    """Log records that steer no terminal, neither now nor when the log is shown."""

    def format(self, record: logging.LogRecord) -> str:
        """One record."""
        return harmless(super().format(record))
