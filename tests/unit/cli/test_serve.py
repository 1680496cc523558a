"""`kapture serve` as a process: its port, its key file, its signals, its end."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import signal
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import pytest
import trio
from click.testing import CliRunner
from trio_websocket import ConnectionClosed, WebSocketConnection, open_websocket_url

from kapture.cli.chrome_flags import apply
from kapture.cli.health import hub_on
from kapture.cli.hub_log import MAX_RECORD_CHARS, MOST_A_MINUTE, HubLogHandler
from kapture.cli.mcp import mcp_command
from kapture.client.start import LOG_NAME
from kapture.pairing import Pairing, key_file
from kapture.server.listener import open_port, port_of
from kapture.settings import Settings
from tests.support.forked import ForkedProcess, fork_kapture


@attrs.frozen
class _Serve:
    """A `kapture serve`, and the file of what it says."""

    process: ForkedProcess
    log: Path

    async def ended(self) -> tuple[int, str]:
        """Wait for its end. Returns its exit code, and what it has said."""
        code = await trio.to_thread.run_sync(self.process.wait, 30)
        return code, await trio.Path(self.log).read_text()


@contextmanager
def _started(home: Path, *options: str) -> Iterator[_Serve]:
    """One that ends with the block, if not before."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        process = fork_kapture(["serve", *options], {**os.environ, "KAPTURE_HOME": str(home)}, log)
        try:
            yield _Serve(process, log)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


@asynccontextmanager
async def _serving(home: Path, *options: str) -> AsyncIterator[tuple[_Serve, int]]:
    """A hub on a free port, from the moment that it answers."""
    listeners = await open_port(0)
    port = port_of(listeners)
    for listener in listeners:
        await listener.aclose()
    with _started(home, "--port", str(port), *options) as serve:
        with trio.fail_after(30):
            while await hub_on(port) is None:  # a port has no event
                assert serve.process.poll() is None, await serve.ended()
                await trio.sleep(0.02)
        yield serve, port


async def test_a_key_file_that_is_removed_comes_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with _serving(home) as (serve, _):
        path = home / "hub.json"
        written = path.read_bytes()
        for remove in (path.unlink, partial(shutil.rmtree, home)):
            remove()
            with trio.fail_after(30):
                while not path.exists():  # noqa: ASYNC110  there is no event for a new file
                    await trio.sleep(0.02)
            assert path.read_bytes() == written
            assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(home.stat().st_mode)) == (0o600, 0o700)
        serve.process.terminate()
        await serve.ended()
        assert not path.exists()


def _key_file(home: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((home / "hub.json").read_text())
    return content


async def test_it_serves_until_it_is_stopped_and_removes_its_key_file(tmp_path: Path) -> None:
    async with _serving(tmp_path) as (serve, port):
        assert await hub_on(port)
        key_file = tmp_path / "hub.json"
        assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
        secrets = _key_file(tmp_path)
        assert secrets["port"] == port
        serve.process.terminate()
        code, output = await serve.ended()
        assert code == 0
        assert not key_file.exists()
        for secret in (secrets["key"], secrets["clientToken"]):
            assert secret not in output


async def test_a_second_hub_reports_the_first_and_exits_with_0(tmp_path: Path) -> None:
    async with _serving(tmp_path) as (_, port):
        before = _key_file(tmp_path)
        with _started(tmp_path, "--port", str(port)) as second:
            code, output = await second.ended()
        assert f"is already listening on port {port}; its settings stay as they are" in output
        assert code == 0
        assert _key_file(tmp_path) == before, "the running hub's key must stay"


async def test_a_port_of_another_program_is_an_error_that_names_the_way_out(tmp_path: Path) -> None:
    listeners = await open_port(0)
    port = port_of(listeners)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, _mumble, listeners)
        with _started(tmp_path, "--port", str(port)) as serve:
            code, output = await serve.ended()
        nursery.cancel_scope.cancel()
    assert code == 2
    assert str(port) in output
    assert "--port" in output
    assert not (tmp_path / "hub.json").exists()


async def _mumble(stream: trio.SocketStream) -> None:
    await stream.send_all(b"220 some other service\r\n")
    await stream.aclose()


