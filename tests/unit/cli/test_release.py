"""`kapture release`: a person takes a tab back from the script that holds it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result
from trio_websocket import ConnectionClosed, ConnectionRejected

from kapture.cli.release import release_command
from tests.unit.endpoints.cdp.fake_browser import World
from tests.unit.server.served import served


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    return home


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
        assert "No script holds tab tab1." in free.output
        missing = await release("tab2")
        assert missing.exit_code == 1
        assert "There is no tab 'tab2'." in missing.output


@pytest.mark.parametrize("open_port", [False, True], ids=["paired", "--no-pairing"])
async def test_nobody_without_the_key_takes_a_tab_from_a_script(home: Path, *, open_port: bool) -> None:
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
