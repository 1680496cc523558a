"""`kapture launch`: a browser over its debugging pipe, and that nothing of it stays behind, however it ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.forked import run_kapture
from tests.support.site import serving
from tests.support.stack import HubProcess, call, hub_process, launch_process, mcp_client, refusal

pytestmark = pytest.mark.e2e


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, in which Chromium makes its sockets: their path must be short."""
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def own_hub(tmp_path: Path, temporary: Path) -> Iterator[HubProcess]:
    with hub_process(tmp_path / "home") as running:
        yield running


def processes_of(home: Path) -> dict[int, str]:
    """The processes whose command line names a folder of this hub's browsers."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if any(f"{home}/{folder}/" in command for folder in ("browsers", "profiles")):
                found[int(entry.name)] = command
    return found


def watchdog_of(home: Path) -> int:
    return next(pid for pid, command in processes_of(home).items() if "watchdog.py" in command)


def browser_of(home: Path) -> int:
    return next(
        pid
        for pid, command in processes_of(home).items()
        if "--remote-debugging-pipe" in command and "watchdog.py" not in command and "--type=" not in command
    )


def until(holds: Callable[[], Any], what: str) -> None:
    """Look again and again: processes and folders of others have no event for us."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come true")


def nothing_stays(home: Path) -> None:
    until(lambda: not processes_of(home), "that no process stays behind")
    until(lambda: not list((home / "browsers").glob("tmp-*")), "that no profile folder stays behind")


def no_socket_stays(temporary: Path) -> None:
    until(lambda: not list(temporary.glob("org.chromium.*")), "that no socket's folder stays behind")


async def test_a_launched_browsers_tab_runs_commands(own_hub: HubProcess, temporary: Path) -> None:
    with launch_process(own_hub, ["data:text/html,<button>Go</button>", "about:blank"]) as launched:
        assert len(launched.rows) == 2
        tab = launched.rows[0]["tabId"]
        async with mcp_client(own_hub) as client:
            await call(client, "wait_for", tabId=tab, text="Go")  # the browser has the page, but may not have read it
            assert 'button "Go"' in await call(client, "snapshot", tabId=tab)
            await call(client, "click", tabId=tab, target={"role": "button", "name": "Go"})
    nothing_stays(own_hub.home)
    no_socket_stays(temporary)


@pytest.mark.parametrize("arguments", [[], ["--with-extension"]], ids=["cdp", "extension"])
async def test_every_address_is_opened_whatever_the_grant_covers(own_hub: HubProcess, arguments: list[str]) -> None:
    with serving({"/one": "<title>one</title>", "/two": "<title>two</title>"}) as site:
        addresses = [site.url("/one"), site.url("/two"), "about:blank"]
        with launch_process(own_hub, addresses, ["--level", "read", *arguments]) as launched:
            assert [row["url"] for row in launched.rows] == addresses
            async with mcp_client(own_hub) as client:
                for row in launched.rows[:2]:
                    tab = row["tabId"]
                    assert str(row["url"]) in await call(client, "tab_info", tabId=tab)
                    assert "POLICY_DENIED" in await refusal(client, "click", tabId=tab, target={"css": "html"})


def sockets_of(pid: int) -> Iterator[str]:
    """The inodes of a process's sockets. What is closed, or has ended, meanwhile is passed over."""
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                if (opened := str(link.readlink())).startswith("socket:["):
                    yield opened.removeprefix("socket:[").removesuffix("]")


def test_a_launched_browser_opens_no_port(own_hub: HubProcess) -> None:
    with launch_process(own_hub):
        sockets = {number for pid in processes_of(own_hub.home) for number in sockets_of(pid)}
        assert sockets
        tables = [Path(f"/proc/net/{table}").read_text().splitlines()[1:] for table in ("tcp", "tcp6")]
        listening = {line.split()[9] for table in tables for line in table if line.split()[3] == "0A"}
        assert not sockets & listening


