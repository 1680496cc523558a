"""From the first message of a tab to `registered`: proof, token, protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

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
