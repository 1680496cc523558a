"""Nothing secret is ever printed, logged, on a command line or in an address: a whole session is searched for it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kapture.pairing import key_file
from kapture.pairing.ticket import make_ticket
from tests.support.stack import HubProcess, browser_process, call, hub_process, mcp_client, refusal

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="command lines are read from /proc"),
]

TYPED = "correct-horse-battery-staple"
PAGE = "data:text/html,<title>t</title><label>Password <input type=password></label>"


class CommandLines(threading.Thread):
    """Every command line that a process shows while this runs. Before it has exec'd, a process has its parent's."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[bytes] = set()
        self.over = threading.Event()

    def run(self) -> None:
        lines: dict[str, bytes] = {}
        looks: dict[str, int] = {}
        while not self.over.wait(0.05):
            for process in Path("/proc").glob("[0-9]*"):
                if looks.get(process.name, 0) > 3:
                    continue
                try:
                    line = lines[process.name] = (process / "cmdline").read_bytes()
                    parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                except OSError:
                    continue  # it has ended
                self.seen.add(line)
                if not line or line != lines.get(parent):  # an ended process has none
                    looks[process.name] = looks.get(process.name, 0) + 1


@contextmanager
def command_lines() -> Iterator[CommandLines]:
    watcher = CommandLines()
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.over.set()
        watcher.join()


def kapture(hub: HubProcess, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "kapture", *arguments],
        env=hub.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def everything_under(folder: Path) -> str:
    """All files of the data folder but the key file and the private page that leads to the Console."""
    return "\n".join(
        path.read_text("utf-8", "replace")
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("hub.json", "console.html")
    )


async def test_no_key_token_or_typed_value_shows_anywhere_in_a_session(tmp_path: Path) -> None:
    shown: list[str] = []
    secrets: set[str] = set()

    def note(hub: HubProcess) -> None:
        content = key_file.read(hub.home)
        secrets.update({content.key, content.clientToken})

    with command_lines() as lines, hub_process(tmp_path / "home", arguments=["--verbose"]) as hub:
        note(hub)
        with browser_process(hub, [PAGE]) as rows:
            tab = rows[0]["tabId"]
            shown.append(json.dumps(rows))
            async with mcp_client(hub) as client:
                shown.append(await call(client, "list_tabs"))
                shown.append(await call(client, "status"))
                await call(client, "fill", tabId=tab, selector="input", value=TYPED)
                shown.append(await call(client, "snapshot", tabId=tab))
                shown.append(await refusal(client, "click", tabId=tab, selector="#none", timeout=200))
                await call(client, "evaluate", tabId=tab, code=f"'{TYPED}'.length")
            for arguments in (
                ["call", "list_tabs", "--json"],
                ["call", "status", "--json"],
                ["doctor"],
                ["audit", "--all", "--json"],
                ["policy", "check"],
                ["console", "--no-open"],
                ["rotate-key"],
            ):
                shown.append(kapture(hub, *arguments))
            assert "new key" in shown[-1]
            note(hub)
        assert hub.process.stdout is not None
        hub.process.terminate()
        hub.process.wait(60)
        shown.append(hub.process.stdout.read())
        shown.append(everything_under(hub.home))

    assert len(secrets) == 4
    text = "\n".join(shown)
    argv = b"\0".join(lines.seen).decode("utf-8", "replace")
    assert "--load-extension" in argv  # the browser was among those looked at
    for secret in secrets:
        assert secret not in text
        assert secret not in argv
    assert TYPED not in text
    assert TYPED not in argv
    assert not re.search(r"ticket=[A-Za-z0-9_-]{20}", text + argv)


def test_the_console_is_opened_over_a_private_file_and_not_over_a_command_line(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    argv = tmp_path / "argv"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {argv}\n')
    browser.chmod(0o755)
    with hub_process(tmp_path / "home") as hub:
        environment = {**hub.environment, "BROWSER": f"{browser} %s"}
        subprocess.run([sys.executable, "-m", "kapture", "console"], env=environment, check=True, timeout=60)
        page = hub.home / "console.html"
        assert argv.read_text().strip() == page.as_uri()
        assert page.stat().st_mode & 0o777 == 0o600
        found = re.search(r"http://127\.0\.0\.1:(\d+)/console/(\?[^#\"]*)?#ticket=([\w.-]+)", page.read_text())
        assert found is not None
        assert int(found[1]) == hub.port
        assert found[2] is None
        assert len(found[3]) == len(make_ticket(key_file.read(hub.home).key))


def test_the_key_file_goes_with_the_hub(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        assert (hub.home / "hub.json").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "home" / "hub.json").exists()


def test_a_hub_does_not_start_when_its_key_cannot_be_kept_private(tmp_path: Path) -> None:
    public = tmp_path / "public"
    public.mkdir()
    public.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-m", "kapture", "serve", "--port", "0"],
        env={**os.environ, "KAPTURE_HOME": str(public / "home")},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert str(public) in done.stderr
    assert not (public / "home" / "hub.json").exists()


@pytest.mark.parametrize("policy", ["level = 'everything'\n", "allow = ['exa*mple.com']\n", "= broken"])
def test_a_hub_does_not_start_on_a_broken_policy(tmp_path: Path, policy: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(policy)
    done = subprocess.run(
        [sys.executable, "-m", "kapture", "serve", "--port", "0"],
        env={**os.environ, "KAPTURE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert "policy.toml:1:" in done.stderr
    assert not (home / "hub.json").exists()
