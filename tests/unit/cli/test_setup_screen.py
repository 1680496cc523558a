"""Yes-or-no questions of `kapture setup`."""

from __future__ import annotations

import io
import os
import sys

import pytest
from rich.console import Console

from kapture.cli.setup_screen import Screen


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
async def test_a_key_pressed_before_the_question_does_not_answer_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import select

    keyboard, terminal = pty.openpty()

    class Answered(io.StringIO):
        def write(self, text: str) -> int:
            if "Add it?" in text:
                os.write(keyboard, b"n\n")
            return super().write(text)

    with os.fdopen(keyboard, "wb"), os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        os.write(keyboard, b"y\n")
        select.select([stdin], [], [])
        assert not await Screen(interactive=True, console=Console(file=Answered())).confirm("Add it?")
