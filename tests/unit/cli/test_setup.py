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
from kapture.cli.setup import Setup, setup_command
from kapture.cli.setup_screen import Screen
from kapture.errors import leaves
from kapture.pairing.browser_locations import browser_locations
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


async def test_the_extension_of_a_launched_browser_is_not_the_one_to_set_up(hub: HubProcess) -> None:
    screen = Paper()
    async with extension(hub, launched=True):
        await Setup(hub.settings, screen, yes=True, wait=False).run()
    assert "Extension in the browser" in screen.left
    assert "last seen" not in screen.text


def test_without_a_terminal_it_asks_nothing_waits_for_nothing_and_says_what_remains(hub: HubProcess) -> None:
    done = CliRunner().invoke(setup_command, ["--yes"])
    assert done.exit_code == 1, done.output
    assert "✓ Pairing with Google Chrome" in done.output
    assert "✓ Cursor: has Kapture now" in done.output
    assert "Still to do: Extension in the browser, Tab." in done.output
    (chrome,) = [location for location in browser_locations() if location.in_use]
    assert installed(chrome) == hub.home / "native-host" / "dev.kapture.hub.sh"
