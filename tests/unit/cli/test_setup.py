"""`kapture setup`: every step by itself, waiting by event, and again."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import click
import pytest
import trio
from click.testing import CliRunner
from rich.console import Console

from kapture import __version__
from kapture.changed import Changed
from kapture.cli.setup import Setup, loading, page_of, setup_command
from kapture.cli.setup_screen import Screen
from kapture.errors import leaves
from kapture.package_files import extension_folder
from kapture.pairing import key_file
from kapture.pairing.browser_locations import BrowserLocation, browser_locations
from kapture.pairing.host_manifest import installed
from kapture.settings import Settings
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


async def test_a_broken_file_of_one_client_does_not_stop_the_rest(hub: HubProcess) -> None:
    (Path.home() / ".cursor" / "mcp.json").write_text('{\n  "mcpServers": {\n    oops\n  }\n}\n')
    screen = Paper()
    async with extension(hub), remote_tab(hub, "k3f9a2bc"):
        await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "✗ Cursor" in screen.text
    assert "line 3" in screen.text
    assert "✓ Tab k3f9a2bc" in screen.text


async def test_a_link_that_leads_to_itself_stops_no_other_client(hub: HubProcess) -> None:
    config = Path.home() / ".gemini" / "settings.json"
    config.parent.mkdir()
    config.symlink_to(config.name)
    screen = Paper()
    async with extension(hub), remote_tab(hub, "k3f9a2bc"):
        await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "✗ Gemini CLI" in screen.text
    assert screen.left == ["Gemini CLI"]


async def test_what_is_in_the_extensions_place_stops_no_other_step(hub: HubProcess) -> None:
    folder = Path.home() / "Kapture" / "extension"
    folder.parent.mkdir()
    folder.write_text("a thesis")
    screen = Paper()
    await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert f"✗ Extension: {folder} holds something other than the extension. Move that away, or" in screen.text
    assert f"choose {extension_folder()}" in screen.text
    assert "✓ Cursor: has Kapture now" in screen.text
    assert folder.read_text() == "a thesis"


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


async def test_a_browser_in_a_sandbox_is_not_said_to_find_the_hub(hub: HubProcess) -> None:
    (Path.home() / "snap" / "chromium" / "common" / "chromium").mkdir(parents=True)
    screen = Paper()
    await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "✓ Pairing with Google Chrome: its extension can find the hub" in screen.text
    assert "✓ Pairing with Chromium (snap)" not in screen.text
    assert "choose hub.json in the extension's options" in screen.text


async def test_an_extension_of_another_version_is_to_be_reloaded(hub: HubProcess) -> None:
    screen = Paper()
    async with extension(hub, version="0.0.1"):
        await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "is version 0.0.1; press its Reload button" in screen.text


async def test_a_hub_of_another_version_is_to_be_ended(hub: HubProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kapture.cli.setup.__version__", "9.9.9")
    screen = Paper()
    await Setup(hub.settings, screen, yes=True, wait=False).run()
    pid = key_file.read(hub.home).pid
    assert f"version {__version__} is running, and this is 9.9.9: end that (process {pid})" in screen.text
    assert "Hub" in screen.left


async def test_the_extension_of_a_launched_browser_is_not_the_one_to_set_up(hub: HubProcess) -> None:
    screen = Paper()
    async with extension(hub, launched=True):
        await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "Extension in the browser" in screen.left
    assert "last seen" not in screen.text


async def test_a_browser_that_has_been_seen_is_to_be_started_first(hub: HubProcess) -> None:
    seen = {"extension": {"browser": "Chrome 150", "extension": __version__, "at": "2026-01-31T12:00:00+00:00"}}
    folder = hub.home.with_name("later")
    folder.mkdir(mode=0o700)
    (folder / "seen.json").write_text(json.dumps(seen))
    screen = Paper()
    with hub_process(folder) as later:
        await Setup(later.settings, screen, yes=True, wait=False).run()
    assert "Start Chrome 150, where the extension was last seen" in screen.text


def test_without_a_terminal_it_asks_nothing_waits_for_nothing_and_says_what_remains(hub: HubProcess) -> None:
    done = CliRunner().invoke(setup_command, ["--yes"])
    assert done.exit_code == 1, done.output
    assert "✓ Pairing with Google Chrome" in done.output
    assert "✓ Cursor: has Kapture now" in done.output
    assert "Still to do: Extension in the browser, Tab." in done.output
    (chrome,) = [location for location in browser_locations() if location.in_use]
    assert installed(chrome) == hub.home / "native-host" / "dev.kapture.hub.sh"


def test_without_any_browser_it_says_which_ones_there_are(hub: HubProcess) -> None:
    (Path.home() / ".config" / "google-chrome").rmdir()
    done = CliRunner().invoke(setup_command, ["--yes"])
    assert "✗ Pairing: no browser was found. Install Chrome" in done.output
    assert "Hub: running" in done.output


@pytest.mark.parametrize(
    ("browsers", "page"),
    [
        (["chrome"], "chrome://extensions"),
        (["chromium", "chrome"], "chrome://extensions"),
        (["edge", "brave"], "edge://extensions or brave://extensions"),
        (["vivaldi", "opera"], "vivaldi://extensions or opera://extensions"),
        ([], "chrome://extensions"),
    ],
)
def test_the_page_of_extensions_is_named_as_each_browser_has_it(browsers: list[str], page: str) -> None:
    found = [BrowserLocation(browser=name, title=name.title()) for name in browsers]
    assert page_of(found) == page
    assert loading(Path("/k/extension"), found)[-1].endswith("/k/extension")
