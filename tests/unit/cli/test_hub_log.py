"""The log of a running hub is bounded, whoever makes the hub repeat a message."""

from __future__ import annotations

import io
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kapture.cli.hub_log import MAX_RECORD_CHARS, MOST_A_MINUTE, HubLogHandler
from kapture.client.start import LOG_NAME


class Clock:
    """Seconds, as a test sets them."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def logging_to(handler: HubLogHandler) -> Iterator[logging.Logger]:
    logger = logging.getLogger("test of the hub's log")
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield logger
    finally:
        logger.removeHandler(handler)
        handler.close()


@contextmanager
def opened(log: Path) -> Iterator[io.TextIOWrapper]:
    """As who starts the hub opens its log."""
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as stream:
        yield stream


def messages(text: str) -> list[str]:
    return [line.split(" WARNING ")[1] for line in text.splitlines()]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """The bound of a log, in bytes."""
    monkeypatch.setattr("kapture.cli.hub_log.MAX_LOG_BYTES", 2_000)
    return 2_000


def test_a_message_that_is_repeated_is_written_60_times_a_minute_and_then_counted(tmp_path: Path) -> None:
    stream, clock = io.StringIO(), Clock()
    with logging_to(HubLogHandler(stream, tmp_path, clock)) as logger:
        for number in range(1_000):
            logger.warning("Tab %d is out of reach.", number)
        logger.warning("Something else.")
        written = messages(stream.getvalue())
        assert written[:2] == ["Tab 0 is out of reach.", "Tab 1 is out of reach."]
        assert (len(written), written[-1]) == (MOST_A_MINUTE + 1, "Something else.")

        clock.now = 60
        logger.warning("A minute later.")
        assert messages(stream.getvalue())[-2:] == [
            "Left out 940 more messages like this one within a minute: Tab %d is out of reach.",
            "A minute later.",
        ]


def test_what_was_left_out_last_is_counted_at_the_end(tmp_path: Path) -> None:
    stream = io.StringIO()
    with logging_to(HubLogHandler(stream, tmp_path, Clock())) as logger:
        for _ in range(MOST_A_MINUTE + 5):
            logger.warning("Again.")
    assert messages(stream.getvalue())[-1] == "Left out 5 more messages like this one within a minute: Again."


def test_a_record_that_is_too_long_is_cut(tmp_path: Path) -> None:
    stream = io.StringIO()
    with logging_to(HubLogHandler(stream, tmp_path)) as logger:
        logger.warning("x" * 1_000_000)
    assert MAX_RECORD_CHARS < len(stream.getvalue()) < MAX_RECORD_CHARS + 100
    assert stream.getvalue().endswith(" more characters)\n")


def test_the_hubs_log_is_begun_anew_when_it_is_full_and_the_one_before_is_kept(tmp_path: Path, small: int) -> None:
    clock, log, older = Clock(), tmp_path / LOG_NAME, tmp_path / "hub.1.log"
    with opened(log) as stream, logging_to(HubLogHandler(stream, tmp_path, clock)) as logger:
        for number in range(200):
            clock.now += 60
            logger.warning("Message %d.", number)
            assert log.stat().st_size <= small
        assert messages(older.read_text() + log.read_text())[-1] == "Message 199."
        assert older.stat().st_size <= small + 100
    assert stat.S_IMODE(older.stat().st_mode) == stat.S_IMODE(log.stat().st_mode) == 0o600


def test_the_hubs_log_is_bounded_even_if_it_was_removed(tmp_path: Path, small: int) -> None:
    log = tmp_path / LOG_NAME
    with opened(log) as stream:
        handler = HubLogHandler(stream, tmp_path)
        log.unlink()
        with logging_to(handler) as logger:
            for _ in range(3):
                logger.warning("x" * small)
        assert os.fstat(stream.fileno()).st_size <= small
    assert not (tmp_path / "hub.1.log").exists()


def test_a_file_that_a_person_writes_the_log_to_is_theirs(tmp_path: Path, small: int) -> None:
    mine = tmp_path / "mine.log"
    with mine.open("w") as stream, logging_to(HubLogHandler(stream, tmp_path)) as logger:
        for _ in range(3):
            logger.warning("x" * small)
    assert mine.stat().st_size > 3 * small
