"""Standing grants: policy may forbid them, one may be for one client alone, and the hub only revokes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode
from kapture.hub.shares import OpenShare
from kapture.hub.standing import revoke_standing, standing_rows
from kapture.policy.audit import AuditLog, entries
from kapture.policy.policy import ShareCaps
from kapture.policy.policy_file import Consent as ConsentRules
from kapture.policy.policy_file import PolicyFile, Section
from tests.unit.hub.simulated import SimulatedTab, World, fails, world
from tests.unit.hub.test_extensions import BROWSER

GRANT = {"sites": ["shop.example"], "level": "interact"}
BOND = {"id": "4f1c2d3e", "client": "claude", "until": None}


async def connect(there: World) -> SimulatedTab:
    """The extension of a browser."""
    browser = await there.connect_proven()
    await browser.send(type="register_browser", protocol=1, browser=BROWSER, capabilities=["standing"])
    await browser.receive("browser_registered")
    return browser


async def listed(browser: SimulatedTab, *grants: dict[str, Any]) -> None:
    await browser.send(type="standing_grants", grants=list(grants))
    await wait_all_tasks_blocked()


async def test_the_extension_hears_which_clients_are_there(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        browser = await connect(there)
        assert await browser.receive("clients") == {"type": "clients", "names": ["tester"], "standing": True}
        with there.hub.client(name="claude", kind="stdio"), there.hub.client(name="claude", kind="stdio"):
            assert (await browser.receive("clients"))["names"] == ["claude", "tester"]
        assert (await browser.receive("clients"))["names"] == ["tester"]


async def test_the_extension_hears_of_shares_and_ends_one(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        browser, ended = await connect(there), trio.Event()
        assert "shares" not in await browser.receive("clients")
        caps = ShareCaps(section=Section(level="read", allow=("shop.example",)), clients=("claude*",))
        with there.hub.state.shares.opened(OpenShare(name="devhost", caps=caps, end=ended.set)):
            (share,) = (await browser.receive("clients"))["shares"]
            assert share.pop("since") > 0
            limits = {"name": "devhost", "level": "read", "sites": ["shop.example"], "only": ["claude*"]}
            assert share == {**limits, "clients": []}
            with there.hub.client(name="claude", kind="http", share="devhost"):
                (share,) = (await browser.receive("clients"))["shares"]
                assert share["clients"] == ["claude @devhost"]
            await browser.send(type="share_end", name="another")
            await browser.send(type="share_end", name="devhost")
            await ended.wait()
        await browser.receive("clients")
        assert "shares" not in await browser.receive("clients")


async def test_tab_of_another_client_is_refused_to_read_and_to_act(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", grant=GRANT, standing=BOND, url="https://shop.example/cart", browser=BROWSER)
        there.nursery.start_soon(tab.answer_all)
        with (
            there.hub.client(name="cursor", kind="stdio") as other,
            there.hub.client(name="claude", kind="stdio") as own,
        ):
            error = await fails(ErrorCode.POLICY_DENIED, there.hub.call(other, "t_echo", {"tabId": "tab1"}))
            assert "claude" in error.message
            with there.hub.on_behalf_of(other):
                assert there.hub.tab_rows()[0]["url"] == "https://shop.example"
            with there.hub.on_behalf_of(own):
                assert there.hub.tab_rows()[0]["url"] == "https://shop.example/cart"
            await there.hub.call(own, "t_echo", {"tabId": "tab1"})


async def test_policy_that_forbids_standing_grants_refuses_their_tabs(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path, rules=PolicyFile(consent=ConsentRules(standing=False))) as there:
        browser = await connect(there)
        assert (await browser.receive("clients"))["standing"] is False
        tab = await there.connect_proven()
        await tab.send(type="register", tabId="tab1", protocol=1, grant=GRANT, standing=BOND, browser=BROWSER)
        assert (await tab.receive("refused"))["code"] == "POLICY_DENIED"
        assert not there.hub.tabs


async def test_revoking_waits_for_the_extension_and_is_audited(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as there:
        browser = await connect(there)
        await listed(browser)
        await listed(browser, {**BOND, **GRANT})
        with there.hub.client(name="kapture grants", kind="cli") as client:
            await browser.receive("clients")
            await fails(ErrorCode.INVALID_PARAMS, revoke_standing(there.hub.state, "another", client))
            (row,) = standing_rows(there.hub.state)
            assert (row["id"], row["sites"], row["client"]) == ("4f1c2d3e", ["shop.example"], "claude")
            revoked = there.start(revoke_standing(there.hub.state, "4f1c2d3e", client))
            assert (await browser.receive("standing_revoke"))["id"] == "4f1c2d3e"
            assert not revoked.done.is_set()
            await listed(browser)
            await revoked.wait()
            assert standing_rows(there.hub.state) == []
    audited = [(one["command"], one["outcome"]) for one in entries(tmp_path) if one["event"] == "decision"]
    assert sorted(audited) == [("revoke_grant", "allowed"), ("standing_grant", "allowed"), ("standing_grant", "ended")]


async def test_client_of_a_share_cannot_take_the_name_of_one_on_this_machine(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", grant=GRANT, standing=BOND, browser=BROWSER)
        there.nursery.start_soon(tab.answer_all)
        there.hub.state.consent.policy.shares["laptop"] = ShareCaps(section=Section())
        with there.hub.client(name="claude", kind="http", share="laptop") as remote:
            await fails(ErrorCode.POLICY_DENIED, there.hub.call(remote, "t_echo", {"tabId": "tab1"}))


@pytest.mark.parametrize(("named", "allowed"), [(None, False), ("claude", False), ("claude @devhost", True)])
async def test_standing_grant_is_for_a_client_of_a_share_only_if_it_names_it(
    tmp_path: Path, autojump_clock: MockClock, named: str | None, allowed: bool
) -> None:
    async with world(tmp_path) as there:
        bond = {**BOND, "client": named}
        tab = await there.tab("tab1", grant=GRANT, standing=bond, url="https://shop.example/cart", browser=BROWSER)
        there.nursery.start_soon(tab.answer_all)
        there.hub.state.consent.policy.shares["devhost"] = ShareCaps(section=Section())
        with there.hub.client(name="claude", kind="http", share="devhost") as remote:
            if allowed:
                await there.hub.call(remote, "t_echo", {"tabId": "tab1"})
            else:
                await fails(ErrorCode.POLICY_DENIED, there.hub.call(remote, "t_echo", {"tabId": "tab1"}))
            with there.hub.on_behalf_of(remote):
                assert ("cart" in there.hub.tab_rows()[0]["url"]) is allowed


@pytest.mark.parametrize("name", ["claude @devhost", "claude\n@devhost", "claude \t @devhost"])
async def test_client_of_this_machine_has_no_name_of_a_share(
    tmp_path: Path, autojump_clock: MockClock, name: str
) -> None:
    async with world(tmp_path) as there:
        with there.hub.client(name=name, title=name, kind="stdio") as local:
            assert " @devhost" not in " ".join(f"{local.known_as} {local.display_name}".split())
