"""Calls for tabs of other machines: they run there, once, by the rules there."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from kapture.errors import ErrorCode, KaptureError
from kapture.group import messages
from kapture.group.caller import agent_of
from kapture.group.member import Listener, Member
from kapture.group.messages import Body, Failed
from kapture.policy.audit import entries
from tests.support.memory_engine import MemoryServer
from tests.unit.group.machines import GRANT, KEY, Network, machine, two
from tests.unit.hub.simulated import SimulatedTab, fails


async def test_an_agent_uses_a_tab_of_another_machine(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        assert await devhost.call("t_echo", "tab1", word="hello") == "hello"
        assert (await devhost.hub.call(devhost.agent, "t_echo", {"word": "the only one"})).text == "the only one"
        (row,) = (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        assert (row["tabId"], row["machine"], row["url"]) == ("tab1", "laptop", "https://shop.example/cart")
    commands = [one for one in entries(tmp_path) if one["event"] == "command"]
    assert {one["client"]["name"] for one in commands} == {"claude @devhost (team)"}


async def test_large_arguments_and_answers_travel_in_chunks(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        network.server.sent = []
        word = "ä" * 600_000
        result = await devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1", "word": word, "max_chars": 200_000})
        assert result.data == {"result": word}
        assert all(len(raw) < 10_000 for _, raw in network.server.sent)
        assert network.server.chunks == {}, "they are removed when they are fetched"


async def test_chunks_that_were_changed_fail_the_call(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab = await laptop.tab("tab1")
        large = devhost.world.start(devhost.call("t_echo", "tab1"))
        command = await tab.receive("command")

        def change_chunks(run: str, raw: bytes) -> list[tuple[str, bytes]]:
            chunks = network.server.chunks
            chunks |= {name: (chunk[:-1] + b"!", until) for name, (chunk, until) in chunks.items()}
            return [(run, raw)]

        network.server.tamper = change_chunks
        await tab.answer(command, "x" * 300_000)
        assert await large.wait() == ErrorCode.TAB_DISCONNECTED
        assert devhost.member.refusals == {"message": 1}


async def test_tab_that_is_not_for_the_group_is_neither_shown_nor_used(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        await laptop.tab("mine", group=False)
        assert not (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        await laptop.tab("ours", opener="mine")
        (row,) = (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        assert row["opener"] is None
        error = await fails(ErrorCode.TAB_NOT_FOUND, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "mine"}))
        assert "shop" not in f"{error} {error.data}"


async def test_call_without_a_tab_id_goes_to_the_only_tab_that_is_free(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        error = await fails(ErrorCode.NO_BACKEND, devhost.hub.call(devhost.agent, "t_echo", {}))
        assert "the group team" in error.message
        for name in ("tab1", "tab2"):
            laptop.world.nursery.start_soon((await laptop.tab(name)).answer_all)
        error = await fails(ErrorCode.INVALID_PARAMS, devhost.hub.call(devhost.agent, "t_echo", {}))
        assert {tab["tabId"] for tab in error.data["tabs"]} == {"tab1", "tab2"}
        laptop.hub.state.owners.own(laptop.agent, "tab2")
        await trio.sleep(1)
        assert (await devhost.hub.call(devhost.agent, "t_echo", {"word": "free"})).text == "free"
        network.server.go()
        await trio.sleep(20)
        error = await fails(ErrorCode.NO_BACKEND, devhost.hub.call(devhost.agent, "t_echo", {}))
        assert "no connection to the server of the group team" in error.message
        assert "refused" not in error.message  # the server's own words are not for agents


async def test_tab_is_withdrawn_when_the_person_takes_it_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        running = devhost.world.start(devhost.call("t_echo", "tab1"))
        await tab.receive("command")
        await tab.send(type="event", event="grant", grant=GRANT)
        assert await running.wait() == ErrorCode.POLICY_DENIED
        await trio.sleep(1)
        assert not (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        await fails(ErrorCode.TAB_NOT_FOUND, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))


async def test_address_outside_the_grant_is_listed_as_an_origin(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        await laptop.tab("tab1", url="https://bank.example/account?id=7", title="7,000")
        (row,) = (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        assert (row["url"], row["title"]) == ("https://bank.example", "")


async def test_files_of_the_machine_with_the_tab_are_neither_listed_nor_shown(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        grant = {"sites": ["*", "file://"], "level": "full"}
        tab = await laptop.tab("tab1", url="file:///home/ann/tax.html", title="Tax", grant=grant)
        laptop.world.nursery.start_soon(tab.answer_all)
        (row,) = (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        assert "tax" not in f"{row}".lower()
        await fails(ErrorCode.POLICY_DENIED, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))
        assert await laptop.call("t_echo", "tab1", word="mine") == "mine"


async def test_a_cancelled_call_is_cancelled_there(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        with trio.move_on_after(1):
            await devhost.call("t_echo", "tab1")
        command = await tab.receive("command")
        assert (await tab.receive("cancel"))["id"] == command["id"]


async def test_the_person_there_is_asked_for_what_the_grant_does_not_allow(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1", capabilities=["approve"])
        reports = []

        async def progress(done: float, total: float | None = None, message: str = "") -> None:
            reports.append(message)

        asked = devhost.world.start(devhost.hub.call(devhost.agent, "t_full", {"tabId": "tab1"}, progress=progress))
        question = await tab.receive("approve")
        assert question["client"] == "claude @devhost (team)"
        await tab.send(type="approval", id=question["id"], decision="once")
        await tab.answer(await tab.receive("command"), "done")
        assert (await asked.wait()).text == "done"
        assert any("Waiting for the person" in report for report in reports)


async def test_policy_of_either_machine_forbids(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path, safe_mode=True) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        error = await fails(ErrorCode.POLICY_DENIED, devhost.hub.call(devhost.agent, "t_act", {"tabId": "tab1"}))
        assert error.data["rule"] == "safe mode"
        laptop.hub.state.pauses.pause_all(stop=False)
        error = await fails(ErrorCode.POLICY_DENIED, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))
        assert error.data["paused"]


async def test_stop_there_and_here_ends_the_call(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        there = laptop.hub.state.pauses

        def stop_there() -> None:
            there.stop(laptop.hub.state.router.find("tab1"), "claude @devhost (team)")

        def stop_here() -> None:
            devhost.hub.state.pauses.pause_all(stop=True)

        for stop in (stop_there, stop_here):
            running = devhost.world.start(devhost.call("t_echo", "tab1"))
            await tab.receive("command")
            stop()
            assert await running.wait() == ErrorCode.CANCELLED
            await tab.receive("cancel")
            there.resume_all()


async def test_clients_of_shares_and_people_have_no_tabs_of_other_machines(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        await laptop.tab("tab1")
        with ExitStack() as clients:
            for options in ({"kind": "console"}, {"kind": "http", "share": "box"}, {"kind": "http", "browser": "Work"}):
                client = clients.enter_context(devhost.hub.client(name="other", **options))  # type: ignore[arg-type]
                error = await fails_any(devhost, client)
                assert error.code in (ErrorCode.TAB_NOT_FOUND, ErrorCode.POLICY_DENIED), options


async def fails_any(devhost: object, client: object) -> KaptureError:
    with pytest.raises(KaptureError) as failure:
        await devhost.hub.call(client, "t_echo", {"tabId": "tab1"})  # type: ignore[attr-defined]
    return failure.value


async def test_tabs_that_an_agent_opens_there_are_its_own(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        await devhost.call("t_echo", "tab1")
        (remote,) = [client for client in laptop.hub.state.clients if client.from_group]
        laptop.hub.state.owners.own(remote, "tab1")
        await fails(ErrorCode.TAB_BUSY, laptop.hub.call(laptop.agent, "t_echo", {"tabId": "tab1"}))
        await trio.sleep(1)
        (row,) = (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        assert (row["own"], row["owner"], row["url"]) == (True, "claude @devhost (team)", "https://shop.example")
        with devhost.hub.client(name="claude", kind="stdio") as another:
            await fails(ErrorCode.TAB_BUSY, devhost.hub.call(another, "t_echo", {"tabId": "tab1"}))
        await trio.sleep(1)
        assert [client for client in laptop.hub.state.clients if client.from_group] == [remote], "the other has left"


async def test_an_agent_is_let_go_when_its_machine_has_left(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        await devhost.call("t_echo", "tab1")
        assert laptop.hub.state.consent.policy.shares
        network.cut.add("devhost")
        await trio.sleep(25)
        assert not [client for client in laptop.hub.state.clients if client.from_group]
        assert not [name for name in laptop.hub.state.consent.policy.shares if "devhost" in name]


async def asks(rogue: Member, laptop: Member, command: str, tab_id: str | None, devhost: object) -> Failed:
    """What a member that does not keep to the rules gets for a call."""
    ends = trio.open_memory_channel[Body](10)
    rogue.on = Listener(body=lambda _, body: ends[0].send_nowait(body))
    agent = agent_of(devhost.agent, "rogue")  # type: ignore[attr-defined]
    given = b"{}" if tab_id is None else b'{"tabId":"%b"}' % tab_id.encode()
    rogue.post(laptop.run, messages.Call(1, agent, command, given, False))
    with trio.fail_after(60):
        end = await ends[1].receive()
    assert isinstance(end, Failed)
    return end


@pytest.mark.parametrize(
    ("command", "tab_id"),
    [
        ("status", None),
        ("list_tabs", None),
        ("request_tab", "tab1"),
        ("run_scenario", "tab1"),
        ("t_echo", "mine"),
        ("t_echo", None),
        ("cdp", "tab1"),
        ("record_start", "tab1"),
        ("nothing", "tab1"),
    ],
)
async def test_a_member_gets_nothing_but_the_tabs_for_the_group(
    tmp_path: Path, autojump_clock: MockClock, command: str, tab_id: str | None
) -> None:
    async with two(tmp_path) as (network, laptop, devhost), trio.open_nursery() as nursery:
        await laptop.tab("tab1", grant={"sites": ["*"], "level": "full"})
        await laptop.tab("mine", group=False)
        rogue = Member(network.of("rogue"), KEY, "rogue", clock=network.server.clock)
        nursery.start_soon(rogue.serve)
        await trio.sleep(1)
        end = await asks(rogue, laptop.member, command, tab_id, devhost)
        assert end.code in ("POLICY_DENIED", "TAB_NOT_FOUND", "UNKNOWN_COMMAND", "INVALID_PARAMS")
        assert "shop.example" not in f"{end.message} {end.hint} {end.data!r}"
        nursery.cancel_scope.cancel()


async def executed(tab: SimulatedTab, words: list[str]) -> None:
    """Answer each command, and note its word."""
    while (message := await tab.receive("command", "closed"))["type"] == "command":
        words.append(message["params"]["word"])
        await tab.answer(message, message["params"]["word"])


async def test_three_machines_use_one_tab_in_turns(tmp_path: Path, autojump_clock: MockClock) -> None:
    network = Network(MemoryServer())
    async with (
        machine(network.of("a"), tmp_path, "a", clock=network.server.clock) as a,
        machine(network.of("b"), tmp_path, "b", clock=network.server.clock) as b,
        machine(network.of("c"), tmp_path, "c", clock=network.server.clock) as c,
    ):
        tab, words = await a.tab("tab1"), list[str]()
        a.world.nursery.start_soon(executed, tab, words)
        async with trio.open_nursery() as nursery:
            for one in (a, b, c):
                for number in range(20):
                    word = f"{one.member.machine}{number}"
                    nursery.start_soon(partial(one.call, "t_echo", "tab1", word=word))
        assert sorted(words) == sorted(f"{name}{number}" for name in "abc" for number in range(20))
