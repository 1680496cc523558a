"""`kapture console`, `rotate-key` and `serve` know the hub by its key, whatever else answers on its port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result
from trio_websocket import ConnectionClosed, ConnectionRejected, open_websocket_url

from kapture.cli import main
from kapture.cli.audit import audit_command
from kapture.cli.cdp import cdp_command
from kapture.cli.console import console_command
from kapture.cli.health import check_port
from kapture.cli.hub import status_command, stop_command
from kapture.cli.release import release_command
from kapture.cli.rotate_key import rotate_key_command
from kapture.cli.serve import serve
from kapture.pairing import KeyFile, Pairing, key_file
from kapture.policy.audit import AuditLog
from kapture.settings import Settings
from tests.support.stack import HubProcess, free_port, hub_process
from tests.unit.endpoints.cdp.fake_browser import World
from tests.unit.server.served import served


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    return home


@pytest.fixture
def squatter() -> Iterator[int]:
    """A program that answers on a hub's port as /health does, with the right process id."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = json.dumps({"kapture": "0.1.0", "pid": os.getpid()}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_console_gets_no_ticket_for_a_program_without_the_key(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)
    result = CliRunner().invoke(console_command, ["--no-open"])
    assert result.exit_code == 1
    assert "Open this" not in result.output
    assert not (home / "console.html").exists()


def test_a_program_without_the_key_is_not_believed_to_have_changed_it(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)
    result = CliRunner().invoke(rotate_key_command)
    assert result.exit_code == 1
    assert "new key" not in result.output


def test_the_key_is_changed_without_a_signal_as_on_windows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_process(home) as hub:
        monkeypatch.delattr(signal, "SIGHUP", raising=False)
        before = key_file.read(home)
        result = CliRunner().invoke(rotate_key_command)
        assert result.exit_code == 0, result.output
        after = key_file.read(home)
        assert after.port == before.port == hub.port
        assert {after.key, after.clientToken}.isdisjoint({before.key, before.clientToken})
        assert hub.process.poll() is None


def test_stop_ends_the_hub_that_status_shows(home: Path) -> None:
    with hub_process(home) as hub:
        shown = CliRunner().invoke(status_command)
        assert shown.exit_code == 0, shown.output
        assert f"process {hub.process.pid}, port {hub.port}" in shown.output
        stopped = CliRunner().invoke(stop_command)
        assert stopped.exit_code == 0, stopped.output
        assert hub.process.wait(30) == 0
        assert CliRunner().invoke(status_command).exit_code == 1


def test_stop_leaves_a_process_alone_whose_hub_cannot_prove_the_key(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)  # the pid is that of this process
    result = CliRunner().invoke(stop_command)
    assert result.exit_code == 1
    assert "stopped" not in result.output


def test_console_names_the_reason_why_nothing_was_opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with hub_process(home):
        result = CliRunner().invoke(console_command)
    assert result.exit_code == 0, result.output
    if sys.platform.startswith("linux"):
        assert "there is no display" in result.output
    assert (home / "console.html").as_uri() in result.output


def test_cdp_warns_where_no_tab_grants_full(home: Path) -> None:
    with hub_process(home):
        result = CliRunner().invoke(cdp_command)
    assert result.exit_code == 0, result.output
    assert "no connected tab grants" in result.stderr
    assert result.stdout.startswith("ws://127.0.0.1:")


async def test_only_who_holds_the_key_changes_the_key(home: Path) -> None:
    with hub_process(home) as hub:
        before = key_file.read(home)
        async with open_websocket_url(f"ws://127.0.0.1:{hub.port}/rotate-key") as socket:
            await socket.send_message(json.dumps({"type": "authenticate", "token": before.clientToken}))
            with trio.fail_after(30), pytest.raises(ConnectionClosed):
                await socket.get_message()
        assert key_file.read(home) == before


