"""Puts a text on the clipboard of the person's desktop, with a program that the system has for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

import trio

_COPIES_S = 3.0

_PROGRAMS = (
    ("WAYLAND_DISPLAY", ["wl-copy"]),
    ("DISPLAY", ["xclip", "-selection", "clipboard"]),
    ("DISPLAY", ["xsel", "--clipboard", "--input"]),
    ("", ["pbcopy"]),
    ("", ["clip.exe"]),
)
"""Commands that copy their input, each with the variable of the desktop that it needs."""


async def copy(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the text is on the clipboard now."""
    for variable, command in _PROGRAMS:
        if (variable and not environment.get(variable)) or shutil.which(command[0]) is None:
            continue
        with trio.move_on_after(_COPIES_S):
            done = await trio.run_process(
                command, stdin=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            if done.returncode == 0:
                return True
    return False
