"""A client asks the person for a tab, and each way in which that can end is another answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from kapture.errors import ErrorCode
from kapture.policy.audit import AuditLog, entries
from kapture.policy.policy_file import Approvals, PolicyFile, Section
from kapture.scenarios.library import Library
from kapture.server.shares import caps_of
from kapture.wire.share import Share
from tests.unit.hub.simulated import SimulatedTab, World, fails, world
from tests.unit.hub.test_extensions import connect

WISH = {"reason": "To compare prices.", "url": "https://shop.example/cart"}


def ask(hub: World, **arguments: Any) -> Any:
    return hub.hub.call(hub.client, "request_tab", {**WISH, **arguments})


async def asked(browser: SimulatedTab) -> dict[str, Any]:
    return await browser.receive("tab_request")


async def answer(browser: SimulatedTab, message: dict[str, Any], decision: str, **more: Any) -> None:
    await browser.send(type="tab_request_answer", id=message["id"], decision=decision, **more)


async def test_the_person_sees_who_asks_for_what_and_the_answer_is_their_tab(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        call = hub.start(ask(hub))
        message = await asked(browser)
        assert (message["client"], message["reason"], message["url"]) == ("tester", WISH["reason"], WISH["url"])
        assert 0 < message["expiresMs"] < 120_000
        grant = {"sites": ["shop.example"], "level": "read"}
        await hub.tab("tab1", url="https://shop.example/cart", grant=grant)
        await answer(browser, message, "tab", tabId="tab1")
        result = await call.wait()
        assert result.data["tab"]["tabId"] == "tab1"
        assert result.data["tab"]["grant"] == grant
        assert (await browser.receive("tab_request_end"))["id"] == message["id"]


async def test_a_programs_tab_is_not_the_one_that_the_person_chose(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        await hub.token_tab("tab1")
        call = hub.start(fails(ErrorCode.UNAUTHORIZED, ask(hub)))
        await answer(browser, await asked(browser), "tab", tabId="tab1")
        await call.wait()


async def test_request_shown_to_person_has_no_hidden_or_reversed_text(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        hub.start(ask(hub, reason="a\u202eb\u3164", url="https://\u0430pple.com/"))
        message = await asked(browser)
        assert message["reason"] == "a‹U+202E›b‹U+3164›"
        assert message["url"] == "https://xn--pple-43d.com/"  # whose first letter is a Cyrillic one


async def test_a_no_is_denied_and_nobody_is_asked_again_for_a_while(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        call = hub.start(fails(ErrorCode.POLICY_DENIED, ask(hub)))
        await answer(browser, await asked(browser), "deny")
        assert (await call.wait()).data["request"] == "denied"
        with hub.hub.client(name="another name", kind="cli") as other:
            error = await fails(ErrorCode.POLICY_DENIED, hub.hub.call(other, "request_tab", WISH))
        assert "not asked again" in error.message
        await trio.sleep(31)
        later = hub.start(ask(hub))
        await asked(browser)
        assert not later.done.is_set()


async def test_a_closed_question_is_unanswered_and_not_denied(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        call = hub.start(fails(ErrorCode.NO_BACKEND, ask(hub)))
        await answer(browser, await asked(browser), "unanswered")
        error = await call.wait()
        assert error.data["request"] == "unanswered"
        assert "closed without an answer" in error.message


async def test_the_calls_own_timeout_bounds_the_question(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        call = hub.start(fails(ErrorCode.NO_BACKEND, ask(hub, timeout=5_000)))
        message = await asked(browser)
        assert message["expiresMs"] < 5_000
        error = await call.wait()
        assert "within 5 s" in error.message
        assert error.data["request"] == "unanswered"
        await browser.receive("tab_request_end")


async def test_a_client_asks_one_question_at_a_time(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        first = hub.start(ask(hub))
        await asked(browser)
        await fails(ErrorCode.QUEUE_FULL, ask(hub))
        assert not first.done.is_set()


async def test_a_client_that_gives_up_takes_its_question_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        call = hub.start(ask(hub))
        await asked(browser)
        call.scope.cancel()
        await browser.receive("tab_request_end")
        again = hub.start(ask(hub))
        await asked(browser)
        assert not again.done.is_set()


async def test_the_first_browser_that_answers_settles_it_for_all(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        first, second = await connect(hub), await connect(hub, instance="another")
        call = hub.start(ask(hub))
        await asked(first)
        message = await asked(second)
        await hub.tab("tab1")
        await answer(second, message, "tab", tabId="tab1")
        assert (await call.wait()).data["tab"]["tabId"] == "tab1"
        await first.receive("tab_request_end")


async def test_one_browser_without_an_answer_leaves_the_question_to_the_other(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        first, second = await connect(hub), await connect(hub, instance="another")
        call = hub.start(ask(hub))
        await answer(first, await asked(first), "unanswered")
        message = await asked(second)
        await hub.tab("tab1")
        await answer(second, message, "tab", tabId="tab1")
        assert (await call.wait()).data["tab"]["tabId"] == "tab1"


async def test_a_browser_that_was_there_before_is_waited_for(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        await (await connect(hub)).close()
        await trio.testing.wait_all_tasks_blocked()
        call = hub.start(ask(hub))
        await trio.sleep(20)
        browser = await connect(hub)
        await answer(browser, await asked(browser), "deny")
        assert await call.wait() is ErrorCode.POLICY_DENIED


async def test_agent_without_a_tab_reads_which_hubs_are_shared_with_this_machine(tmp_path: Path) -> None:
    async with world(tmp_path) as hub:
        folder = hub.hub.state.settings.home / "remote" / "laptop"
        folder.mkdir(parents=True)
        (folder / "hub.json").touch()
        error = await fails(ErrorCode.NO_BACKEND, ask(hub))
        assert "--hub laptop" in error.message
        hub.hub.state.consent.policy.shares["devhost"] = caps_of(Share(name="devhost"))
        with hub.hub.client(name="afar", kind="websocket", share="devhost") as afar:
            error = await fails(ErrorCode.NO_BACKEND, hub.hub.call(afar, "request_tab", WISH))
        assert "laptop" not in error.message


async def test_a_browser_that_does_not_come_is_named_with_the_next_step(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        await (await connect(hub)).close()
        await trio.testing.wait_all_tasks_blocked()
        error = await fails(ErrorCode.NO_BACKEND, ask(hub))
        assert error.data["state"] == "browser_away"


async def test_without_any_browser_ever_the_call_ends_at_once(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        began = trio.current_time()
        error = await fails(ErrorCode.NO_BACKEND, ask(hub))
        assert error.data["state"] == "extension_never_seen"
        assert trio.current_time() == began


@pytest.mark.parametrize("url", ["javascript:alert(1)", "chrome://settings", "file:///etc/passwd", "shop"])
async def test_only_web_addresses_can_be_wished_for(tmp_path: Path, autojump_clock: MockClock, url: str) -> None:
    async with world(tmp_path) as hub:
        await connect(hub)
        await fails(ErrorCode.INVALID_PARAMS, ask(hub, url=url))


async def test_an_address_that_the_policy_file_forbids_is_not_asked_for(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path, rules=PolicyFile(deny=("shop.example",))) as hub:
        await connect(hub)
        await fails(ErrorCode.POLICY_DENIED, ask(hub))


async def test_a_policy_file_can_turn_questions_off(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path, rules=PolicyFile(approvals=Approvals(enabled=False))) as hub:
        await connect(hub)
        await fails(ErrorCode.POLICY_DENIED, ask(hub))


async def test_a_tab_that_never_registers_is_not_claimed(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        call = hub.start(ask(hub))
        await answer(browser, await asked(browser), "tab", tabId="nowhere")
        assert await call.wait() is ErrorCode.TAB_DISCONNECTED


@pytest.mark.parametrize(
    ("decision", "outcome"), [("deny", "denied"), ("unanswered", "unanswered"), ("tab", "allowed")]
)
async def test_the_audit_log_tells_the_ends_apart(
    tmp_path: Path, autojump_clock: MockClock, decision: str, outcome: str
) -> None:
    async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as hub:
        browser = await connect(hub)
        await hub.tab("tab1")
        call = hub.start(ask(hub))
        await answer(browser, await asked(browser), decision, **({"tabId": "tab1"} if decision == "tab" else {}))
        await call.wait()
    (entry,) = [entry for entry in entries(tmp_path) if entry["event"] == "decision"]
    assert (entry["command"], entry["outcome"], entry["site"]) == ("request_tab", outcome, "https://shop.example")
    assert "cart" not in json.dumps(entry)


# Who is told the names of a person's scenarios.


class OneScenario(Library):
    async def names(self) -> Sequence[str]:
        return ["sign_in_at_the_clinic"]


async def test_names_of_scenarios_are_for_clients_that_may_list_them(tmp_path: Path, autojump_clock: Any) -> None:
    closed = {"stranger": Section(level="none"), "tester": Section(commands_denied=("list_scenarios",))}
    async with world(tmp_path, rules=PolicyFile(clients=closed)) as there:
        there.hub.state = attrs.evolve(there.hub.state, scenarios=OneScenario(tmp_path))
        for name, names in (("stranger", []), ("tester", []), ("friend", ["sign_in_at_the_clinic"])):
            with there.hub.client(name=name, kind="stdio") as client:
                assert list(await there.hub.scenario_names(client)) == names, name


async def test_clients_of_one_share_ask_one_question_at_a_time(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        browser = await connect(hub)
        hub.hub.state.consent.policy.shares["box"] = caps_of(Share(name="box"))
        with ExitStack() as clients:
            first, second = (
                clients.enter_context(hub.hub.client(name=f"agent {number}", kind="http", share="box"))
                for number in range(2)
            )
            call = hub.start(hub.hub.call(first, "request_tab", WISH))
            message = await asked(browser)
            await fails(ErrorCode.QUEUE_FULL, hub.hub.call(second, "request_tab", WISH))
            await answer(browser, message, "deny")
            assert await call.wait() == ErrorCode.POLICY_DENIED