@pytest.mark.parametrize("part", ["hub", "launch", "browser", "watchdog"])
def test_nothing_stays_behind_when_a_part_is_killed(own_hub: HubProcess, temporary: Path, part: str) -> None:
    with launch_process(own_hub) as launched:
        home = own_hub.home
        victim = {
            "hub": lambda: own_hub.process.pid,
            "launch": lambda: launched.process.pid,
            "browser": lambda: browser_of(home),
            "watchdog": lambda: watchdog_of(home),
        }[part]()
        os.kill(victim, signal.SIGKILL)
        nothing_stays(home)
        no_socket_stays(temporary)
        assert launched.process.wait(60) != 0


@pytest.mark.parametrize("part", ["launch", "watchdog"])
def test_nothing_of_a_browser_with_the_extension_stays_behind(own_hub: HubProcess, temporary: Path, part: str) -> None:
    with launch_process(own_hub, arguments=["--with-extension"]) as launched:
        os.kill(launched.process.pid if part == "launch" else watchdog_of(own_hub.home), signal.SIGKILL)
        nothing_stays(own_hub.home)
        no_socket_stays(temporary)


def test_a_folder_whose_owners_were_all_killed_goes_with_the_next_launch(own_hub: HubProcess) -> None:
    with launch_process(own_hub):
        (folder,) = (own_hub.home / "browsers").glob("tmp-*")
        os.kill(watchdog_of(own_hub.home), signal.SIGSTOP)
        os.kill(own_hub.process.pid, signal.SIGKILL)
        os.kill(watchdog_of(own_hub.home), signal.SIGKILL)
        until(lambda: not processes_of(own_hub.home), "that no process stays behind")
    assert folder.exists()
    with hub_process(own_hub.home) as second, launch_process(second):
        assert not folder.exists()


async def test_a_named_profile_is_kept_and_its_lock_recovered(own_hub: HubProcess) -> None:
    with serving({"/": "<title>site</title>"}) as site:
        for round_number in range(2):
            with launch_process(own_hub, [site.url()], ["--profile", "work"]) as launched:
                tab = launched.rows[0]["tabId"]
                async with mcp_client(own_hub) as client:
                    if round_number == 0:
                        await call(client, "evaluate", tabId=tab, code="document.cookie = 'kept=yes; max-age=9999'; 1")
                        # Chromium writes cookies down within 30 s, or when it ends as it should.
                    else:
                        assert "kept=yes" in await call(client, "evaluate", tabId=tab, code="document.cookie")
            until(lambda: not processes_of(own_hub.home), "that no process stays behind")
        lock = own_hub.home / "profiles" / "work" / "SingletonLock"
        lock.unlink(missing_ok=True)
        lock.symlink_to(f"{os.uname().nodename}-{os.getpid()}")  # a dead browser's number that another program has
        with launch_process(own_hub, [site.url()], ["--profile", "work"]) as launched:
            assert launched.rows


def launch_fails(hub: HubProcess, *arguments: str) -> str:
    done = run_kapture(["launch", "--headless", *arguments], hub.environment)
    assert done.returncode != 0
    return done.stderr.decode()


def test_a_profile_in_use_is_refused_with_the_reason(own_hub: HubProcess) -> None:
    with launch_process(own_hub, arguments=["--profile", "work"]):
        assert "The profile work is in use" in launch_fails(own_hub, "--profile", "work")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--browser", "/nowhere/chrome"], "--browser names '/nowhere/chrome'"),
        (["--browser", "/bin/true"], "The browser was started, but ended the connection"),
        (["--profile", "../../other"], "cannot be the name of a profile"),
        (["--", "--user-data-dir=/home/me/.config/chromium"], "the profile could be your own"),
    ],
)
def test_failed_launch_says_why(own_hub: HubProcess, arguments: list[str], words: str) -> None:
    assert words in launch_fails(own_hub, *arguments)


@pytest.mark.long
def test_launches_in_a_row_leave_nothing(own_hub: HubProcess, temporary: Path) -> None:
    for _ in range(int(os.environ.get("KAPTURE_LAUNCHES", "2"))):  # `./dev leaks`: 20
        with launch_process(own_hub) as launched:
            assert len(launched.rows) == 1
    nothing_stays(own_hub.home)
    no_socket_stays(temporary)
