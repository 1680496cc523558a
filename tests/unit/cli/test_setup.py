"""`kapture setup`: every step by itself, waiting by event, and again."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
import trio
from click.testing import CliRunner
from rich.console import Console

from kapture import __version__
from kapture.changed import Changed
from kapture.cli import launch
from kapture.cli.extension_browser import CONNECT_TIMEOUT_S, connected_tabs, not_shown
from kapture.cli.extension_folder import extension_command, publish, update_published, visible_folder
from kapture.cli.hub import stop
from kapture.cli.launch import parse_sites, split_flags
from kapture.cli.setup import Setup, setup_command
from kapture.cli.setup_screen import Screen
from kapture.errors import ErrorCode, KaptureError, leaves
from kapture.package_files import extension_folder
from kapture.pairing import key_file
from kapture.pairing.browser_locations import browser_locations
from kapture.pairing.host_manifest import installed
from kapture.settings import Settings
from kapture.wire import browsers as wire
from kapture.wire.messages import WireGrant
from tests.support.proven_extension import proven_extension
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, hub_process


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubProcess]:
    """A hub, and a person with Chrome, Cursor and nothing of Kapture's."""
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    (tmp_path / ".config" / "google-chrome").mkdir(parents=True)
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text('{"mcpServers": {"other": {"command": "x"}}}')
    with hub_process(tmp_path / "data") as started:
        monkeypatch.setenv("KAPTURE_HOME", str(started.home))
        monkeypatch.setenv("KAPTURE_PORT", str(started.port))
        yield started


