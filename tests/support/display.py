"""A virtual screen and its mouse: Xvfb and the XTEST extension."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

SIZE = (1400, 900)
_LEFT_BUTTON = 1


@attrs.frozen
class Display:
    """An X display. `name` is the value for DISPLAY."""

    name: str
    _frame_buffer: Path

    def click(self, x: int, y: int) -> None:
        """Click the left button at these screen coordinates."""
        x11, test = ctypes.CDLL(ctypes.util.find_library("X11")), ctypes.CDLL(ctypes.util.find_library("Xtst"))
        x11.XOpenDisplay.restype = ctypes.c_void_p
        display = ctypes.c_void_p(x11.XOpenDisplay(self.name.encode()))
        try:
            test.XTestFakeMotionEvent(display, -1, x, y, 0)
            test.XTestFakeButtonEvent(display, _LEFT_BUTTON, 1, 0)
            test.XTestFakeButtonEvent(display, _LEFT_BUTTON, 0, 0)
            x11.XSync(display, 0)
        finally:
            x11.XCloseDisplay(display)

    def rows(self) -> list[bytes]:
        """The screen's rows of pixels, four bytes each: blue, green, red, unused."""
        content = self._frame_buffer.read_bytes()  # an XWD file
        head = struct.unpack(">25I", content[:100])
        start, height, stride = head[0] + head[19] * 12, head[5], head[12]
        return [content[at : at + stride] for at in range(start, start + height * stride, stride)]


@contextmanager
def virtual_display(folder: Path) -> Iterator[Display]:
    """A display of its own, with a window manager if one is installed. Skips the test without Xvfb."""
    program = shutil.which("Xvfb") or pytest.skip("there is no Xvfb")
    if ctypes.util.find_library("Xtst") is None:
        pytest.skip("there is no libXtst")
    folder.mkdir(parents=True, exist_ok=True)
    reading, writing = os.pipe()
    options = ["-displayfd", str(writing), "-screen", "0", "{}x{}x24".format(*SIZE), "-fbdir", str(folder)]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([program, *options, "-nolisten", "tcp"], pass_fds=[writing], **quiet) as server:
        os.close(writing)
        try:
            with os.fdopen(reading) as numbers:
                name = f":{numbers.readline().strip()}"
            with _window_manager(name):
                yield Display(name, folder / "Xvfb_screen0")
        finally:
            server.terminate()


@contextmanager
def _window_manager(display: str) -> Iterator[None]:
    program = shutil.which("openbox")
    if program is None:
        yield
        return
    environment = {**os.environ, "DISPLAY": display}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([program], env=environment, **quiet) as manager:
        try:
            yield
        finally:
            manager.terminate()
