"""A call that turns out to need a frame outside the grant: the person is asked, and it runs again when allowed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from trio.testing import wait_all_tasks_blocked

from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import TabContext
from kapture.errors import ErrorCode
from kapture.hub.consent import EVERY_SITE, EVERYTHING, grant_of
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.policy.grant import Grant
from kapture.policy.policy_file import PolicyFile
from kapture.wire import messages
from tests.unit.hub.simulated import SimulatedTab, World, fails, world

GRANT = {"sites": ["example.com"], "level": "interact"}
PAGE = "https://shop.example.com/cart"
FRAME = "https://pay.example/form?card=4111"
OTHER = "https://bank.example/confirm?card=4111"


class NeedsFrame:
    """A tab whose commands need frames: what its backend runs first asks the gate, as the page's engine does."""

    def __init__(
        self, there: World, tab: SimulatedTab, *, frames: Sequence[str] = (FRAME,), after_input: bool = False
    ) -> None:
        self.tab = tab
        self.frames = frames
        self.runs = 0
        self._after_input = after_input
        found = there.hub.state.router.find("tab1")
        self._gate = there.hub.state.consent.gate(found)
        backend: Any = found.backend
        self._run = backend.run
        backend.run = self.run

    async def run(self, call: TabContext) -> CallResult:
        self.runs += 1
        for frame in self.frames:
            if not self._gate(frame):
                error = FrameNotGranted(frame, "f1")
                error.again = not self._after_input
                raise error
        result: CallResult = await self._run(call)
        return result

    async def decide(self, decision: str) -> dict[str, Any]:
        question = await self.tab.receive("approve")
        await self.tab.send(type="approval", id=question["id"], decision=decision)
        await self.tab.receive("approve_end")
        return question


async def _connected(there: World, **how: Any) -> NeedsFrame:
    return NeedsFrame(there, await there.tab(url=PAGE, grant=GRANT, capabilities=["approve"]), **how)


async def test_the_person_is_asked_for_the_frames_site_and_the_call_runs_again(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there)
        call = there.start(there.call("t_act"))
        question = await scene.decide("once")
        assert (question["site"], question["command"]) == ("pay.example", "t_act")
        assert {"name": "In a frame of", "text": "https://pay.example"} in question["shown"]
        assert "4111" not in json.dumps(question)
        await scene.tab.answer(await scene.tab.receive("command"))
        assert await call.wait() == "ok"
        assert scene.runs == 2
        again = there.start(there.call("t_act"))
        assert (await scene.decide("deny"))["site"] == "pay.example", "once is for one call"
        assert await again.wait() is ErrorCode.POLICY_DENIED


async def test_step_allowed_for_tab_is_not_asked_again(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there)
        call = there.start(there.call("t_act"))
        await scene.decide("tab")
        await scene.tab.answer(await scene.tab.receive("command"))
        assert await call.wait() == "ok"
        again = there.start(there.call("t_act"))
        await scene.tab.answer(await scene.tab.receive("command", "approve"))
        assert await again.wait() == "ok"


@pytest.mark.parametrize(("first", "second"), [("once", "once"), ("once", "tab"), ("tab", "once")])
async def test_a_call_that_needs_two_frames_asks_for_each_and_runs_when_both_are_allowed(
    tmp_path: Path, autojump_clock: Any, first: str, second: str
) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there, frames=(FRAME, OTHER))
        call = there.start(there.call("t_act"))
        assert (await scene.decide(first))["site"] == "pay.example"
        assert (await scene.decide(second))["site"] == "bank.example"
        await scene.tab.answer(await scene.tab.receive("command"))
        assert await call.wait() == "ok"
        assert scene.runs == 3
        again = there.start(there.call("t_act"))
        left = "pay.example" if first == "once" else "bank.example"
        assert (await scene.decide("deny"))["site"] == left, "once is for one call"
        assert await again.wait() is ErrorCode.POLICY_DENIED