@pytest.mark.parametrize("command", [console_command, rotate_key_command])
def test_without_a_hub_they_say_how_to_start_one(home: Path, command: object) -> None:
    result = CliRunner().invoke(command)  # type: ignore[arg-type]
    assert result.exit_code == 1
    assert "kapture serve" in result.output


def test_a_second_hub_does_not_take_a_program_without_the_key_for_the_first(
    home: Path, squatter: int, caplog: pytest.LogCaptureFixture
) -> None:
    Pairing(home).write_key_file(squatter)
    assert trio.run(serve, Settings(home=home, port=squatter)) == 2
    assert "could not prove" in caplog.text
    assert "already listening" not in caplog.text


def test_a_hub_on_another_port_is_not_kept_out_by_a_program_without_the_key(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)
    trio.run(check_port, home, squatter + 1)


# --port and --headed are honoured or refused, at once and with the way out.


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    with hub_process(tmp_path_factory.mktemp("hub") / "data") as started:
        yield started


@pytest.fixture
def hub(running: HubProcess, monkeypatch: pytest.MonkeyPatch) -> HubProcess:
    monkeypatch.setenv("KAPTURE_HOME", str(running.home))
    monkeypatch.setenv("KAPTURE_PORT", str(running.port))
    return running


@pytest.mark.parametrize(
    "command",
    [
        ["launch", "--headless"],
        ["attach", "ws://127.0.0.1:1/"],
        ["setup", "--no-wait"],
        ["tour", "--once", "--headless"],
    ],
    ids=lambda command: command[0],
)
def test_another_port_than_the_running_hubs_is_refused(hub: HubProcess, tmp_path: Path, command: list[str]) -> None:
    done = CliRunner().invoke(main, [*command, "--port", str(free_port())], env={"HOME": str(tmp_path)})
    assert done.exit_code == 1
    assert f"runs on port {hub.port} already" in done.output
    assert f"process {hub.process.pid}" in done.output


