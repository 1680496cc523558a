"""What a call is told when its arguments are wrong, and what policy lets through, before and while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import HubContext
from kapture.commands.core.registry import Access, Scope, command, unregister
from kapture.errors import ErrorCode
from kapture.policy.audit import AuditLog, entries
from tests.unit.hub.granted import INSIDE, READ, reaches_the_tab
from tests.unit.hub.simulated import fails, world

INTERACT = {"sites": ["example.com"], "level": "interact"}


OUTSIDE = "https://bank.example/"


@pytest.mark.parametrize(
    ("name", "arguments", "code", "says"),
    [
        ("kapturemcp_teleport", {"tabId": "tab1"}, ErrorCode.UNKNOWN_COMMAND, "teleport"),
        ("t_ehco", {"tabId": "tab1"}, ErrorCode.UNKNOWN_COMMAND, "t_ehco"),
        ("t_echo", {"tabId": "tab1", "wrod": "x"}, ErrorCode.INVALID_PARAMS, "wrod"),
        ("t_echo", {"tabId": "tab1", "word": True}, ErrorCode.INVALID_PARAMS, "word"),
        ("t_echo", {"tabId": 7}, ErrorCode.TAB_NOT_FOUND, "7"),
        ("t_echo", {"tabId": "tab1", "timeout": -1}, ErrorCode.INVALID_PARAMS, "timeout"),
        ("t_echo", {"tabId": "tab1", "snapshot": "full"}, ErrorCode.INVALID_PARAMS, "snapshot"),
        ("t_act", {"tabId": "tab1", "snapshot": "perhaps"}, ErrorCode.INVALID_PARAMS, "snapshot"),
        ("t_echo", {"tabId": "nobody"}, ErrorCode.TAB_NOT_FOUND, "nobody"),
        ("status", {"tabId": "tab1"}, ErrorCode.INVALID_PARAMS, "tabId"),
    ],
)
async def test_bad_input_has_its_own_error_and_sentence(
    tmp_path: Path, autojump_clock: Any, name: str, arguments: dict[str, Any], code: ErrorCode, says: str
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        error = await fails(code, there.hub.call(there.client, name, arguments))
        assert says in error.message
        there.nursery.start_soon(tab.answer_all)
        assert await there.call("t_echo", word="alive") == "alive"


@pytest.mark.parametrize(
    ("name", "arguments", "recorded", "code"),
    [
        ("kapturemcp_teleport", {"tabId": "tab1", "password": "hunter2"}, "kapturemcp_teleport", "UNKNOWN_COMMAND"),
        ("x" * 5_000, {}, "x" * 100, "UNKNOWN_COMMAND"),
        ("t_echo", {"tabId": "tab1", "password": "hunter2"}, "t_echo", "INVALID_PARAMS"),
    ],
)
async def test_a_call_that_is_refused_at_once_is_recorded_like_any_other(
    tmp_path: Path, autojump_clock: Any, name: str, arguments: dict[str, Any], recorded: str, code: str
) -> None:
    async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as there:
        error = await fails(ErrorCode(code), there.hub.call(there.client, name, arguments))
        there.hub.refused(there.client, "browser_teleport", arguments, error)
        activities = there.hub.state.records.activity.last_errors()
        assert [(one.command, one.client, one.outcome) for one in reversed(activities)] == [
            (recorded, "tester", code),
            ("browser_teleport", "tester", code),
        ]
        assert all(len(one.message) <= 1_000 for one in activities)
    logged = [entry for entry in entries(tmp_path) if entry["event"] == "command"]
    assert [(entry["command"], entry["outcome"]) for entry in logged] == [(recorded, code), ("browser_teleport", code)]
    assert "hunter2" not in audit.path.read_text()


async def test_a_mistake_in_a_command_is_an_error_of_its_call_only(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:

        def broken(*_: Any, **__: Any) -> Any:
            raise ZeroDivisionError("what only the log may say")

        there.hub.state.router.find = broken  # type: ignore[method-assign]
        error = await fails(ErrorCode.EXECUTION_ERROR, there.call("t_echo"))
        assert "ZeroDivisionError" in error.message
        assert "only the log" not in error.message


async def test_hub_commands_need_no_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", url=INSIDE, title="Cart", grant=INTERACT)
        await there.tab("tab2", url=OUTSIDE, title="Balance: 7", grant=INTERACT)
        rows = (await there.hub.call(there.client, "list_tabs", {})).data["tabs"]
        assert [(row["tabId"], row["url"], row["title"]) for row in rows] == [
            ("tab1", INSIDE, "Cart"),
            ("tab2", "https://bank.example", ""),
        ]
        assert rows[0]["grant"] == INTERACT
        status = await there.hub.call(there.client, "status", {})
        assert "Balance" not in status.text
        assert "tab1" in status.text


async def test_the_level_and_the_site_of_the_grant_decide(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ)
        await reaches_the_tab(there, tab, "t_echo")
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert error.data["ask"] == {"kind": "level", "level": "interact"}
        await tab.send(type="event", event="tab", url=OUTSIDE)
        await wait_all_tasks_blocked()
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_echo"))
        assert "bank.example" in error.message


async def test_a_tab_that_carries_cdp_without_a_grant_is_closed_to_everybody(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        await there.tab(url=INSIDE, capabilities=["cdp"])
        await fails(ErrorCode.POLICY_DENIED, there.call("t_echo"))


async def test_a_broken_grant_is_refused_for_good(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        refused = await there.connect().register(grant={"sites": ["not a site"], "level": "read"})
        assert (refused["type"], refused["code"], refused["retry"]) == ("refused", "INVALID_PARAMS", False)


async def test_safe_mode_caps_every_grant(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, safe_mode=True) as there:
        tab = await there.tab()
        await reaches_the_tab(there, tab, "t_echo")
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert "safe mode" in error.message


async def test_policy_is_asked_again_when_a_waiting_command_starts(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ)
        first = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        second = there.start(there.call("t_echo"))
        await wait_all_tasks_blocked()
        await tab.send(type="event", event="tab", url=OUTSIDE)
        await tab.answer(asked)
        assert await first.wait() == "ok"
        assert await second.wait() is ErrorCode.POLICY_DENIED


@pytest.mark.parametrize("grant", [None, READ, {"sites": ["other.example"], "level": "full"}])
async def test_a_grant_that_is_revoked_ends_what_runs_and_what_waits(
    tmp_path: Path, autojump_clock: Any, grant: dict[str, Any] | None
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=INTERACT)
        running = there.start(there.call("t_act"))
        asked = await tab.receive("command")
        waiting = there.start(there.call("t_act"))
        await wait_all_tasks_blocked()
        await tab.send(type="event", event="grant", grant=grant)
        assert await running.wait() is ErrorCode.POLICY_DENIED
        assert (await tab.receive("cancel"))["id"] == asked["id"]
        assert await waiting.wait() is ErrorCode.POLICY_DENIED


async def test_a_grant_that_still_covers_what_runs_leaves_it_alone(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant={"sites": ["*"], "level": "full"})
        running = there.start(there.call("t_act"))
        asked = await tab.receive("command")
        await tab.send(type="event", event="grant", grant=INTERACT)
        await wait_all_tasks_blocked()
        await tab.answer(asked)
        assert await running.wait() == "ok"


async def test_a_call_that_was_cancelled_before_it_began_never_reaches_the_tab(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        with trio.CancelScope() as given_up:
            given_up.cancel()
            await there.call("t_echo", word="first")
        assert given_up.cancelled_caught
        second = there.start(there.call("t_echo", word="second"))
        asked = await tab.receive("command")
        assert asked["params"]["word"] == "second"
        await tab.answer(asked)
        await second.wait()


async def test_a_cancelled_call_is_recorded_as_cancelled_also_where_its_command_has_tasks_of_its_own(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as there:
        await there.tab()

        async def run(self: Any, call: Any) -> Any:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)

        backend = there.hub.state.router.find("tab1").backend
        monkeypatch.setattr(type(backend), "run", run)
        call = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
        await wait_all_tasks_blocked()
        call.scope.cancel()
        await call.done.wait()
        (activity,) = there.hub.state.records.activity.kept()
        assert activity.outcome == "CANCELLED"


@attrs.frozen(kw_only=True)
class Nothing:
    """Type a secret."""


async def _type_a_secret(hub: HubContext, params: Nothing) -> Answer:
    await hub.call("t_echo", {"tabId": "tab1", "word": "hunter2"}, shown={"word": "{{word}}"})
    return Answer()


async def _act_with_a_secret(hub: HubContext, params: Nothing) -> Answer:
    await hub.call("t_act", {"tabId": "tab1", "word": "hunter2"}, shown={"word": "{{word}}"})
    return Answer()


async def test_a_question_about_a_call_with_a_secret_shows_its_name_only(tmp_path: Path, autojump_clock: Any) -> None:
    command("t_secret", access=Access.NONE, scope=Scope.HUB)(_act_with_a_secret)
    try:
        async with world(tmp_path) as there:
            tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
            call = there.start(there.hub.call(there.client, "t_secret", {}))
            question = await tab.receive("approve")
            assert question["shown"] == [{"name": "Word", "text": "{{word}}"}]
            assert "hunter2" not in repr(question)
            await tab.send(type="approval", id=question["id"], decision="once")
            asked = await tab.receive("command")
            assert asked["params"] == {"word": "hunter2"}
            await tab.answer(asked)
            await call.done.wait()
    finally:
        unregister("t_secret")


async def test_a_call_with_a_secret_is_recorded_and_followed_without_it_and_without_its_error(
    tmp_path: Path, autojump_clock: Any
) -> None:
    command("t_secret", access=Access.NONE, scope=Scope.HUB)(_type_a_secret)
    try:
        async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as there:
            tab = await there.tab()
            call = there.start(there.hub.call(there.client, "t_secret", {}))
            asked = await tab.receive("command")
            assert asked["params"] == {"word": "hunter2"}
            refusal = {"message": "hunter2 is too short", "code": "EXECUTION_ERROR"}
            await tab.send(type="response", id=asked["id"], success=False, error=refusal)
            assert await call.wait() is ErrorCode.EXECUTION_ERROR
            inner = next(one for one in there.hub.state.records.activity.kept() if one.command == "t_echo")
            assert inner.client == "tester"
            assert "hunter2" not in inner.message
    finally:
        unregister("t_secret")
    logged = [entry for entry in entries(tmp_path) if entry.get("command") == "t_echo"]
    assert logged[0].get("arguments", {}) == {"word": "(8 characters)"}