async def test_a_broken_policy_file_stops_it(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('level = "everything"\n')
    with _started(tmp_path, "--port", "0") as serve:
        code, output = await serve.ended()
    assert "policy.toml" in output
    assert code == 2
    assert not (tmp_path / "hub.json").exists()


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("own/.config/chromium/Default", "it could be your own profile. Name another folder with --fallback-profile"),
        ("file/profile", "cannot hold a profile"),
    ],
)
async def test_a_fallback_profile_that_cannot_be_used_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, words: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own" / ".config"))
    (tmp_path / "file").touch()
    options = ("--port", "0", "--fallback", "launch", "--fallback-profile", str(tmp_path / folder))
    with _started(tmp_path / "home", *options) as serve:
        code, output = await serve.ended()
    assert words in output
    assert code == 2
    assert not (tmp_path / "own").exists()
    assert not (tmp_path / "home" / "hub.json").exists()


async def test_it_shuts_down_when_it_is_idle(tmp_path: Path) -> None:
    with _started(tmp_path, "--port", "0", "--idle-exit", "300ms") as serve:
        code, output = await serve.ended()
    assert "Idle for" in output
    assert code == 0
    assert not (tmp_path / "hub.json").exists()


async def _until_dropped(socket: WebSocketConnection) -> None:
    """The hub may still ask whether the tab is there."""
    while True:
        await socket.get_message()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
async def test_a_hangup_makes_a_new_key_and_drops_everybody(tmp_path: Path) -> None:
    async with _serving(tmp_path) as (serve, port):
        before = _key_file(tmp_path)
        token = [(b"Authorization", f"Bearer {before['clientToken']}".encode())]
        async with open_websocket_url(f"ws://127.0.0.1:{port}/", extra_headers=token) as socket:
            await socket.send_message('{"type":"register","tabId":"tab1"}')
            assert json.loads(await socket.get_message())["type"] == "registered"
            serve.process.send_signal(signal.SIGHUP)
            with trio.fail_after(30), pytest.raises(ConnectionClosed):
                await _until_dropped(socket)
        after = _key_file(tmp_path)
        assert after["port"] == port
        assert {after["key"], after["clientToken"]}.isdisjoint({before["key"], before["clientToken"]})
        assert serve.process.poll() is None


# The log of a running hub is bounded, whoever makes the hub repeat a message.


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


def test_entries_left_out_last_are_counted_at_the_end(tmp_path: Path) -> None:
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


# Flags and variables of the Chrome MCP blueprint.


@pytest.mark.parametrize(
    ("flags", "setting", "value"),
    [
        ({"prefer": "cdp"}, "prefer", "launch"),
        ({"prefer": "cdp"}, "fallback", "launch"),
        ({"prefer": "cdp", "no_cdp_fallback": True}, "fallback", "none"),
        ({"prefer": "extension"}, "prefer", "extension"),
        ({"unsafe_all_domains": True}, "unsafe_all_sites", True),
        ({"enable_mutations": True}, "safe_mode", False),
        ({"unsafe_enable_eval": True}, "safe_mode", False),
    ],
)
def test_a_flag_of_the_blueprint_becomes_a_setting(
    tmp_path: Path, flags: dict[str, object], setting: str, value: object
) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path)}
    assert not apply(flags, environment)
    assert getattr(Settings.load(environment=environment), setting) == value


@pytest.mark.parametrize(
    ("profile", "flags", "fallback"),
    [("chrome", {}, "launch"), ("chrome", {"no_cdp_fallback": True}, "none"), ("minimal", {}, "none")],
)
def test_the_chrome_profile_launches_a_browser_unless_told_not_to(
    tmp_path: Path, profile: str, flags: dict[str, object], fallback: str
) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path)}
    apply(flags, environment, profile=profile)
    assert Settings.load(environment=environment).fallback == fallback


def test_variables_of_the_blueprint_count_where_ours_are_not_set(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    theirs = {"CHROME_MCP_DATA": str(tmp_path), "CHROME_MCP_WS_PORT": "38017", "CHROME_MCP_USERDATA": str(profile)}
    settings = Settings.load(environment=theirs)
    assert (settings.home, settings.port, settings.fallback_profile) == (tmp_path, 38_017, profile)
    ours = Settings.load(environment={**theirs, "KAPTURE_PORT": "4711", "KAPTURE_FALLBACK_PROFILE": "/elsewhere"})
    assert (ours.port, ours.fallback_profile) == (4_711, Path("/elsewhere"))


def test_the_way_to_pair_is_printed_without_the_key(tmp_path: Path) -> None:
    Pairing(tmp_path).write_key_file(4_711)
    printed = CliRunner().invoke(mcp_command, ["--print-pairing"], env={"KAPTURE_HOME": str(tmp_path)})
    assert str(tmp_path / "hub.json") in printed.output
    secrets = key_file.read(tmp_path)
    assert secrets.key not in printed.output
    assert secrets.clientToken not in printed.output
