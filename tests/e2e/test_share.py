"""A hub that is shared with another machine over a real sshd, or with a container by a folder; two data folders stand
for the two machines."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.support.bridge import bridge
from tests.support.forked import ForkedProcess, fork_kapture, run_kapture
from tests.support.patience import until
from tests.support.person import person_at_browser
from tests.support.sshd import SshServer, ssh_server
from tests.support.stack import HubProcess, call, free_port, hub_process, launch_process, refusal

IMPATIENT = ["-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2"]
pytestmark = pytest.mark.e2e

PAGE = (
    "data:text/html,<title>mine</title><button>Save</button><input type=file><a download=r.txt href='data:,r'>Get</a>"
)


@pytest.fixture
def devhost() -> Iterator[Path]:
    """The data folder of the other machine. Its path is short, as those of Unix sockets must be."""
    with TemporaryDirectory(prefix="kapture-", dir="/tmp") as folder:
        home = Path(folder, "home")
        home.mkdir(mode=0o700)
        yield home


@pytest.fixture(scope="module")
def laptop() -> Iterator[HubProcess]:
    """The hub of the machine with the browser, which has one tab."""
    with (
        TemporaryDirectory(prefix="kapture-", dir="/tmp") as folder,
        hub_process(Path(folder) / "home") as hub,
        launch_process(hub, [PAGE]),
    ):
        yield hub


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """What `ssh` connects to: the other machine."""
    with ssh_server(tmp_path_factory.mktemp("sshd") / "server") as server:
        yield server


@contextmanager
def running(hub: HubProcess, *arguments: str) -> Iterator[ForkedProcess]:
    """A command of the machine with the browser, once it has printed its first line."""
    process = fork_kapture(list(arguments), hub.environment)
    try:
        assert process.stdout.readline(), f"it ended with {process.wait()}"
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()


def elsewhere(home: Path, **more: str) -> dict[str, str]:
    """The environment of a program on the other machine."""
    return {**os.environ, "KAPTURE_HOME": str(home), **more}


@contextmanager
def shared(hub: HubProcess, sshd: SshServer, home: Path, *arguments: str) -> Iterator[ForkedProcess]:
    """A share over SSH with the machine whose data folder this is."""
    names = ["--name", "devhost", "--as", "laptop", "--home", str(home)]
    with running(hub, "share", "ssh", sshd.destination, *sshd.options, *names, *arguments) as process:
        yield process


def client(home: Path, *arguments: str, **more: str) -> Client:
    """The official client, over `kapture mcp` on the other machine."""
    return Client(bridge(elsewhere(home, **more), arguments))


async def test_an_agent_there_works_in_the_tabs_here_within_the_share(
    laptop: HubProcess, sshd: SshServer, devhost: Path
) -> None:
    with shared(laptop, sshd, devhost):
        async with client(devhost) as agent:
            assert "mine" in await call(agent, "list_tabs")
            assert 'button "Save"' in await call(agent, "snapshot")
            assert "full" in await refusal(agent, "evaluate", code="1")
            assert "POLICY_DENIED" in await refusal(agent, "status")
        assert b"laptop: 1 tab" in run_kapture(["status"], elsewhere(devhost)).stdout
        scripts = run_kapture(["cdp"], elsewhere(devhost))
        assert scripts.returncode == 1
        assert b"no raw CDP" in scripts.stderr
    assert not list((devhost / "remote" / "laptop").iterdir()), "the share's files are left behind"

    async def audited() -> bool:
        found = [json.loads(line) for line in (laptop.home / "audit.jsonl").read_text().splitlines()]
        names = {entry["client"]["name"] for entry in found if entry["event"] == "command"}
        ends = [entry["outcome"] for entry in found if entry["event"] == "share"]
        return ends == ["open", "ended"] and any(name.endswith(" @devhost") for name in names)

    await until(audited, "the share in the audit log")


async def test_files_of_the_agents_machine_travel_over_the_share(
    laptop: HubProcess, sshd: SshServer, devhost: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("of devhost")
    with shared(laptop, sshd, devhost):
        async with client(devhost, "--toolsets", "all") as agent:
            assert "mine.txt" in await call(agent, "upload", target={"css": "input"}, paths=[str(mine)])
            page = call_here(laptop, "evaluate", "code=return document.querySelector('input').files[0].text()")
            assert "of devhost" in page
            await call(agent, "download_file", target={"css": "a"})
            await call(agent, "screenshot", save_to="view.jpg")
    found = {path.name: path.read_bytes() for path in (devhost / "downloads").iterdir()}
    assert found.pop("view.jpg").startswith(b"\xff\xd8")
    assert found == {"r.txt": b"r"}
    assert not [path for path in (laptop.home / "shared-files" / "devhost").rglob("*") if path.is_file()]


async def test_a_share_of_other_sites_shows_nothing(laptop: HubProcess, sshd: SshServer, devhost: Path) -> None:
    with shared(laptop, sshd, devhost, "--level", "read", "--sites", "example.org"):
        async with client(devhost) as agent:
            tab_id = laptop_tab(laptop)
            assert "POLICY_DENIED" in await refusal(agent, "navigate", url="http://example.com/", tabId=tab_id)
            assert "POLICY_DENIED" in await refusal(agent, "click", target={"css": "button"}, tabId=tab_id)


def laptop_tab(hub: HubProcess) -> str:
    """The id of the tab."""
    found: str = json.loads(call_here(hub, "list_tabs"))["tabs"][0]["tabId"]
    return found


def call_here(hub: HubProcess, *words: str) -> str:
    """The answer to `kapture call` on the machine with the browser, as JSON."""
    line = [sys.executable, "-m", "kapture", "call", *words, "--json"]
    return subprocess.run(line, env=hub.environment, capture_output=True, check=True, text=True).stdout


async def test_a_share_comes_back_when_the_connection_is_lost(
    laptop: HubProcess, sshd: SshServer, devhost: Path
) -> None:
    with shared(laptop, sshd, devhost, *IMPATIENT) as process:
        found = devhost / "remote" / "laptop" / "hub.json"
        async with client(devhost, "--hub", "laptop") as agent:
            for lose in (sshd.end_sessions, sshd.stall_sessions):
                before = found.read_text()
                lose()
                await until(partial(is_other, found, before), "another connection")
                await until(partial(lists_mine, agent), "the agent over it")
        assert process.poll() is None


async def is_other(file: Path, before: str) -> bool:
    """Whether a file is there, with another content."""
    try:
        return await trio.Path(file).read_text() != before
    except FileNotFoundError:
        return False


async def lists_mine(agent: Client) -> bool:
    """Whether a client gets the list of tabs."""
    with trio.move_on_after(10):
        try:
            return "mine" in await call(agent, "list_tabs")
        except (AssertionError, MCPError):  # over the connection that was lost
            return False
    return False


async def test_a_share_ends_with_the_hub_and_says_so(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        process = fork_kapture(["share", "folder", "box"], hub.environment, tmp_path / "errors")
        assert process.stdout.readline()
        hub.process.kill()
        assert process.wait(60) == 1
        process.stdout.close()
    assert "The hub has ended" in (tmp_path / "errors").read_text()


async def test_the_hub_of_another_machine_is_used_from_here_also_when_the_connection_was_lost(
    laptop: HubProcess, sshd: SshServer, devhost: Path
) -> None:
    there = f"env KAPTURE_HOME={laptop.home} KAPTURE_PORT={laptop.port} {sys.executable} -m kapture"
    elsewhere_hub = HubProcess(devhost, 0, laptop.process)
    words = ["connect", "ssh", sshd.destination, *sshd.options, *IMPATIENT, "--as", "devhost", "--kapture", there]
    with running(elsewhere_hub, *words) as process:
        sshd.stall_sessions()
        with trio.fail_after(60):  # the hub there has not seen the end of the first connection
            line = await trio.to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True)
        assert "can be used from here" in line
        async with client(devhost) as agent:
            await until(partial(lists_mine, agent), "the tabs")
            assert 'button "Save"' in await call(agent, "snapshot")
            assert "full" in await refusal(agent, "evaluate", code="1")


async def test_share_that_is_ended_there_does_not_come_back(laptop: HubProcess, sshd: SshServer, devhost: Path) -> None:
    there = f"env KAPTURE_HOME={laptop.home} KAPTURE_PORT={laptop.port} {sys.executable} -m kapture"
    words = ["connect", "ssh", sshd.destination, *sshd.options, "--as", "devhost", "--kapture", there]
    with running(HubProcess(devhost, 0, laptop.process), *words) as process:
        assert "Shared with devhost: up to interact" in run_kapture(["status"], laptop.environment).stdout.decode()
        assert run_kapture(["share", "end", "devhost"], laptop.environment).returncode == 0
        assert process.wait(30) == 1
    assert "Shared" not in run_kapture(["status"], laptop.environment).stdout.decode()


async def test_person_sees_who_is_there_through_a_share_and_ends_it(
    laptop: HubProcess, devhost: Path, tmp_path: Path
) -> None:
    async with person_at_browser(laptop.home, tmp_path / "profile") as person:
        with running(laptop, "share", "folder", "box", "--sites", "shop.example") as process:
            async with (
                client(devhost, KAPTURE_HUB=f"unix:{laptop.home}/shares/box/hub.sock") as agent,
                person.extension_page("popup.html") as popup,
            ):
                await call(agent, "list_tabs")
                await popup.says("box Interact at most, on shop.example")
                await popup.says("@box")
                await popup.press("End the share box")
                assert await trio.to_thread.run_sync(process.wait, 30) == 1

                async def gone() -> bool:
                    return "Shared with" not in await popup.text()

                await until(gone, "the end of the share in the popup")


async def test_a_container_uses_the_socket_in_a_mounted_folder(laptop: HubProcess, devhost: Path) -> None:
    with running(laptop, "share", "folder", "box"):
        folder = laptop.home / "shares" / "box"
        assert (folder / "hub.sock").stat().st_mode & 0o777 == 0o600
        async with client(devhost, KAPTURE_HUB=f"unix:{folder}/hub.sock") as agent:
            assert 'button "Save"' in await call(agent, "snapshot")
            assert "full" in await refusal(agent, "evaluate", code="1")

    async def gone() -> bool:
        return not (folder / "hub.sock").exists()

    await until(gone, "the end of the share")


async def test_a_copied_key_file_leads_to_the_port_of_a_share(laptop: HubProcess, devhost: Path) -> None:
    port = free_port()
    with running(laptop, "share", "port", "wsl", "--host", "localhost", "--port", str(port)):
        made = laptop.home / "shares" / "wsl" / "hub.json"
        assert made.stat().st_mode & 0o777 == 0o600
        copied = devhost / "copied" / "hub.json"
        copied.parent.mkdir(mode=0o700)
        shutil.copy(made, copied)
        async with client(devhost, KAPTURE_HUB=f"file:{copied}") as agent:
            assert 'button "Save"' in await call(agent, "snapshot")
            assert "full" in await refusal(agent, "evaluate", code="1")
        token = json.loads(made.read_text())["clientToken"]
        for named in ("host.docker.internal", "rebound.example"):
            assert await answered(port, "/mcp", token, named=named) == 403
        assert await answered(port, "/mcp", "of nobody") == 404
    assert not made.exists()
    late = run_kapture(["call", "list_tabs"], elsewhere(devhost, KAPTURE_HUB=f"file:{copied}"))
    assert b"cannot be reached" in late.stderr


async def test_the_token_of_a_share_admits_nobody_elsewhere(laptop: HubProcess, sshd: SshServer, devhost: Path) -> None:
    with shared(laptop, sshd, devhost):
        secrets = json.loads((devhost / "remote" / "laptop" / "hub.json").read_text())
        own = json.loads((laptop.home / "hub.json").read_text())
        assert secrets["key"] != own["key"]
        assert secrets["clientToken"] != own["clientToken"]
        for port, token in ((laptop.port, secrets["clientToken"]), (secrets["port"], own["clientToken"])):
            assert await answered(port, "/json/version", token) in (401, 404)
            assert await answered(port, "/mcp", token) in (401, 404)
        assert await answered(secrets["port"], "/console", secrets["clientToken"]) == 404


async def answered(port: int, path: str, token: str, named: str = "127.0.0.1") -> int:
    """The status of the answer to a GET request with this token."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        head = f"GET {path} HTTP/1.1\r\nHost: {named}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
        await stream.send_all(head.encode())
        with trio.fail_after(30):
            return int((await stream.receive_some(4096)).split()[1])
