"""The CDP sessions of a tab, as frames and workers in other processes come and go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import CdpConnection, CdpError, CdpSession, PendingReply
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import NOBODY
from kapture.page.sessions import Sessions
from tests.support.cdp_transports import SilentTransport

TREE = {"frameTree": {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}}}


def frame_tree(name: str) -> dict[str, Any]:
    return {"frameTree": {"frame": {"id": f"target-{name}", "url": "https://b.example/", "loaderId": "L"}}}


class Browser(SilentTransport):
    """Answers every command, with an error where `refuses` says so; `sent` are the methods by session."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.sent: dict[str | None, list[str]] = {}
        self.refuses: dict[tuple[str | None, str], CdpError] = {}
        self.left: list[str | None] = []
        self.early: Callable[[], None] = lambda: None
        self.connection = CdpConnection(self)
        self.frames = FrameTree(lambda _: True, AgentCalls(Renderer(lambda: None)))
        self.sessions = Sessions(
            self.connection,
            self.frames,
            nursery,
            follow=[self.frames.observe],
            on_leave=lambda session: self.left.append(session.session_id),
        )

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.setdefault(session_id, []).append(method)
        reply = PendingReply()
        if method == "Page.enable" and session_id is None:
            self.early()
            assert "S1" not in self.sent
        if error := self.refuses.get((session_id, method)):
            reply.fail(error)
        else:
            reply.resolve(TREE if session_id is None else frame_tree(session_id))
        return reply

    def attach(self, name: str, kind: str, by: str | None = None, **target: Any) -> None:
        info = {"targetId": f"target-{name}", "type": kind, "url": "", **target}
        self.connection.deliver("Target.attachedToTarget", {"sessionId": name, "targetInfo": info}, by)

    def detach(self, name: str) -> None:
        self.connection.deliver("Target.detachedFromTarget", {"sessionId": name}, None)


@pytest.fixture
async def browser(nursery: trio.Nursery) -> Browser:
    return Browser(nursery)


async def test_frames_are_known_before_the_browser_replays_what_they_have_logged(browser: Browser) -> None:
    await browser.sessions.enter_root()
    sent = browser.sent[None]
    assert sent.index("Page.enable") < sent.index("Page.getFrameTree") < sent.index("Runtime.enable")


async def test_a_root_session_that_refuses_is_an_error(browser: Browser) -> None:
    browser.refuses[None, "Page.enable"] = CdpError("Page.enable", "no")
    with pytest.raises(CdpError):
        await browser.sessions.enter_root()


async def test_a_frame_in_another_process_is_entered_and_resumed(browser: Browser) -> None:
    await browser.sessions.enter_root()
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    assert browser.sent["S1"][-1] == "Runtime.runIfWaitingForDebugger"
    assert [session.session_id for session in browser.sessions.documents] == [None, "S1"]
    frame = browser.frames.by_id("target-S1")
    assert frame is not None
    assert frame.key == "f1"


async def test_a_frame_that_refuses_something_does_not_take_the_tab_away(browser: Browser) -> None:
    await browser.sessions.enter_root()
    browser.refuses["S1", "DOM.enable"] = CdpError("DOM.enable", "Cannot access a chrome-extension:// URL")
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    assert browser.sent["S1"][-1] == "Runtime.runIfWaitingForDebugger"


async def test_a_frame_that_comes_before_the_tree_is_known_is_entered_afterwards(browser: Browser) -> None:
    browser.early = lambda: browser.attach("S1", "iframe", parentFrameId="M")
    await browser.sessions.enter_root()
    await wait_all_tasks_blocked()
    assert "Page.enable" in browser.sent["S1"]


async def test_observers_see_each_session_before_its_documents_run(browser: Browser) -> None:
    seen: list[tuple[str | None, bool]] = []

    async def observe(session: CdpSession) -> None:
        running = "Runtime.runIfWaitingForDebugger" in browser.sent.get(session.session_id, [])
        seen.append((session.session_id, running))

    browser.sessions.add_observer(observe)
    await browser.sessions.enter_root()
    browser.attach("S1", "iframe", parentFrameId="M")
    browser.attach("W1", "worker", url="https://a.example/worker.js")
    await wait_all_tasks_blocked()
    assert sorted(seen, key=str) == [("S1", False), ("W1", False), (None, False)]


async def test_a_worker_belongs_to_the_site_of_its_script(browser: Browser) -> None:
    await browser.sessions.enter_root()
    browser.attach("W1", "worker", url="https://cdn.example/worker.js")
    browser.attach("W2", "worker", url="blob:https://a.example/1")
    await wait_all_tasks_blocked()
    first, second = browser.sessions.workers
    assert browser.sessions.owners(first, "") == ("https://cdn.example/worker.js",)
    assert browser.sessions.owners(second, None) == ("https://a.example/1",)
    assert first not in browser.sessions.documents


