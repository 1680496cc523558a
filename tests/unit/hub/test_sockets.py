"""What sockets of the hub have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from kapture.hub.sockets import RateLimit, close_socket
from kapture.pairing import TabProof
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
