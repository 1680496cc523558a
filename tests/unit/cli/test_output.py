"""Text of a page or client does not steer the terminal that shows it; a pipe gets it unchanged."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click import command
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kapture.cli
from kapture.cli import main
from kapture.cli.audit import line
from kapture.cli.call.output import show_answer, show_failure
from kapture.cli.output_file import OutputFile, write_output
from kapture.cli.terminal import HarmlessFormatter, harmless, harmless_json, harmless_line

STEERS = ["\x1b]0;owned\x07", "\x1b[2J", "\x9b2J", "\x9d0;owned\x9c", "\x00", "\x7f", "\x08", "\r", "\u202e", "\u2066"]


class Stream(io.TextIOWrapper):
    """stdout, as a terminal or as a pipe."""

    def __init__(self, *, tty: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty

    def written(self) -> str:
        data: bytes = self.buffer.getvalue()  # type: ignore[attr-defined]
        return data.decode()


def shown(monkeypatch: pytest.MonkeyPatch, show: Any, *, tty: bool, err: bool = False) -> str:
    stream = Stream(tty=tty)
    monkeypatch.setattr(sys, "stderr" if err else "stdout", stream)
    show()
    return stream.written()


def answer(text: str, **more: Any) -> Mapping[str, Any]:
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"title": text}, **more}


@pytest.mark.parametrize("steers", STEERS)
def test_an_answer_steers_no_terminal_and_reaches_a_pipe_as_it_is(monkeypatch: pytest.MonkeyPatch, steers: str) -> None:
    text = f"A page\n\twith {steers}a title"

    def show() -> None:
        show_answer(answer(text), as_json=False, output=None, plain=True)

    on_terminal = shown(monkeypatch, show, tty=True)
    assert not set(on_terminal) & set(steers.replace("\n", "")) - set("]0;owned[2J")
    assert on_terminal.startswith("A page\n\twith ")
    assert shown(monkeypatch, show, tty=False) == f"{text}\n"


@pytest.mark.parametrize("steers", STEERS)
def test_json_on_a_terminal_still_means_the_same(monkeypatch: pytest.MonkeyPatch, steers: str) -> None:
    def show() -> None:
        show_answer(answer(steers), as_json=True, output=None, plain=True)

    on_terminal = shown(monkeypatch, show, tty=True)
    assert harmless(on_terminal) == on_terminal
    assert json.loads(on_terminal) == {"title": steers}


@pytest.mark.parametrize("as_json", [False, True])
def test_an_error_that_quotes_a_page_steers_no_terminal(monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
    def show() -> None:
        show_failure(answer("ELEMENT_NOT_FOUND: \x1b]0;owned\x07"), as_json=as_json)

    on_terminal = shown(monkeypatch, show, tty=True, err=not as_json)
    assert "\x1b" not in on_terminal
    assert "ELEMENT_NOT_FOUND" in on_terminal


def test_a_line_of_the_audit_log_stays_one_line() -> None:
    shown_line = line({"event": "command", "command": "click\n2026 forged", "client": {"name": "a\x1b[2Jb\u2028c"}})
    assert len(shown_line.splitlines()) == 1
    assert "\x1b" not in shown_line


def test_log_records_steer_no_terminal() -> None:
    record = logging.LogRecord("kapture", logging.WARNING, "", 0, "Tab %s: %s", ("t1", "\x1b[2J\x9b2J"), None)
    assert HarmlessFormatter("%(message)s").format(record) == "Tab t1: \ufffd[2J\ufffd2J"


@given(st.text())
def test_only_what_steers_is_replaced(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)
    assert not any(ord(char) < 0x20 and char not in "\n\t" for char in harmless(text))
    assert not set(harmless_line(text)) & set("\n\t\r\x1b\x9b")


def test_other_languages_emoji_and_spaces_stay() -> None:
    text = "Grüße\u00a0— 你好 👩\u200d💻 שלום\u202f!"
    assert harmless(text) == harmless_line(text) == text
    assert harmless_json(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


def test_an_error_that_quotes_the_name_of_a_file_steers_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J.json"
    path.write_text("{")
    done = CliRunner().invoke(main, ["install", "cursor", "--file", str(path)])
    assert done.exit_code == 1
    assert "\ufffd[2J.json is not changed" in done.output


def test_an_error_that_quotes_a_policy_file_steers_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "policy.toml"
    path.write_text('"\\u001b[2J" = 1\n')
    path.chmod(0o600)

    def show() -> None:
        with pytest.raises(SystemExit):
            main(["policy", "check", str(path)], standalone_mode=False)

    assert "unknown field `\ufffd[2J`" in shown(monkeypatch, show, tty=True, err=True)


# Output that is interrupted half-way is written whole.


LENGTH = 1_000_000
PROGRAM = f"""
import sys
from kapture.cli.standard_streams import write_whole
from kapture.cli.terminal import print_json
write_whole()
sys.stderr.write("begins")
sys.stderr.flush()
print_json("x" * {LENGTH})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what a pipe holds")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_long_answer_survives_that_the_process_is_stopped_and_continued(unbuffered: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.read(6) == b"begins"
        # Until it waits for somebody to read.
        while process.poll() is None and not is_full(process.stdout.fileno()):
            os.sched_yield()
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        os.kill(process.pid, signal.SIGCONT)
        written, complaints = process.communicate()
    assert (len(written), complaints, process.returncode) == (LENGTH + 1, b"", 0)


def is_full(pipe: int) -> bool:
    """Whether a pipe holds as many bytes as it can."""
    import array
    import fcntl  # not on every system
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0] >= int(fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ))


# Files that commands write at their end are checked at their start.


def _convert(path: Path) -> object:
    return OutputFile().convert(str(path), None, None)


def test_a_file_that_can_be_written_is_accepted_and_not_touched(tmp_path: Path) -> None:
    assert _convert(tmp_path / "new.svg") == tmp_path / "new.svg"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.svg").write_text("old")
    assert _convert(tmp_path / "old.svg") == tmp_path / "old.svg"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_disk_is_told_in_one_line() -> None:
    with pytest.raises(click.ClickException, match="Could not write /dev/full: No space left on device"):
        write_output(Path("/dev/full"), b"a")


# Ctrl-C in a command's nurseries.


def command_that_raises(monkeypatch: pytest.MonkeyPatch, *errors: BaseException) -> None:
    @command()
    def raising() -> None:
        raise BaseExceptionGroup("of a nursery", [BaseExceptionGroup("of another", errors)])

    monkeypatch.setattr("kapture.cli.tour.tour_command", raising)


def test_interrupt_in_a_nursery_aborts_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    command_that_raises(monkeypatch, KeyboardInterrupt())
    result = CliRunner().invoke(kapture.cli.main, ["tour"])
    assert (result.output.strip(), result.exit_code) == ("Aborted!", 1)
