"""A group of machines through a real Redis server. Hubs with data folders of their own stand for the machines."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import attrs
import pytest
import trio
from click.testing import CliRunner
from mcp import Client

from kapture.cli.group import group_command
from kapture.errors import ErrorCode
from kapture.group.redis_engine import RedisServer
from kapture.settings import Settings
from tests.support.bridge import bridge
from tests.support.certificate import make_certificate
from tests.support.patience import until
from tests.support.redis_server import RedisProcess, redis_over_tls, redis_server
from tests.support.stack import HubProcess, call, hub_process, images_of, launch_process, refusal, text_of
from tests.unit.group.machines import Machine, machine
from tests.unit.hub.simulated import fails

pytestmark = pytest.mark.e2e


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as those of Unix sockets must be."""
    with TemporaryDirectory(prefix="kapture-", dir="/tmp") as made:
        yield Path(made)


def server_of(home: Path, url: str, **files: Path) -> RedisServer:
    """The server as the settings of a hub name it."""
    settings = Settings.load(
        {
            "join": url,
            "group_key_file": home / "team.key",
            **{f"group_{name}_file": path for name, path in files.items()},
        },
        {"KAPTURE_HOME": str(home)},
    )
    assert settings.join is not None
    return RedisServer(settings.join, "team", settings.group_password_file, settings.group_ca_file)


@asynccontextmanager
async def laptop_and_devhost(home: Path, url: str, **files: Path) -> AsyncIterator[tuple[Machine, Machine]]:
    """A machine with a tab, `tab1`, that answers what it is asked, and one with an agent."""
    async with (
        machine(server_of(home, url, **files).connect, home, "laptop") as laptop,
        machine(server_of(home, url, **files).connect, home, "devhost") as devhost,
    ):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        yield laptop, devhost


def in_file(path: Path, content: str) -> Path:
    """A file that its owner alone can read."""
    path.touch(0o600)
    path.write_text(content)
    return path