class Sheet(io.StringIO):
    """Text that is waited for as it is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = Changed()

    def write(self, text: str) -> int:
        count = super().write(text)
        self.written.notify()
        return count


class Paper(Screen):
    """A screen that can be read as it is written."""

    def __init__(self, *, says_yes: bool = True) -> None:
        self._sheet = Sheet()
        self.questions: list[str] = []
        self._says_yes = says_yes
        super().__init__(interactive=True, console=Console(file=self._sheet, width=200))

    @property
    def text(self) -> str:
        return self._sheet.getvalue()

    async def until(self, text: str) -> None:
        """Wait until this has been written."""
        with trio.fail_after(60):
            while text not in self.text:
                await self._sheet.written.wait()

    async def confirm(self, question: str) -> bool:
        await trio.lowlevel.checkpoint()
        self.questions.append(question)
        return self._says_yes


@asynccontextmanager
async def extension(hub: HubProcess, version: str = __version__, *, launched: bool = False) -> AsyncIterator[None]:
    """A browser whose extension has connected, for the length of the block."""
    async with proven_extension(hub.home) as socket:
        browser = {"name": "Chrome", "version": "150", "extension": version, "instance": "one"}
        message = {"type": "register_browser", "protocol": 1, "browser": browser, "launched": launched}
        await socket.send_message(json.dumps(message))
        assert json.loads(await socket.get_message())["type"] == "browser_registered"
        yield


async def test_it_waits_for_the_extension_and_then_for_a_tab(hub: HubProcess) -> None:
    screen = Paper()
    setup = Setup(hub.settings, screen, yes=False, wait=True)
    async with trio.open_nursery() as nursery:
        done = trio.Event()

        async def run() -> None:
            await setup.run()
            done.set()

        nursery.start_soon(run)
        await screen.until("Waiting for the extension to connect")
        assert "chrome://extensions" in screen.text
        assert "shells do not find `kapture` yet" in screen.text
        async with extension(hub):
            await screen.until("Waiting for a tab to be connected")
            assert "✓ Extension in Chrome 150" in screen.text
            assert screen.questions == [f"Add Kapture to Cursor? {Path.home()}/.cursor/mcp.json"]
            grant = {"sites": ["shop.example"], "level": "interact"}
            async with remote_tab(hub, "k3f9a2bc", url="https://shop.example/", grant=grant):
                with trio.fail_after(60):
                    await done.wait()
    assert "✓ Tab k3f9a2bc: https://shop.example/ (interact on shop.example)" in screen.text
    assert screen.left == []
    servers = json.loads((Path.home() / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert set(servers) == {"other", "kapture"}


async def test_a_hub_that_is_lost_while_it_waits_ends_it_in_words(hub: HubProcess) -> None:
    screen = Paper()
    said: list[str] = []

    async def run() -> None:
        try:
            await Setup(hub.settings, screen, yes=True, wait=True).run()
        except* click.ClickException as errors:
            said.extend(str(error) for error in leaves(errors))

    with trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            await screen.until("Waiting for the extension to connect")
            hub.kill()
    assert said == ["The hub has ended. Run `kapture setup` again."]


async def test_run_again_it_finds_everything_done(hub: HubProcess) -> None:
    async with extension(hub), remote_tab(hub, "k3f9a2bc"):
        await Setup(hub.settings, Paper(), yes=True, wait=True).run()
        again = Paper()
        await Setup(hub.settings, again, yes=False, wait=True).run()
    assert again.questions == []
    assert again.left == []
    assert "Cursor: has Kapture" in again.text
    assert "Waiting" not in again.text


async def test_a_no_leaves_the_clients_file_as_it_was(hub: HubProcess) -> None:
    before = (Path.home() / ".cursor" / "mcp.json").read_text()
    screen = Paper(says_yes=False)
    await Setup(hub.settings, screen, yes=False, wait=False).run()
    assert (Path.home() / ".cursor" / "mcp.json").read_text() == before
    assert "kapture install cursor" in screen.text


async def test_without_a_usable_data_folder_the_clients_get_kapture_all_the_same(
    hub: HubProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("KAPTURE_HOME", str(shared / "data"))
    screen = Paper()
    await Setup(Settings.load(), screen, yes=True, wait=True).run()
    assert f"every user of this machine may replace files in {shared}" in screen.text
    assert "✓ Cursor: has Kapture now" in screen.text
    assert screen.left == ["Hub"]


async def test_an_extension_of_another_version_is_to_be_reloaded(hub: HubProcess) -> None:
    screen = Paper()
    async with extension(hub, version="0.0.1"):
        await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "is version 0.0.1; press its Reload button" in screen.text


@pytest.mark.parametrize("agrees", [True, False])
async def test_hub_of_another_version_is_replaced_if_the_person_agrees(hub: HubProcess, agrees: bool) -> None:
    file = hub.home / key_file.FILE_NAME
    file.write_text(file.read_text().replace(f'"{__version__}"', '"0.0.1"'))
    screen = Paper(says_yes=agrees)
    try:
        await Setup(hub.settings, screen, yes=False, wait=False).run()
        assert screen.questions[0].startswith("Stop the hub of version 0.0.1?")
        assert (key_file.read(hub.home).pid != hub.process.pid) is agrees
    finally:
        await stop(hub.home)


def test_without_a_terminal_it_asks_nothing_waits_for_nothing_and_says_what_remains(hub: HubProcess) -> None:
    done = CliRunner().invoke(setup_command, ["--yes"])
    assert done.exit_code == 1, done.output
    assert "✓ Pairing with Google Chrome" in done.output
    assert "✓ Cursor: has Kapture now" in done.output
    assert "Still to do: Extension in the browser, Tab." in done.output
    (chrome,) = [location for location in browser_locations() if location.in_use]
    assert installed(chrome) == hub.home / "native-host" / "dev.kapture.hub.sh"


# Yes-or-no questions of `kapture setup`.


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


# ~/Kapture/extension: a copy that stays where it is, is replaced as a whole, and never hides somebody else's files.


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def age(folder: Path) -> None:
    """Make a copy look like that of an older version."""
    (folder / "manifest.json").write_text(
        json.dumps({**json.loads((folder / "manifest.json").read_text()), "version": "0.0.1"})
    )
    (folder / "worker" / "gone.js").write_text("// of the older version")


def test_it_prints_the_folder_and_makes_it(home: Path) -> None:
    shown = CliRunner().invoke(extension_command, [])
    assert shown.stdout == f"{home}/Kapture/extension\n"
    assert (home / "Kapture" / "extension" / "manifest.json").read_bytes() == (
        extension_folder() / "manifest.json"
    ).read_bytes()


def test_an_older_copy_is_replaced_whole(home: Path) -> None:
    publish()
    age(visible_folder())
    assert publish()
    assert not (visible_folder() / "worker" / "gone.js").exists()
    assert json.loads((visible_folder() / "manifest.json").read_text())["version"] != "0.0.1"
    assert [entry.name for entry in visible_folder().parent.iterdir()] == ["extension"]


def test_folder_other_than_extension_is_never_replaced() -> None:
    visible_folder().mkdir(parents=True)
    (visible_folder() / "thesis.txt").write_text("years of work")
    with pytest.raises(click.ClickException, match=r"something other than the extension\. Move that away, or copy"):
        publish()
    assert (visible_folder() / "thesis.txt").read_text() == "years of work"


def test_a_hub_updates_a_copy_that_was_made_and_makes_none() -> None:
    assert not update_published()
    assert not visible_folder().exists()
    publish()
    age(visible_folder())
    assert update_published()


# Tabs of a browser with the extension: waiting for them, and what is said of the URLs that it was started on.


URL = "http://127.0.0.1:2/"


class Hub:
    """A hub whose only tab shows `urls`, one after the other. `again`: its answer to `navigate`."""

    def __init__(self, again: dict[str, Any], *urls: str) -> None:
        self.urls = list(urls)
        self.again = again
        self.called: list[str] = []
        self.tabs_changed = Changed()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.called.append(tool.removeprefix("kapturemcp_"))
        return self.again

    async def tabs(self) -> list[dict[str, Any]]:
        row = {"tabId": "t1", "url": self.urls[0]}
        if len(self.urls) > 1:
            del self.urls[0]
            self.tabs_changed.notify()
        return [row]


def failed(**data: str) -> dict[str, Any]:
    return {"isError": True, "_meta": {"dev.kapture/error": {"code": "NAVIGATION_FAILED", "data": data}}}


@pytest.mark.parametrize(
    ("again", "words"),
    [
        (failed(reason="ERR_CONNECTION_REFUSED"), f"{URL} is not shown: net::ERR_CONNECTION_REFUSED"),
        (failed(), f"{URL} is not shown: it cannot be opened"),
        ({}, ""),
    ],
)
async def test_an_error_page_is_said_to_be_one_with_the_browsers_reason(again: dict[str, Any], words: str) -> None:
    hub: Any = Hub(again, "chrome-error:")
    assert await not_shown(hub, "t1", URL) == words
    assert hub.called == ["tab_info", "navigate"]


class Starting:
    """A hub whose tab connects with the first change, and the process of a browser."""

    def __init__(self) -> None:
        self.tab_ids = ["before"]
        self.asked = trio.Event()
        self.tabs_changed = Changed()
        self.ended = trio.Event()

    async def tabs(self) -> list[dict[str, Any]]:
        self.asked.set()
        return [{"tabId": tab_id} for tab_id in self.tab_ids]


async def test_the_first_tab_of_a_browser_is_waited_for() -> None:
    starting: Any = Starting()
    async with trio.open_nursery() as nursery:

        async def connect() -> None:
            await starting.asked.wait()
            starting.tab_ids.append("new")
            starting.tabs_changed.notify()

        nursery.start_soon(connect)
        assert await connected_tabs(starting, starting, {"before"}) == ["new"]


async def test_a_browser_that_ends_before_a_tab_of_it_has_connected_is_not_waited_for() -> None:
    starting: Any = Starting()
    starting.ended.set()
    with trio.fail_after(CONNECT_TIMEOUT_S / 2), pytest.raises(KaptureError, match="no tab of it connected before"):
        await connected_tabs(starting, starting, {"before"})


async def test_a_browser_whose_tabs_do_not_connect_is_an_error(autojump_clock: trio.abc.Clock) -> None:
    starting: Any = Starting()
    with pytest.raises(KaptureError, match="no tab of it connected within 30 s"):
        await connected_tabs(starting, starting, {"before"})


def test_addresses_and_flags_of_the_browser_are_told_apart() -> None:
    assert split_flags(["about:blank", "--lang=de", "http://a/"]) == (["about:blank", "http://a/"], ["--lang=de"])


@pytest.mark.parametrize(
    "flag", ["--user-data-dir=/home/me/p", "-user-data-dir=/home/me/p", "--User-Data-Dir=x", "-profile-directory=Work"]
)
def test_no_spelling_that_a_browser_understands_chooses_a_persons_own_profile(flag: str) -> None:
    with pytest.raises(KaptureError, match="the profile could be your own") as caught:
        split_flags([flag])
    assert caught.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize("sites", [("",), (" , ",)])
def test_a_grant_for_no_site_is_refused(sites: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError, match="--sites names no site"):
        parse_sites(sites)


@pytest.mark.parametrize(
    ("hub_ended", "words"), [(True, "The hub has ended, and the browser with it"), (False, "The browser has ended")]
)
async def test_a_browser_with_the_extension_does_not_end_in_silence(
    monkeypatch: pytest.MonkeyPatch, hub_ended: bool, words: str
) -> None:
    class Ended:
        problems = tab_ids = ()
        hub = SimpleNamespace(closed=trio.Event())

        async def tabs(self) -> list[Any]:
            return []

        async def ended(self) -> None:
            await trio.lowlevel.checkpoint()

    @asynccontextmanager
    async def launched(*_: object, **__: object) -> AsyncIterator[Any]:
        browser: Any = Ended()
        browser.hub.tabs = browser.tabs
        if hub_ended:
            browser.hub.closed.set()
        yield browser

    monkeypatch.setattr(launch, "launched_browser", launched)
    settings: Any = None
    with pytest.raises(KaptureError, match=words):
        await launch.run_with_extension(
            settings, wire.Launch(grant=WireGrant(sites=["*"], level="full"), browser="", headless=True), as_json=True
        )
