"""Whose tab it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import COLOURS, Client, colour_of, display_name_of, session_of
from kapture.hub.owners import GONE_S, Owners
from kapture.policy.policy import ShareCaps
from kapture.policy.policy_file import Section
from tests.unit.hub.simulated import SimulatedTab, World, fails, world

PROOF = "p" * 40


@contextmanager
def joined(there: World, name: str, **more: Any) -> Iterator[Client]:
    with there.hub.client(name=name, kind=more.pop("kind", "stdio"), **more) as client:
        yield client


async def opened_by(there: World, client: Client, tab_id: str = "new", opener: str = "tab1") -> SimulatedTab:
    """A tab that a command of this client's on the opener has opened."""
    if opener not in there.hub.state.router.connected:
        await there.tab(opener)
    there.hub.state.owners.own(client, tab_id)
    new = await there.tab(tab_id, opener=opener)
    there.nursery.start_soon(new.answer_all)
    return new


async def rows(there: World, client: Client) -> list[Mapping[str, Any]]:
    return list((await there.hub.call(client, "list_tabs", {})).data["tabs"])


async def test_another_clients_tab_is_busy_for_actions_and_for_reading(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude", session_name="shop") as owner, joined(there, "cursor") as other:
            await opened_by(there, owner)
            for name in ("t_act", "t_echo", "t_peek"):
                error = await fails(ErrorCode.TAB_BUSY, there.hub.call(other, name, {"tabId": "new"}))
                assert "claude · shop" in error.message
                assert error.data["owner"] == "claude · shop"
                await there.hub.call(owner, name, {"tabId": "new"})


async def test_a_window_that_a_page_opens_is_its_owners(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            await opened_by(there, owner)
            await there.tab("window", opener="new")
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "window"}))


async def test_a_tab_that_a_command_opens_is_the_callers_before_others_see_it(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1")
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            call = there.start(there.hub.call(owner, "t_act", {"tabId": "tab1"}))
            asked = await tab.receive("command")
            await there.tab("popup", opener="tab1")
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "popup"}))
            await tab.answer(asked)
            assert (await call.wait()).text


async def test_a_persons_tab_and_its_windows_are_everybodys(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1")
        window = await there.tab("window", opener="tab1")
        there.nursery.start_soon(tab.answer_all)
        there.nursery.start_soon(window.answer_all)
        with joined(there, "claude") as one, joined(there, "cursor") as other:
            for client in (one, other):
                for tab_id in ("tab1", "window"):
                    await there.hub.call(client, "t_act", {"tabId": tab_id})


async def test_list_tabs_shows_the_level_that_policy_leaves_to_the_client(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", grant={"sites": ["shop.example"], "level": "full"})
        there.hub.state.consent.policy.shares["devhost"] = ShareCaps(section=Section(level="interact"))
        with joined(there, "claude") as here, there.hub.client(name="claude", kind="http", share="devhost") as remote:
            assert (await rows(there, here))[0]["grant"]["level"] == "full"
            assert (await rows(there, remote))[0]["grant"] == {"sites": ["shop.example"], "level": "interact"}


async def test_list_tabs_shows_own_and_free_tabs_first_and_nothing_of_pages_of_others(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            there.hub.state.owners.own(owner, "a")
            there.hub.state.owners.own(other, "c")
            for tab_id in "abc":
                await there.tab(tab_id, url=f"https://{tab_id}.example/secret", title="Secret")
            found = await rows(there, other)
            assert [row["tabId"] for row in found] == ["c", "b", "a"]
            assert found[2]["owner"] == "claude"
            assert (found[2]["url"], found[2]["title"]) == ("https://a.example", "")
            assert (found[0]["url"], found[0]["title"]) == ("https://c.example/secret", "Secret")


async def test_a_call_without_a_tab_never_goes_to_another_clients(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            tab = await there.tab("tab1")
            await opened_by(there, owner, "theirs")
            call = there.start(there.hub.call(other, "t_echo", {}))
            await tab.answer(await tab.receive("command"))  # the one tab that it may use
            await call.done.wait()
            await tab.close(4001)
            while "tab1" in there.hub.state.router.connected:
                await there.hub.state.events.published.wait()
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {}))
            await there.hub.call(owner, "t_echo", {})


async def test_released_and_shared_tabs_are_everybodys(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            await opened_by(there, owner)
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "tab_release", {"tabId": "new"}))
            await there.hub.call(owner, "tab_release", {"tabId": "new"})
            await there.hub.call(other, "t_act", {"tabId": "new"})
            await opened_by(there, owner, "shared")
            there.hub.state.owners.own(owner, "shared", shared=True)
            await there.hub.call(other, "t_act", {"tabId": "shared"})
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "tab_release", {"tabId": "shared"}))


