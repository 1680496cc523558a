"""The screen of `kapture setup`: one line per step, ticked when it succeeds, and yes-or-no questions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import trio
from rich.console import Console
from rich.markup import escape
from rich.prompt import Confirm
from rich.text import Text

from kapture.cli.terminal import harmless, harmless_line


class Screen:
    """A terminal or a substitute. `interactive`: a person reads it and can answer."""

    def __init__(self, *, interactive: bool | None = None, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty() if interactive is None else interactive
        self.left: list[str] = []
        """Return the person's remaining steps."""

    def done(self, what: str, detail: str = "") -> None:
        """Show that a step has succeeded."""
        self._line("✓", "green", what, detail)

    def to_do(self, what: str, detail: str = "") -> None:
        """Show that a step remains; the others go on."""
        self.left.append(what)
        self._line("·", "yellow", what, detail)

    def note(self, what: str, detail: str = "") -> None:
        """Show something to know that needs no action."""
        self._line("·", "yellow", what, detail)

    def failed(self, what: str, detail: str = "") -> None:
        """Show that a step has failed; the others go on."""
        self.left.append(what)
        self._line("✗", "red", what, detail)

    def explain(self, lines: Sequence[str]) -> None:
        """Show instructions, numbered if there are several."""
        for number, line in enumerate(lines, 1):
            shown = f"{number}. {line}" if len(lines) > 1 else line
            self._console.print(f"    {harmless(shown)}", soft_wrap=True, markup=False)

    async def confirm(self, question: str) -> bool:
        """Ask yes or no; Enter is yes, the end of the input (Ctrl-D) is no. No if nobody can answer. What was typed
        before the question, while something else was waited for, does not answer it."""
        if not self.interactive:
            return False
        _forget_typed()
        asked = Confirm(f"  {escape(harmless_line(question))}", console=self._console)
        # Ctrl-C reaches this program as an event: a thread that still reads the terminal ends with the program.
        try:
            return await trio.to_thread.run_sync(lambda: asked(default=True), abandon_on_cancel=True)
        except EOFError:
            self._console.print()
            return False

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show during the block what is waited for."""
        if not self._console.is_terminal or self._console.is_dumb_terminal:
            self._console.print(f"  {what}", markup=False)
            yield
            return
        with self._console.status(f"{escape(what)} [dim](Ctrl-C stops; run `kapture setup` again at any time)[/]"):
            yield

    def _line(self, mark: str, colour: str, what: str, detail: str) -> None:
        parts = [(f"{mark} ", colour), (harmless_line(what), "bold")]
        self._console.print(Text.assemble(*parts, f": {harmless(detail)}" if detail else ""), soft_wrap=True)


def _forget_typed() -> None:
    """Empty the terminal's input."""
    if not sys.stdin.isatty():
        return
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