async def test_a_no_to_the_second_frame_ends_the_call(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there, frames=(FRAME, OTHER))
        call = there.start(there.call("t_act"))
        await scene.decide("once")
        await scene.decide("deny")
        assert await call.wait() is ErrorCode.POLICY_DENIED
        assert scene.runs == 2


async def test_the_person_is_not_asked_without_end_about_frames(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there, frames=[f"https://frame{number}.example/" for number in range(9)])
        call = there.start(there.call("t_act"))
        for number in range(4):
            assert (await scene.decide("once"))["site"] == f"frame{number}.example"
        assert await call.wait() is ErrorCode.POLICY_DENIED
        assert scene.runs == 5


async def test_a_no_is_an_error_that_names_the_frame_by_its_origin_alone(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there)
        there.nursery.start_soon(scene.decide, "deny")
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert error.data["approval"] == "denied"
        assert "https://pay.example" in error.message
        assert "4111" not in json.dumps([error.message, error.hint, error.data])
        assert scene.runs == 1


async def test_a_call_that_has_acted_already_is_not_run_again(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there, after_input=True)
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert "Frame f1 is at https://pay.example" in error.message
        assert scene.runs == 1


async def test_step_denied_by_policy_file_is_never_asked_for(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, rules=PolicyFile(deny=("pay.example",))) as there:
        await _connected(there)
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert "approval" not in error.data


async def test_error_says_what_to_do_when_nobody_can_be_asked(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = NeedsFrame(there, await there.tab(url=PAGE, grant=GRANT))
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert error.hint == "Ask the person to add pay.example to the tab's grant in the Kapture panel or popup."
        assert scene.runs == 1


async def test_error_names_the_command_that_gave_the_grant(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        NeedsFrame(there, await there.tab(url=PAGE, grant=GRANT))
        (tab,) = there.hub.state.router.connected.values()
        tab.identity = attrs.evolve(tab.identity, kind="attach")
        calls = {
            "pay.example": there.call("t_act"),
            "elsewhere.example": there.call("navigate", url="https://elsewhere.example/"),
            "file://": there.call("navigate", url="file:///etc/hostname"),
        }
        for site, call in calls.items():
            error = await fails(ErrorCode.POLICY_DENIED, call)
            assert f"`kapture attach` again with `--sites {site}` beside its other sites" in error.hint


async def test_while_the_person_thinks_other_clients_work_on_the_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there)
        waiting = there.start(there.call("t_act"))
        question = await scene.tab.receive("approve")
        await wait_all_tasks_blocked()
        other = there.leave.enter_context(there.hub.client(name="another", kind="cli"))
        peek = there.start(there.hub.call(other, "t_peek", {"tabId": "tab1"}))
        queued = there.start(there.hub.call(other, "t_echo", {"tabId": "tab1"}))
        second = await scene.tab.receive("approve")
        assert second["command"] in ("t_peek", "t_echo"), "the tab is not held while somebody is asked"
        for one in (waiting, peek, queued):
            one.scope.cancel()
        assert question["id"] != second["id"]


@pytest.mark.parametrize(("shown", "ends"), [(FRAME, ErrorCode.POLICY_DENIED), (PAGE, "ok"), (OTHER, "ok")])
async def test_a_call_ends_when_a_document_that_it_may_have_read_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str, ends: object
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=PAGE, grant={"sites": ["example.com", "pay.example"], "level": "interact"})
        found = there.hub.state.router.find("tab1")
        frame = SimpleNamespace(policy_url=shown, key="f1")
        documents = SimpleNamespace(frames=SimpleNamespace(known=True, all=lambda: [frame]))
        monkeypatch.setattr(type(found.backend), "documents", documents)
        running = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        await tab.send(type="event", event="grant", grant=GRANT)
        await wait_all_tasks_blocked()
        await tab.answer(asked)
        assert await running.wait() == ends


