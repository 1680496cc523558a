"""Common behaviour of the hub's sockets."""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.context import ClientView
from kapture.hub import Client, loop_watch
from kapture.hub.memory import CallDetails, HubMemory, LatestCalls, Trees
from kapture.hub.sockets import RateLimit, close_socket
from kapture.pairing import TabProof
from kapture.settings import Limits
from kapture.snapshot import FrameView, Node, Tree
from kapture.snapshot.tree import KnownTree
from kapture.wire.messages import PROTOCOL_VERSION, agreed_version
from tests.unit.hub.simulated import prove, world


async def test_a_tab_of_a_later_protocol_is_refused_with_the_advice_to_update(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = there.connect()
        await tab.send(type="register", tabId="tab1", protocol=2)
        refused = await tab.receive("refused")
        assert refused["retry"] is False
        assert "version 2" in refused["message"]
        assert "Update Kapture" in refused["hint"]
        assert not there.hub.tabs


async def test_a_tab_of_a_later_protocol_that_also_speaks_this_one_is_told_which_is_spoken(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = there.connect()
        await tab.send(type="register", tabId="tab1", protocol=9, oldestProtocol=1)
        assert (await tab.receive("registered"))["protocol"] == PROTOCOL_VERSION


@pytest.mark.parametrize(
    ("newest", "oldest", "agreed"),
    [
        (0, None, 0),
        (1, None, 1),
        (9, 1, PROTOCOL_VERSION),
        (9, None, None),
        (9, 8, None),
        (-1, None, None),
        (1, 2, None),
    ],
)
def test_hub_and_tab_speak_the_newest_version_that_both_know(newest: int, oldest: int | None, agreed: int) -> None:
    assert agreed_version(newest, oldest) == agreed


async def test_no_message_is_taken_before_the_proof(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect(token=False)
        assert (await tab.receive())["type"] == "challenge"
        await tab.send(type="register", tabId="tab1")
        refused = await tab.receive()
        assert (refused["type"], refused["code"]) == ("refused", "UNAUTHORIZED")
        assert (await tab.receive())["code"] == 1008
        assert not there.hub.tabs


async def test_a_tab_that_does_not_prove_itself_in_time_is_closed(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect(token=False)
        before = trio.current_time()
        assert (await tab.receive("closed"))["type"] == "closed"
        assert trio.current_time() - before == pytest.approx(5, abs=0.1)


async def test_the_mutual_proof_lets_the_extension_in(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect(token=False, extension=True)
        await prove(tab, there.secrets.key)
        assert (await tab.register("tab1"))["type"] == "registered"
        assert there.hub.status()["browsers"][0]["authenticatedBy"] == "extension"


async def test_a_wrong_proof_is_refused(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect(token=False, extension=True)
        challenge = await tab.receive("challenge")
        nonce, mac = TabProof(b"\0" * 32).answer(challenge["nonce"])
        await tab.send(type="proof", nonce=nonce, mac=mac)
        assert (await tab.receive())["code"] == "UNAUTHORIZED"
        assert (await tab.receive())["type"] == "closed"


async def test_the_client_token_as_first_message_lets_a_tab_in(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect(token=False)
        token = there.secrets.clientToken
        await tab.send(type="authenticate", token=token)
        assert (await tab.register())["type"] == "registered"
        other = there.connect(token=False)
        await other.send(type="authenticate", token="x" * 43)
        assert (await other.receive("refused"))["code"] == "UNAUTHORIZED"


async def test_an_open_port_challenges_the_extension_only(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, no_pairing=True) as there:
        plain = there.connect(token=False)
        assert (await plain.register("plain"))["type"] == "registered"
        extension = there.connect(token=False, extension=True)
        assert (await extension.receive())["type"] == "challenge"


async def test_a_silent_tab_is_disconnected_after_two_missed_heartbeats(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        tab.alive = False
        began = trio.current_time()
        pings = 0
        while (message := await tab.receive("ping", "closed"))["type"] == "ping":
            pings += 1
        assert message["code"] == 1001
        assert pings == 2
        assert trio.current_time() - began == pytest.approx(30, abs=1)
        assert not there.hub.tabs


async def test_a_tab_that_knows_no_ping_stays_while_its_websocket_answers_pings(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        tab.alive = False
        tab.hub_end.pongs = True
        await trio.sleep(120)
        (row,) = there.hub.tab_states()
        assert row["silentMs"] <= 10_000
        tab.hub_end.pongs = False
        await trio.sleep(40)
        assert not there.hub.tabs


async def test_a_websocket_that_answers_no_pings_is_not_sent_another_while_one_is_unanswered(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.nursery.start_soon(tab.answer_all)  # it answers the hub's own
        await trio.sleep(300)
        assert "tab1" in there.hub.tabs
        assert tab.hub_end.pings == 1


async def test_events_count_only_within_the_window(mock_clock: trio.testing.MockClock) -> None:
    limit = RateLimit(3, 10_000)
    for _ in range(5):
        for _ in range(3):
            assert not limit.exceeded()
        mock_clock.jump(11)


class SilentSocket:
    """Its other end never agrees to the close."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, str]] = []

    async def aclose(self, code: int = 1000, reason: str = "") -> None:
        self.sent.append((code, reason))
        await trio.sleep_forever()


async def test_a_socket_whose_other_end_is_silent_is_left_after_a_second(autojump_clock: MockClock) -> None:
    socket, start = SilentSocket(), trio.current_time()
    await close_socket(socket, 1008, "no token")
    assert socket.sent == [(1008, "no token")]
    assert trio.current_time() - start == 1


async def test_a_close_frame_is_sent_by_a_cancelled_task_too(autojump_clock: MockClock) -> None:
    socket, start = SilentSocket(), trio.current_time()
    with trio.CancelScope() as scope:
        scope.cancel()
        await close_socket(socket, seconds=5, shield=True)
    assert socket.sent == [(1000, "")]
    assert trio.current_time() - start == 5


# What `status` answers, and docs/PROTOCOL.md says of it.


PROTOCOL = (Path(__file__).parents[3] / "docs" / "PROTOCOL.md").read_text("utf-8")


async def test_every_fact_of_status_is_named_in_the_protocol(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect()
        await tab.register("tab1")
        answer = (await there.hub.call(Client(name="claude", kind="stdio"), "status", {})).data["status"]
    section = PROTOCOL.partition("\n## `status`\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"\w+", section))
    rows = [
        answer,
        answer["hub"],
        answer["memory"],
        answer["loop"],
        answer["policy"],
        answer["counters"],
        *answer["tabs"],
    ]
    assert answer["tabs"]
    assert {key for row in rows for key in row} <= named


async def test_status_holds_no_secret(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", browser={"name": "Chromium", "instance": "instance-secret"})
        text = str(there.hub.status())
        assert "Chromium" in text
        for secret in ("instance-secret", there.secrets.key, there.secrets.clientToken):
            assert secret not in text


# What the hub keeps of all tabs stays within its limit, and the tab that was used last keeps most.


TABS = ("one", "two", "three")


def details(size: int) -> CallDetails:
    return CallDetails.of({}, CallResult(answer=Answer(), text="x" * size, data={}))


def held(memory: HubMemory, tab_id: str) -> int:
    return sum(memory.by_kind(tab_id).values())


@given(st.lists(st.tuples(st.sampled_from(TABS), st.integers(0, 9_000)), max_size=80))
def test_all_tabs_together_never_keep_more_than_the_limit_and_the_last_used_gives_way_last(
    calls: list[tuple[str, int]],
) -> None:
    limits = Limits(tab_memory_bytes=12_000, memory_bytes=20_000)
    memory = HubMemory(limits)
    view = ClientView(client_id="c")
    last_used: list[str] = []
    for number, (tab_id, size) in enumerate(calls):
        before = {each: held(memory, each) for each in TABS}
        memory.calls(tab_id).add(str(number), details(size))
        memory.used(tab_id, view)
        after = {each: held(memory, each) for each in TABS}
        assert sum(after.values()) == memory.held_bytes <= limits.memory_bytes
        assert max(after.values()) <= limits.tab_memory_bytes
        shrunk = [each for each in last_used if each != tab_id and after[each] < before[each]]
        for each in shrunk:
            earlier = last_used[: last_used.index(each)]
            assert all(not after[other] for other in earlier if other != tab_id), "a tab used earlier kept something"
        last_used = [each for each in last_used if each != tab_id] + [tab_id]


def tree(name: str) -> tuple[Tree, KnownTree]:
    root = Node(role="document", ref=1, name=name, children=("text",))
    known = KnownTree(1, root, root.held_bytes())
    return Tree({"": FrameView(key="", root=root, held_bytes=known.held_bytes)}), known


def test_a_tree_that_several_clients_have_is_counted_once_and_goes_with_the_last_of_them() -> None:
    trees = Trees()
    shown, known = tree("page")
    frame: Any = SimpleNamespace(known_tree=known)
    trees.frames = lambda: cast("Any", [frame])
    first, second = (ClientView(client_id=name, last_snapshot=shown) for name in "ab")
    for view in (first, second):
        trees.used(view)
    assert trees.held_bytes == known.held_bytes > 0
    trees.drop_oldest()
    assert (first.last_snapshot, first.forgot_snapshot) == (None, True)
    assert second.last_snapshot is shown
    trees.drop_oldest()
    assert trees.held_bytes == known.held_bytes
    trees.drop_oldest()
    assert trees.held_bytes == 0
    assert frame.known_tree is None


def answer(text: str, data: dict[str, Any] | None = None, *parts: Blob) -> CallResult:
    return CallResult(answer=Answer(), text=text, data=data or {}, parts=parts)


def test_a_call_is_kept_as_it_was_given_and_answered() -> None:
    latest = LatestCalls()
    picture = Blob(base64="AAAA", mime_type="image/png", name="shot")
    latest.add("1", CallDetails.of({"target": "#a"}, answer("done", {"url": "x", "half": "\ud800"}, picture)))
    details = latest.get("1")
    assert details is not None
    assert details.answer is not None
    assert details.arguments == {"target": "#a"}
    parts = [{"base64": "AAAA", "mimeType": "image/png", "name": "shot"}]
    assert details.answer.to_wire() == {"text": "done", "data": {"url": "x", "half": "\ud800"}, "parts": parts}
    assert latest.get("2") is None


def test_the_oldest_calls_make_room() -> None:
    latest = LatestCalls()
    for number in range(60):
        latest.add(str(number), CallDetails.of({}, answer("x")))
    assert latest.get("9") is None
    assert latest.get("10") is not None


# The longest step of the hub's loop is known.


async def _busy() -> None:
    await trio.lowlevel.checkpoint()
    time.sleep(0.3)  # noqa: ASYNC251  what is measured
    await trio.lowlevel.checkpoint()


async def test_long_step_is_shown_in_status_and_logged_with_its_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loop_watch, "WARN_S", 0.2)
    with caplog.at_level(logging.WARNING):
        async with world(tmp_path) as there, trio.open_nursery() as nursery:
            nursery.start_soon(_busy, name="the busy one")
            await trio.sleep(0.1)
            shown = there.hub.status()["loop"]
    assert 300 <= shown["longestStepMs"] < 5_000
    assert shown["task"] == "the busy one"
    assert "the busy one" in caplog.text