def test_a_second_hub_of_a_data_folder_does_not_take_its_key_file_over(hub: HubProcess) -> None:
    before = key_file.read(hub.home)
    command = [sys.executable, "-m", "kapture", "serve", "--port", str(free_port())]
    done = subprocess.run(command, env=hub.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"runs on port {hub.port} already" in done.stderr
    assert key_file.read(hub.home) == before


def test_a_key_file_left_by_a_hub_that_was_killed_keeps_nobody_from_a_port(tmp_path: Path) -> None:
    with hub_process(tmp_path / "data") as killed:
        killed.kill()
        with hub_process(killed.home, free_port()) as again:
            assert isinstance(key_file.read(again.home), KeyFile)


def test_the_running_hubs_own_port_is_taken_as_it_is(hub: HubProcess, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["setup", "--no-wait", "--port", str(hub.port)], env={"HOME": str(tmp_path)})
    assert "Hub: running" in done.output


def test_tabs_are_for_no_group_where_the_hub_is_in_none(hub: HubProcess) -> None:
    command = ["attach", "http://127.0.0.1:1", "--group"]
    done = CliRunner().invoke(main, command, env={"KAPTURE_HOME": str(hub.home)})
    assert done.exit_code == 1
    assert "The hub is in no group" in done.output


@pytest.mark.parametrize("command", ["launch", "tour"])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_a_window_without_a_display_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(main, [command, "--headed"])
    assert done.exit_code == 2
    assert "--headed needs a display" in done.output
    assert "xvfb-run" in done.output


# `kapture release`: a person takes a tab back from the script that holds it.


async def release(tab_id: str) -> Result:
    return await trio.to_thread.run_sync(CliRunner().invoke, release_command, [tab_id])


async def test_the_script_loses_the_tab_and_the_person_reads_who_had_it(home: Path) -> None:
    async with served(home) as there, trio.open_nursery() as nursery:
        world = World(there.hub, nursery)
        tab = world.tab("tab1")
        async with world.script() as script:
            session = await script.attach("T-tab1")
            done = await release("tab1")
            assert done.exit_code == 0, done.output
            assert done.output.startswith("Playwright, which had tab tab1 since 2")
            assert tab.sessions == []
            assert (await script.event("Target.detachedFromTarget"))["sessionId"] == session


async def test_a_tab_that_no_script_holds_is_no_success(home: Path) -> None:
    async with served(home) as there, trio.open_nursery() as nursery:
        World(there.hub, nursery).tab("tab1")
        free = await release("tab1")
        assert free.exit_code == 1
        assert "No script or client has tab tab1." in free.output
        missing = await release("tab2")
        assert missing.exit_code == 1
        assert "There is no tab 'tab2'." in missing.output


@pytest.mark.parametrize("open_port", [False, True], ids=["paired", "--no-pairing"])
async def test_tab_is_not_taken_from_script_without_the_key(home: Path, *, open_port: bool) -> None:
    async with served(home, no_pairing=open_port) as there, trio.open_nursery() as nursery:
        world = World(there.hub, nursery)
        tab = world.tab("tab1")
        async with world.script() as script:
            await script.attach("T-tab1")
            async with there.open("/release") as socket:
                await socket.send_message('{"type":"release","tabId":"tab1"}')
                with trio.fail_after(30), pytest.raises(ConnectionClosed):
                    await socket.get_message()
            with pytest.raises(ConnectionRejected):
                async with there.open("/release", [(b"Origin", f"http://127.0.0.1:{there.port}".encode())]):
                    pass
            assert len(tab.sessions) == 1


# `kapture audit`: what it shows of the log.


CLIENT = {"id": "c1", "name": "claude", "kind": "stdio"}


async def test_the_command_shows_and_filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAPTURE_HOME", str(tmp_path))
    async with AuditLog.open(tmp_path) as log:
        log.command(client=CLIENT, command="click", outcome="ok", duration_ms=3.25, tab_id="T1", url="https://a.test/")
        log.decision(
            client=CLIENT, command="evaluate", allowed=False, rule="level: read", tab_id="T2", url="https://b.test/"
        )
        log.command(
            client={"name": "x\x1b]0;pwned\x07\u202e"}, command="hover", outcome="COMMAND_TIMEOUT", duration_ms=1
        )

    def lines(*arguments: str) -> list[str]:
        done = CliRunner().invoke(audit_command, arguments)
        assert done.exit_code == 0, done.output
        printed = done.stdout.splitlines()
        if printed and "--json" not in arguments:
            assert printed.pop(0).split() == [
                "TIME",
                "(UTC)",
                "EVENT",
                "OUTCOME",
                "COMMAND",
                "TAB",
                "SITE",
                "AND",
                "DETAILS",
            ]
        return printed

    assert len(lines()) == 3
    assert all(line.isprintable() for line in lines())
    assert [json.loads(line)["command"] for line in lines("--json", "--client", "claude")] == ["click", "evaluate"]
    assert len(lines("--denied")) == 1
    assert len(lines("--tab", "T1")) == 1
    assert len(lines("--site", "b.test")) == 1
    assert len(lines("--outcome", "timeout")) == 1
    assert len(lines("-n", "1")) == 1
    assert len(lines("--since", "1h")) == 3
    assert lines("--since", "2999-01-01") == []
    for nonsense in ("soon", "999999d", "0001-01-01T00:00+14:00"):
        refused = CliRunner().invoke(audit_command, ["--since", nonsense])
        assert refused.exit_code == 2
        assert f"Invalid value for '--since': '{nonsense}' is neither an age" in refused.output


async def test_command_names_shares_and_what_a_group_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAPTURE_HOME", str(tmp_path))
    async with AuditLog.open(tmp_path) as log:
        log.shared("devhost", level="read", sites=["a.test", "b.test"], clients=None, ended=False)
        log.group_refused("hub", "f522", "it is not signed with the group's key")
    _, share, group = CliRunner().invoke(audit_command, []).stdout.splitlines()
    assert share.endswith("devhost: up to read, sites: a.test, b.test, clients: any")
    assert group.endswith("hub f522: it is not signed with the group's key")
