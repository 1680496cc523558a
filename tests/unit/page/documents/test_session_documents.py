"""The granted part of a session: A is the page, B a frame of its process, C one of another."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.cdp import CdpConnection
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree, SessionDocuments
from tests.support.cdp_transports import SilentTransport

A, B, C = "https://a.test/", "https://b.a.test:8443/", "https://c.test/"


class World:
    """A tab with the three, of which the gate lets through what `granted` names, but for what is `closed`."""

    def __init__(self, *granted: str) -> None:
        self.granted = granted
        self.closed: set[str] = set()
        self.connection = CdpConnection(SilentTransport())
        self.tree = FrameTree(self.gate, AgentCalls(Renderer(lambda: None)))
        for session in (self.connection.root, self.connection.session("S")):
            self.tree.observe(session)
        self.tree.take(self.connection.root, {"frame": frame("A", A)})
        self.event("Page.frameAttached", frameId="B", parentFrameId="A")
        self.event("Page.frameNavigated", frame=frame("B", B, "A"), type="Navigation")
        self.event("Page.frameAttached", frameId="C", parentFrameId="A")
        self.event("Page.frameNavigated", "S", frame=frame("C", C, "A"), type="Navigation")
        for number, (frame_id, session_id, name) in enumerate(
            [("A", None, ""), ("A", None, "kapture"), ("B", None, ""), ("C", "S", "")], start=1
        ):
            data = {"frameId": frame_id, "isDefault": name == ""}
            context = {"id": number, "uniqueId": f"u{number}", "name": name, "auxData": data}
            self.event("Runtime.executionContextCreated", session_id, context=context)

    def event(self, method: str, session: str | None = None, /, **params: Any) -> None:
        self.connection.deliver(method, params, session)

    def gate(self, url: str) -> bool:
        return url not in self.closed and ("*" in self.granted or url in self.granted)

    def documents(self, session: str | None = None) -> SessionDocuments:
        held = self.connection.root if session is None else self.connection.session(session)
        return SessionDocuments(self.tree, self.gate, held)


def frame(frame_id: str, url: str, parent: str | None = None) -> dict[str, Any]:
    described = {"id": frame_id, "url": url, "loaderId": f"L{frame_id}", "securityOrigin": url.rstrip("/")}
    return {**described, "parentId": parent} if parent else described


def test_a_session_is_granted_whole_only_with_every_frame_of_its_process() -> None:
    documents = World(A).documents()
    assert (documents.top_granted, documents.all_granted) == (True, False)
    assert World(A, B).documents().all_granted, "C lives elsewhere"
    assert not World(A, B).documents("S").top_granted
    assert not World(A, B).documents("nobody's").all_granted


@pytest.mark.parametrize("granted", [(A,), (A, B)])
def test_a_context_or_object_is_granted_with_its_frame_and_in_the_pages_own_world(granted: tuple[str, ...]) -> None:
    documents = World(*granted).documents()
    assert documents.context_granted(1)
    assert documents.context_granted("u1")
    assert documents.object_granted("-5.1.77")
    for of_b in (documents.context_granted(3), documents.context_granted("u3"), documents.object_granted("-5.3.1")):
        assert of_b == (B in granted)
    for unknown in (2, "u2", 4, "u4", 99, "u99", None, True, 1.5):
        assert not documents.context_granted(unknown), "the agent's world, another session's, nobody's"
    for malformed in ("", "1", "a.1.b", None, 1, f"1.{'9' * 5_000}.1", "1.١.1"):
        assert not documents.object_granted(malformed)


def test_a_frame_that_is_not_known_is_not_granted() -> None:
    documents = World(A).documents()
    assert [documents.frame_granted(one) for one in ("A", "B", "C", "X", None, 7)] == [True] + [False] * 5


def test_any_site_means_every_document_that_the_tab_shows() -> None:
    assert World("*").documents().any_site
    assert not World(A, B, C).documents().any_site


def test_a_url_that_names_no_site_is_covered_by_no_grant() -> None:
    documents = World("*").documents()
    assert documents.covers(C)
    assert not any(map(documents.covers, ["about:blank", "data:text/html,x", "javascript:1", ""]))


def test_a_context_has_a_unique_id_which_no_later_document_has() -> None:
    there = World(A)
    documents = there.documents()
    assert [documents.unique_context(one) for one in (1, "u1", None)] == ["u1"] * 3
    assert [documents.unique_context(one) for one in (2, 99, True)] == [None] * 3, "the agent's, nobody's"
    assert there.documents("nobody's").unique_context(None) is None
    there.event("Runtime.executionContextsCleared")
    assert [documents.unique_context(one) for one in (1, None)] == [None, None]
    data = {"frameId": "A", "isDefault": True}
    context = {"id": 1, "uniqueId": "u5", "name": "", "auxData": data}
    there.event("Runtime.executionContextCreated", context=context)
    assert documents.unique_context(1) == "u5"


@pytest.mark.parametrize(("origin", "granted"), [("https://a.test", True), ("https://c.test", False), ("://", True)])
def test_a_context_of_another_origin_than_its_frames_document_must_be_granted_itself(
    origin: str, granted: bool
) -> None:
    world = World(A)
    data = {"frameId": "A", "isDefault": True}
    context = {"id": 9, "uniqueId": "u9", "name": "", "origin": origin, "auxData": data}
    world.event("Runtime.executionContextCreated", context=context)
    assert world.documents().context_granted(9) is granted
    assert world.documents().object_granted("1.9.1") is granted


def test_a_tab_that_shows_what_no_grant_covers_is_not_granted_any_site() -> None:
    world = World("*")
    documents = world.documents()
    world.closed.add(C)
    assert not documents.any_site