async def test_a_session_keeps_its_tabs_for_ten_minutes_and_gets_them_back_by_its_proof_alone(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude", session_name="shop", proof=PROOF) as owner:
            await opened_by(there, owner)
        with joined(there, "claude", session_name="shop") as namesake:
            await fails(ErrorCode.TAB_BUSY, there.hub.call(namesake, "t_echo", {"tabId": "new"}))
        await trio.sleep(GONE_S - 1)
        with joined(there, "other name", proof=PROOF) as other:
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "new"}))
        with joined(there, "claude", session_name="other", proof=PROOF) as again:
            await there.hub.call(again, "t_echo", {"tabId": "new"})
            await trio.sleep(2 * GONE_S)
            with joined(there, "cursor") as other:
                await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "new"}))
        await trio.sleep(GONE_S + 1)
        with joined(there, "cursor") as other:
            await there.hub.call(other, "t_echo", {"tabId": "new"})


async def test_the_next_hub_knows_whose_tabs_come_back(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude", proof=PROOF) as owner:
            await opened_by(there, owner)
            await trio.sleep(1)
    async with world(tmp_path) as there:
        tab = await there.tab("new")
        there.nursery.start_soon(tab.answer_all)
        with joined(there, "cursor") as other, joined(there, "claude", proof=PROOF) as again:
            await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "new"}))
            await there.hub.call(again, "t_echo", {"tabId": "new"})


async def test_programs_of_one_call_and_people_own_nothing_and_people_may_use_all(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        with joined(there, "kapture", kind="cli") as shell, joined(there, "claude") as owner:
            await opened_by(there, shell, "left")
            await there.hub.call(owner, "t_echo", {"tabId": "left"})
            await opened_by(there, owner, "owned")
            await fails(ErrorCode.TAB_BUSY, there.hub.call(shell, "t_echo", {"tabId": "owned"}))
            with joined(there, "Kapture Console", kind="console") as console:
                await there.hub.call(console, "t_echo", {"tabId": "owned"})


async def test_a_page_cannot_open_windows_beyond_its_owners_limit(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, limits=there_limits(2)) as there:
        with joined(there, "claude") as owner:
            await opened_by(there, owner)
            await there.tab("window", opener="new")
            refused = await (await there.connect_proven()).register("another", opener="new")
            assert (refused["type"], refused["code"]) == ("refused", "QUEUE_FULL")
            assert (await (await there.connect_proven()).register("window", opener="new"))["type"] == "refused"
            await there.hub.call(owner, "tab_release", {"tabId": "window"})
            await there.tab("another", opener="new")


def there_limits(tabs: int) -> Any:
    from kapture.settings import Limits

    return Limits(client_tabs=tabs)


@pytest.mark.parametrize("proof", ["", "guess", "p" * 31, "ü" * 40, "p" * 129, "p" * 40 + "\n"])
def test_a_proof_of_session_that_could_be_guessed_is_refused(proof: str) -> None:
    with pytest.raises(KaptureError) as refused:
        session_of(proof)
    assert refused.value.code is ErrorCode.INVALID_PARAMS


def test_names_of_clients_are_one_line_and_their_colours_stable() -> None:
    assert display_name_of("Claude Code", "shop-fix") == "Claude Code · shop-fix"
    assert display_name_of("Claude\nCode\u202e", "") == "Claude Code‹U+202E›"
    assert colour_of("Claude Code · shop-fix") == colour_of("Claude Code · shop-fix") in COLOURS
    assert {colour_of(f"client {number}") for number in range(200)} == set(COLOURS)


@pytest.mark.parametrize(
    "called", ["Claude", "Claude Code, your own agent on this very machine" + " in the folder x" * 9]
)
def test_share_of_a_client_is_seen_whatever_it_calls_itself(called: str) -> None:
    for name, title in ((f"{called} @devhost", ""), ("x @devhost", f"{called} @devhost")):
        shown = Client(name=name, title=title, share="devhost", session_name="y" * 100).display_name
        assert shown.startswith("Claude")
        assert " @devhost · y" in shown
        assert shown.count("@devhost") == 1


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["own", "share", "release", "let_in", "inherit", "leave", "join", "free"]),
        st.integers(0, 2),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    max_size=40,
)


