"""Which tabs are for the agents of the hub's group: the person decides, per tab, and can take it back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from kapture.policy.policy import ShareCaps
from kapture.policy.policy_file import Section
from kapture.settings import GroupServer, Settings
from tests.unit.hub.simulated import World, fails, world
from tests.unit.hub.test_extensions import BROWSER

GRANT = {"sites": ["shop.example"], "level": "interact"}
TAB = {"grant": GRANT, "url": "https://shop.example/cart", "browser": BROWSER}


@contextmanager
def remote_client(there: World) -> Iterator[Client]:
    """An agent of another machine."""
    there.hub.state.consent.policy.shares["laptop"] = ShareCaps(section=Section(level="full"))
    with there.hub.client(name="claude", kind="websocket", share="laptop", from_group=True) as remote:
        yield remote


async def test_a_client_of_the_group_has_the_tabs_for_the_group_alone(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        mine, ours = await there.tab("mine", **TAB), await there.tab("ours", **TAB, group=True)
        there.nursery.start_soon(mine.answer_all)
        there.nursery.start_soon(ours.answer_all)
        with remote_client(there) as remote:
            await there.hub.call(remote, "t_echo", {"tabId": "ours"})
            await fails(ErrorCode.POLICY_DENIED, there.hub.call(remote, "t_echo", {"tabId": "mine"}))
            with there.hub.on_behalf_of(remote):
                urls = {row["tabId"]: row["url"] for row in there.hub.tab_rows()}
            assert urls == {"mine": "https://shop.example", "ours": "https://shop.example/cart"}


async def test_calls_of_the_group_end_when_the_person_takes_the_tab_back(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("ours", **TAB, group=True)
        with remote_client(there) as remote:
            running = there.start(there.hub.call(remote, "t_echo", {"tabId": "ours"}))
            await tab.receive("command")
            waiting = there.start(there.hub.call(remote, "t_echo", {"tabId": "ours"}))
            own = there.start(there.hub.call(there.client, "t_echo", {"tabId": "ours"}))
            await wait_all_tasks_blocked()
            await tab.send(type="event", event="grant", grant=GRANT)
            assert await running.wait() == await waiting.wait() == ErrorCode.POLICY_DENIED
            await tab.answer(await tab.receive("command"))
            assert (await own.wait()).text == "ok"
            await fails(ErrorCode.POLICY_DENIED, there.hub.call(remote, "t_echo", {"tabId": "ours"}))
            await tab.send(type="event", event="grant", grant=GRANT, group=True)
            await wait_all_tasks_blocked()
            again = there.start(there.hub.call(remote, "t_echo", {"tabId": "ours"}))
            await tab.answer(await tab.receive("command"))
            assert (await again.wait()).text == "ok"


async def test_a_tab_of_a_client_is_never_for_the_group(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        tab = there.connect()
        await tab.register("own", group=True)
        assert [one.for_group for one in there.hub.state.router] == [False]


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("rediss://ann@redis.example:6380/2", GroupServer(host="redis.example", port=6380, db=2, user="ann", tls=True)),
        ("redis://localhost", GroupServer(host="localhost")),
        ("redis://[::1]:7000", GroupServer(host="::1", port=7000)),
        ("unix:/run/redis.sock", GroupServer(path="/run/redis.sock")),
    ],
)
def test_server_of_the_group(tmp_path: Path, url: str, server: GroupServer) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path), "KAPTURE_JOIN": url, "KAPTURE_GROUP_KEY_FILE": "team.key"}
    assert Settings.load(environment=environment).join == server


@pytest.mark.parametrize(
    "url",
    ["redis://redis.example", "redis://127.0.0.1.example", "redis.example", "rediss://a:s3cr3t@b", "rediss://h:0"],
)
def test_url_that_is_no_server_or_would_show_a_password_is_refused(tmp_path: Path, url: str) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path), "KAPTURE_JOIN": url, "KAPTURE_GROUP_KEY_FILE": "team.key"}
    with pytest.raises(KaptureError) as failure:
        Settings.load(environment=environment)
    assert failure.value.code is ErrorCode.INVALID_PARAMS
    assert "s3cr3t" not in str(failure.value)


def test_joining_needs_the_key(tmp_path: Path) -> None:
    with pytest.raises(KaptureError, match="group_key_file"):
        Settings.load(environment={"KAPTURE_HOME": str(tmp_path), "KAPTURE_JOIN": "redis://localhost"})
