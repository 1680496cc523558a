"""`kapture serve` as a process: its port, its key file, its signals, its end."""

from __future__ import annotations

import json
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
from trio_websocket import ConnectionClosed, WebSocketConnection, open_websocket_url

from kapture.cli.health import hub_on
from kapture.server.listener import open_port, port_of
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