@given(_STEPS)
@settings(max_examples=200, deadline=None)
def test_only_owner_guests_and_people_use_a_tab_whatever_happens(steps: list[tuple[str, int, int, int]]) -> None:
    """Against a model: by tab, who owns it, whether it is shared, and who was let in."""

    async def run() -> None:
        owners = Owners(Path("/nonexistent"), 100)
        clients = [Client(name="same name", kind="stdio", session_name="same") for _ in range(3)]
        person = Client(name="panel", kind="panel")
        model: dict[str, tuple[int, bool, frozenset[int]]] = {}
        with ExitStack():
            for step, who, number, other in steps:
                client, tab, of = clients[who], f"t{number}", f"t{other}"
                if step in ("own", "share"):
                    owners.own(client, tab, shared=step == "share")
                    owner, shared, guests = model.get(tab, (who, False, frozenset()))
                    model[tab] = (owner, shared or (owner == who and step == "share"), guests)
                elif step == "release":
                    if tab in model and model[tab][0] != who:
                        with pytest.raises(KaptureError):
                            owners.release(client, tab)
                    else:
                        owners.release(client, tab)
                        model.pop(tab, None)
                elif step == "let_in":
                    owners.let_in(client, tab)
                    if tab in model:
                        model[tab] = (*model[tab][:2], model[tab][2] | {who})
                elif step == "inherit":
                    owners.inherit(of, tab)
                    if of in model:
                        model.setdefault(tab, model[of])
                elif step == "free":
                    owners.free(tab)
                    model.pop(tab, None)
                else:
                    (owners.joined if step == "join" else owners.left)(client)
                for name in ("t0", "t1", "t2", "t3"):
                    owner, shared, guests = model.get(name, (-1, True, frozenset()))
                    for index, each in enumerate(clients):
                        assert owners.may_use(each, name) is (shared or index == owner or index in guests)
                    assert owners.may_use(person, name)

    trio.run(run)


BROWSER = {"name": "Chromium", "instance": "one"}


async def test_the_person_lets_a_client_in_or_not(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            there.hub.state.owners.own(owner, "new")
            tab = await there.tab("new", capabilities=["approve"])
            for decision, code in (
                ("unanswered", ErrorCode.NO_BACKEND),
                ("deny", ErrorCode.POLICY_DENIED),
                ("tab", None),
            ):
                asking = there.start(there.hub.call(other, "request_tab", {"reason": "To see.", "tabId": "new"}))
                question = await tab.receive("approve")
                assert "cursor" in question["title"]
                assert "claude" in question["title"]
                await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "new"}))
                await tab.send(type="approval", id=question["id"], decision=decision)
                answer = await asking.wait()
                assert answer is code if code else answer.data["tab"]["tabId"] == "new"
                with trio.move_on_after(60):  # a denial holds for a while
                    await tab.receive("nothing")
            there.nursery.start_soon(tab.answer_all)
            await there.hub.call(other, "t_echo", {"tabId": "new"})
            with joined(there, "cursor") as namesake:
                await fails(ErrorCode.TAB_BUSY, there.hub.call(namesake, "t_echo", {"tabId": "new"}))