async def test_machines_share_tabs_over_tls_with_a_user_of_its_own(folder: Path) -> None:
    certificate = make_certificate(folder)
    password = in_file(folder / "password", "s3cr3t-of-redis\n")
    with redis_over_tls(folder / "redis", certificate.file, folder / "key.pem") as server:
        async with laptop_and_devhost(folder, server.url, password=password, ca=certificate.file) as (_, devhost):
            assert await devhost.call("t_echo", "tab1", word="hello") == "hello"
            large = "ä" * 300_000
            result = await devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1", "word": large})
            assert result.data == {"result": large}
            (row,) = (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
            assert (row["tabId"], row["machine"]) == ("tab1", "laptop")
            await devhost.hub.state.group.elsewhere.look()  # type: ignore[union-attr]
            machines = devhost.hub.status()["group"]["machines"]
            assert [(one["machine"], one["tabs"]) for one in machines] == [("laptop", 1)]
        assert not (folder / "redis" / "dump.rdb").exists()


@pytest.mark.parametrize(("wrong", "why"), [("password", "invalid username-password"), ("ca", "certificate")])
async def test_why_the_server_is_away_is_told_without_secrets(folder: Path, wrong: str, why: str) -> None:
    certificate = make_certificate(folder)
    files = {"password": in_file(folder / "password", "s3cr3t-of-redis"), "ca": certificate.file}
    if wrong == "password":
        files["password"] = in_file(folder / "other", "an0ther-s3cr3t")
    else:
        del files["ca"]
    with redis_over_tls(folder / "redis", certificate.file, folder / "key.pem") as server:
        connect = server_of(folder, server.url, **files).connect
        async with machine(connect, folder, "laptop", joins=False) as laptop:
            with trio.fail_after(30):
                await laptop.member.changed.wait()
            status = laptop.hub.status()["group"]
            assert why in status["away"], status
            assert "s3cr3t" not in str(status)


async def test_local_tabs_go_on_and_the_group_is_back_when_the_server_is(folder: Path) -> None:
    with redis_server(folder / "redis") as server:
        async with laptop_and_devhost(folder, server.url) as (laptop, devhost):
            await stopped(server, laptop, devhost)
            server.kill()
            assert await laptop.call("t_echo", "tab1", word="mine") == "mine"
            while devhost.member.away is None:
                await devhost.member.changed.wait()
            error = await fails(
                ErrorCode.TAB_DISCONNECTED, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"})
            )
            assert "no connection to the server of the group team" in error.message
            server.start()
            with trio.fail_after(17):
                for member in (devhost.member, laptop.member):
                    while member.away is not None:
                        await member.changed.wait()
            assert await devhost.call("t_echo", "tab1", word="back") == "back"


async def stopped(server: RedisProcess, laptop: Machine, devhost: Machine) -> None:
    """A call that begins while the server answers nobody has its answer afterwards."""
    server.stop()
    call = devhost.world.start(devhost.call("t_echo", "tab1", word="later"))
    assert await laptop.call("t_echo", "tab1", word="mine") == "mine"
    await trio.sleep(1)
    assert not call.done.is_set()
    server.go_on()
    assert await call.wait() == "later"


# --- with a browser -----------------------------------------------------------------------------------------------

PAGE = """<title>Shop</title><button onclick="this.textContent = 'Bought'">Buy</button>
<button onclick="this.textContent = 'Sure: ' + confirm('Sure?')">Ask</button><input type=file>
<canvas width=600 height=400></canvas>
<script>
  const canvas = document.querySelector('canvas').getContext('2d'), noise = canvas.createImageData(600, 400);
  for (let i = 0; i < noise.data.length; i += 65536) crypto.getRandomValues(noise.data.subarray(i, i + 65536));
  for (let i = 3; i < noise.data.length; i += 4) noise.data[i] = 255;
  canvas.putImageData(noise, 0, 0);
</script>"""


@attrs.frozen
class TwoMachines:
    """The hub of the machine with the browser and that of the one with the agent, which has none."""

    laptop: HubProcess
    devhost: HubProcess
    shared: str
    own: str


@pytest.fixture(scope="module")
def machines() -> Iterator[TwoMachines]:
    """Two hubs in a group. The browser has a tab that is for the group; another browser has one that is not."""
    with TemporaryDirectory(prefix="kapture-", dir="/tmp") as made, ExitStack() as stack:
        folder = Path(made)
        server = stack.enter_context(redis_server(folder / "redis"))
        key = folder / "team.key"
        assert CliRunner().invoke(group_command, ["new", "team", "--file", str(key)]).exit_code == 0

        def hub(machine: str) -> HubProcess:
            flags = ["--join", server.url, "--group-key-file", str(key), "--machine", machine]
            return stack.enter_context(hub_process(folder / machine, arguments=flags))

        laptop, devhost = hub("laptop"), hub("devhost")
        page = f"data:text/html,{quote(PAGE)}"
        shared = stack.enter_context(launch_process(laptop, [page], ["--group"]))
        own = stack.enter_context(launch_process(laptop, ["data:text/html,<title>Private</title>"]))
        yield TwoMachines(laptop, devhost, shared.rows[0]["tabId"], own.rows[0]["tabId"])


@asynccontextmanager
async def agent_on(hub: HubProcess) -> AsyncIterator[Client]:
    """The official client, over `kapture mcp`, once it sees the tab of the other machine."""
    async with Client(bridge(hub.environment, ())) as agent:

        async def listed() -> bool:
            return "laptop" in await call(agent, "list_tabs")

        await until(listed, "the other machine's tab")
        yield agent


async def test_an_agent_works_in_a_tab_of_another_machine(machines: TwoMachines, tmp_path: Path) -> None:
    async with agent_on(machines.devhost) as agent:
        tabs = await call(agent, "list_tabs")
        assert machines.shared in tabs
        assert machines.own not in tabs
        assert "Private" not in tabs
        assert 'button "Buy"' in await call(agent, "snapshot")
        assert "Bought" in await call(agent, "click", target={"text": "Buy"})
        (picture,) = images_of(await agent.call_tool("kapturemcp_screenshot", {}))
        assert len(picture.data) > 200_000, "it travels in chunks"
        assert "dialog" in await call(agent, "click", target={"text": "Ask"})
        assert "DIALOG_OPEN" in await refusal(agent, "click", target={"text": "Buy"})
        await call(agent, "handle_dialog", accept=True)
        assert "Sure: true" in await call(agent, "snapshot")
        assert "42" in await call(agent, "evaluate", code="6 * 7")
        uploads = machines.devhost.home / "uploads"
        uploads.mkdir()
        (uploads / "mine.txt").write_text("mine")
        upload = {"target": {"css": "input"}, "paths": [str(uploads / "mine.txt")]}
        assert "mine.txt" in await call(agent, "upload", **upload)
        (tmp_path / "secret.txt").write_text("secret")
        upload["paths"] = [str(tmp_path / "secret.txt")]
        assert "none of the folders" in await refusal(agent, "upload", **upload)
        assert str(machines.devhost.home / "downloads") in await call(agent, "get_text", save_to="text.txt")
        assert "POLICY_DENIED" in await refusal(agent, "cdp", method="Browser.getVersion")
        for tool in ("snapshot", "tab_info", "logs", "tab_close"):
            error = await refusal(agent, tool, tabId=machines.own)
            assert "TAB_NOT_FOUND" in error
            assert "Private" not in error
        opened = await call(agent, "tab_new", url="data:text/html,<title>Opened</title>")
        mine = re.search(r"opened tab (\w+)", opened)
        assert mine is not None

        async def listed() -> bool:
            return mine[1] in await call(agent, "list_tabs")

        await until(listed, "the tab that was opened")


async def test_calls_of_a_machine_that_is_killed_fail(machines: TwoMachines) -> None:
    async with agent_on(machines.devhost) as agent:
        async with trio.open_nursery() as nursery:

            async def kill() -> None:
                await trio.sleep(1)
                machines.laptop.kill()

            nursery.start_soon(kill)
            never = {"tabId": machines.shared, "code": "new Promise(() => setTimeout(() => 0, 1e9))", "timeout": 50_000}
            result = await agent.call_tool("kapturemcp_evaluate", never)
        assert "TAB_DISCONNECTED" in text_of(result)
        assert "may have taken effect" in text_of(result)

        async def gone() -> bool:
            return "laptop" not in await call(agent, "list_tabs")

        await until(gone, "the end of the machine's lease")