@pytest.mark.parametrize(
    ("left", "ends"),
    [(["example.com"], ErrorCode.POLICY_DENIED), (["example.com", "pay.example"], "ok")],
    ids=["closed", "still granted"],
)
async def test_a_call_ends_when_what_it_has_read_is_closed_though_the_tab_does_not_show_it_any_more(
    tmp_path: Path, left: list[str], ends: object
) -> None:
    paths = ("https://shop.example.com/*", "https://pay.example/form*")
    async with world(tmp_path, rules=PolicyFile(allow=paths)) as there:
        sites = ["example.com", "pay.example", "other.example"]
        tab = await there.tab(url=PAGE, grant={"sites": sites, "level": "interact"})
        NeedsFrame(there, tab)
        running = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        await tab.send(type="event", event="grant", grant={"sites": left, "level": "interact"})
        await wait_all_tasks_blocked()
        await tab.answer(asked)
        assert await running.wait() == ends


async def test_a_call_that_has_read_very_much_ends_when_a_site_is_closed_and_not_when_one_is_opened(
    tmp_path: Path,
) -> None:
    frames = [f"https://pay.example/{at}" for at in range(2_000)]
    cases = ((["example.com", "pay.example", "c.example"], "ok"), (["example.com"], ErrorCode.POLICY_DENIED))
    for sites, ends in cases:
        async with world(tmp_path) as there:
            tab = await there.tab(url=PAGE, grant={"sites": ["example.com", "pay.example"], "level": "interact"})
            NeedsFrame(there, tab, frames=frames)
            running = there.start(there.call("t_echo"))
            asked = await tab.receive("command")
            assert len(there.hub.state.router.find("tab1").all_running()[0].read) <= 1_001
            await tab.send(type="event", event="grant", grant={"sites": sites, "level": "interact"})
            await wait_all_tasks_blocked()
            await tab.answer(asked)
            assert await running.wait() == ends


@pytest.mark.parametrize(
    ("narrowed", "ends"),
    [
        ({"sites": ["example.com"], "level": "read"}, ErrorCode.POLICY_DENIED),
        ({"sites": ["other.example"], "level": "interact"}, ErrorCode.POLICY_DENIED),
        ({"sites": ["shop.example.com"], "level": "interact"}, "ok"),
    ],
    ids=["level", "site", "what is left covers it"],
)
async def test_permission_once_adds_to_the_narrowed_grant(
    tmp_path: Path, autojump_clock: Any, narrowed: dict[str, Any], ends: object
) -> None:
    async with world(tmp_path) as there:
        scene = await _connected(there)
        call = there.start(there.call("t_act"))
        await scene.decide("once")
        asked = await scene.tab.receive("command")
        await scene.tab.send(type="event", event="grant", grant=narrowed)
        await wait_all_tasks_blocked()
        await scene.tab.answer(asked)
        assert await call.wait() == ends


INTERACT = {"sites": ["example.com"], "level": "interact"}


@pytest.mark.parametrize(
    ("capabilities", "open_port", "grant"),
    [
        ([], False, EVERYTHING),
        ([], True, EVERYTHING),
        (["cdp"], False, None),
        (["cdp"], True, EVERY_SITE),
    ],
)
def test_only_the_open_port_makes_a_tab_that_carries_cdp_usable_without_a_grant(
    capabilities: list[str], *, open_port: bool, grant: Grant | None
) -> None:
    register = messages.Register(tab_id="tab1", capabilities=capabilities)
    assert grant_of(register, open_port=open_port) == grant


@pytest.mark.parametrize("no_pairing", [False, True])
@pytest.mark.parametrize("granted", [None, INTERACT])
async def test_a_grant_that_is_revoked_is_gone_on_an_open_port_too(
    tmp_path: Path, autojump_clock: Any, granted: dict[str, Any] | None, *, no_pairing: bool
) -> None:
    async with world(tmp_path, no_pairing=no_pairing) as there:
        tab = await there.token_tab(url="https://example.com/", grant=granted)
        await tab.send(type="event", event="grant", grant=None)
        await wait_all_tasks_blocked()
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_echo"))
        assert "Nobody has allowed anything on this tab." in str(error)