async def test_nobody_is_let_in_where_no_person_can_be_asked_or_the_policy_file_forbids_it(
    tmp_path: Path, autojump_clock: Any
) -> None:
    from kapture.policy.policy_file import Approvals, PolicyFile

    for rules, code in (
        (PolicyFile(), ErrorCode.UNSUPPORTED),
        (PolicyFile(approvals=Approvals(enabled=False)), ErrorCode.POLICY_DENIED),
    ):
        async with world(tmp_path / code.value, rules=rules) as there:
            with joined(there, "claude") as owner, joined(there, "cursor") as other:
                there.hub.state.owners.own(owner, "new")
                await there.tab("new")
                asked = {"reason": "To see.", "tabId": "new"}
                await fails(code, there.hub.call(other, "request_tab", asked))
                await fails(ErrorCode.TAB_BUSY, there.hub.call(other, "t_echo", {"tabId": "new"}))


async def test_the_person_frees_a_tab_in_its_browser(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        with joined(there, "claude") as owner, joined(there, "cursor") as other:
            there.hub.state.owners.own(owner, "new")
            tab = await there.tab("new", capabilities=["approve", "tab_owner"])
            assert (await tab.receive("owned"))["by"]["name"] == "claude"
            await tab.send(type="event", event="release")
            assert "by" not in await tab.receive("owned")
            there.nursery.start_soon(tab.answer_all)
            await there.hub.call(other, "t_echo", {"tabId": "new"})


@pytest.mark.parametrize(("shared", "kept"), [(False, False), (True, False), (False, True)])
async def test_a_tab_that_is_left_behind_is_closed_unless_it_is_shared_or_the_setting_is_off(
    tmp_path: Path, autojump_clock: Any, shared: bool, kept: bool
) -> None:
    async with world(tmp_path, close_left_tabs=not kept) as there:
        browser = await there.connect_proven()
        said: list[str] = []

        async def hear() -> None:
            while said[-1:] != ["closed"]:
                said.append((await browser.receive())["type"])

        await browser.send(type="register_browser", browser=BROWSER, capabilities=["tab_owner"])
        await browser.receive("browser_registered")
        there.nursery.start_soon(hear)
        there.nursery.start_soon((await there.tab("new", browser=BROWSER)).answer_all)
        with joined(there, "claude") as owner:
            there.hub.state.owners.own(owner, "new", shared=shared)
        await trio.sleep(GONE_S - 1)
        assert said == []
        await trio.sleep(2)
        assert said == ([] if shared or kept else ["tab_close_unused"])
        assert there.hub.state.owners.of("new") is None


async def test_a_client_bound_to_a_browser_never_sees_the_tabs_of_others(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        work = await there.tab("work", browser={**BROWSER, "profile": "Work"})
        home = await there.tab("home", browser={"name": "Chromium", "instance": "two", "profile": "Home"})
        forged = await there.token_tab("forged", browser={**BROWSER, "profile": "Work"})
        for tab in (work, home, forged):
            there.nursery.start_soon(tab.answer_all)
        with joined(there, "claude", browser="work") as bound, joined(there, "cursor") as free:
            assert [row["tabId"] for row in await rows(there, bound)] == ["work"]
            assert len(await rows(there, free)) == 3
            status = (await there.hub.call(bound, "status", {})).data["status"]
            assert "home" not in str([status["tabs"], status["browsers"]]).lower()
            await there.hub.call(bound, "t_echo", {})  # the one tab that there is for it
            for tab_id in ("home", "forged", "nowhere"):
                error = await fails(ErrorCode.TAB_NOT_FOUND, there.hub.call(bound, "t_echo", {"tabId": tab_id}))
                assert "home" not in str(error.data.get("connected"))
            await fails(ErrorCode.NO_BACKEND, there.hub.call(bound, "request_tab", {"reason": "x"}))
            listed = (await there.hub.call(free, "list_tabs", {"browser": "HOME"})).data["tabs"]
            assert [row["tabId"] for row in listed] == ["home"]
