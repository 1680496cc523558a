"""A group of machines through a real Redis server. Hubs with data folders of their own stand for the machines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio

from kapture.errors import ErrorCode
from kapture.group.redis_engine import RedisServer
from kapture.settings import Settings
from tests.support.certificate import make_certificate
from tests.support.redis_server import RedisProcess, redis_over_tls, redis_server
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
            assert "the group team is away" in error.message
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
