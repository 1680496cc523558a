"""Prints text of pages and clients to a terminal, without control sequences.

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
    """The text without control sequences. Line ends and tabs are kept."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))


def harmless_line(text: str) -> str:
    """As `harmless`, in one line: line ends and tabs are replaced too."""
    return _CONTROLS_AND_BREAKS.sub("\ufffd", text)


def harmless_json(text: str) -> str:
    """JSON with the same characters escaped, which keeps its meaning."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_text(text: str, *, err: bool = False) -> None:
    """Print text that a page or a client may have chosen."""
    _print(text, harmless(text), err=err)


def print_json(text: str) -> None:
    """Print JSON whose strings a page or a client may have chosen."""
    _print(text, harmless_json(text), err=False)


def _print(text: str, shown: str, *, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    # `color`: click would strip escape sequences for a pipe, where the text must be unchanged.
    click.echo(shown if stream.isatty() else text, err=err, color=True)


class HarmlessFormatter(logging.Formatter):
    """Formats log records without control sequences, now and when the log is displayed later."""

    def format(self, record: logging.LogRecord) -> str:
        """One record."""
        return harmless(super().format(record))