@pytest.mark.parametrize("script", ["data:text/javascript,1", "blob:null/1"])
async def test_a_worker_whose_script_names_no_site_belongs_to_the_frame_that_made_it(
    browser: Browser, script: str
) -> None:
    await browser.sessions.enter_root()
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    browser.attach("W1", "worker", by="S1", url=script)
    await wait_all_tasks_blocked()
    browser.attach("W2", "worker", by="W1", url=script)
    await wait_all_tasks_blocked()
    for worker in browser.sessions.workers:
        assert browser.sessions.owners(worker, "") == ("https://b.example/",)


async def test_a_session_that_ends_takes_those_with_it_that_were_announced_on_it(browser: Browser) -> None:
    await browser.sessions.enter_root()
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    browser.attach("S2", "iframe", by="S1", parentFrameId="target-S1")
    browser.attach("W1", "worker", by="S1", url="https://b.example/worker.js")
    await wait_all_tasks_blocked()
    browser.attach("W2", "worker", by="W1", url="https://b.example/worker.js")
    await wait_all_tasks_blocked()
    sessions = [browser.connection.session(name) for name in ("S1", "S2", "W1", "W2")]
    browser.detach("S1")
    assert browser.left == ["S2", "W2", "W1", "S1"]
    assert all(session.closed for session in sessions)
    assert not browser.sessions.workers
    assert browser.sessions.documents == [browser.connection.root]
    assert browser.frames.by_id("target-S2") is None


async def test_a_session_that_ends_takes_its_frame_and_fails_what_waits_for_it(browser: Browser) -> None:
    await browser.sessions.enter_root()
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    session = browser.connection.session("S1")
    browser.detach("S1")
    assert browser.left == ["S1"]
    assert session.closed
    assert browser.frames.by_id("target-S1") is None
    assert [one.session_id for one in browser.sessions.documents] == [None]


async def test_network_conditions_hold_for_sessions_that_come(browser: Browser) -> None:
    await browser.sessions.enter_root()
    await browser.sessions.network_conditions.set({"offline": True})
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    assert [browser.sent[one].count("Network.emulateNetworkConditions") for one in (None, "S1")] == [1, 1]


async def test_network_conditions_hold_for_the_others_when_a_session_goes_away_meanwhile(browser: Browser) -> None:
    await browser.sessions.enter_root()
    for name in ("S1", "S2"):
        browser.attach(name, "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    method = "Network.emulateNetworkConditions"
    browser.refuses["S1", method] = CdpError(method, "Session with given id not found.")
    await browser.sessions.network_conditions.set({"offline": True})
    assert browser.sent["S2"].count(method) == 1
    browser.refuses["S2", method] = CdpError(method, "no")
    with pytest.raises(CdpError, match="no"):
        await browser.sessions.network_conditions.set({"offline": False})


async def test_network_conditions_end_in_every_session_and_come_to_no_later_one(browser: Browser) -> None:
    await browser.sessions.enter_root()
    browser.sessions.network_conditions.end()
    assert "Network.emulateNetworkConditions" not in browser.sent[None]
    browser.attach("S1", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    await browser.sessions.network_conditions.set({"offline": True})
    browser.sessions.network_conditions.end()
    browser.attach("S2", "iframe", parentFrameId="M")
    await wait_all_tasks_blocked()
    sent = [browser.sent[one].count("Network.emulateNetworkConditions") for one in (None, "S1", "S2")]
    assert sent == [2, 2, 0]


async def test_an_event_without_a_frame_may_be_any_documents_of_its_process(browser: Browser) -> None:
    await browser.sessions.enter_root()
    root = browser.connection.root
    inner = {"id": "B", "parentId": "M", "url": "https://b.example/", "loaderId": "L2"}
    root.dispatch("Page.frameAttached", {"frameId": "B", "parentFrameId": "M"})
    root.dispatch("Page.frameNavigated", {"frame": inner, "type": "Navigation"})
    assert set(browser.sessions.owners(root, "")) == {"https://a.example/", "https://b.example/"}
    assert browser.sessions.owners(root, "B") == ("https://b.example/",)
    for unknown in ("X", None):
        assert browser.sessions.owners(root, unknown) == (NOBODY,)
    browser.attach("D1", "worker", url="data:text/javascript,1")
    await wait_all_tasks_blocked()
    (worker,) = browser.sessions.workers
    assert set(browser.sessions.owners(worker, "")) == {"https://a.example/", "https://b.example/"}
