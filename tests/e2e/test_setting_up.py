"""From nothing to a connected tab: `kapture setup` in a terminal, the extension in a real browser, Connect."""

from __future__ import annotations

import codecs
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio

from kapture.cli.demo import demo_shop
from kapture.pairing import key_file
from tests.support.person import person_at_browser
from tests.support.stack import free_port

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the browser's profile lies where Linux has it"),
]


@attrs.define
class Terminal:
    """A program in a terminal, and what it has written."""

    process: trio.Process
    stream: trio.lowlevel.FdStream
    text: str = ""
    _decoder: codecs.IncrementalDecoder = attrs.field(factory=codecs.getincrementaldecoder("utf-8"))

    async def until(self, words: str) -> None:
        """Wait until it has written this."""
        with trio.fail_after(60):
            while words not in self.text:
                # What is read at once may end within a character.
                self.text += self._decoder.decode(await self.stream.receive_some())


@asynccontextmanager
async def terminal(environment: dict[str, str], *arguments: str) -> AsyncIterator[Terminal]:
    """`kapture` with these arguments in a terminal of its own."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "kapture", *arguments]
    process = await trio.lowlevel.open_process(
        command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    async with trio.lowlevel.FdStream(ours) as stream:
        try:
            yield Terminal(process, stream)
        finally:
            if process.poll() is None:
                process.terminate()
            with trio.CancelScope(shield=True):
                await process.wait()


async def test_setup_leads_a_new_user_to_an_answered_list_tabs(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "KAPTURE_PORT": str(free_port()),
    }
    home = tmp_path / ".local" / "share" / "kapture"
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{}")
    try:
        with demo_shop() as shop:
            async with terminal(environment, "setup", "--yes") as setup:
                await setup.until("Waiting for the extension to connect")
                folder = tmp_path / "Kapture" / "extension"
                assert f"Press Load unpacked and choose {folder}" in setup.text
                profile = tmp_path / ".config" / "chromium"
                async with person_at_browser(home, profile, shop, paired=False, extension=folder) as person:
                    await setup.until("Waiting for a tab to be connected")
                    assert "✓ Extension in " in setup.text
                    assert "✓ Cursor: has Kapture now" in setup.text
                    async with person.panel() as panel:
                        await panel.says("Corner Shop")
                        await panel.press("Connect")
                        await setup.until("Everything is ready")
                        assert "✓ Tab " in setup.text
                        assert await setup.process.wait() == 0
                        listed = await trio.run_process(
                            [sys.executable, "-m", "kapture", "call", "list_tabs"],
                            env=environment,
                            capture_stdout=True,
                        )
                        assert "Corner Shop" in listed.stdout.decode()
    finally:
        os.kill(key_file.read(home).pid, signal.SIGTERM)
