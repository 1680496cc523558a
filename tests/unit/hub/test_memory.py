"""What the hub keeps of all tabs stays within its limit, and the tab that was used last keeps most."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.context import ClientView
from kapture.hub.memory import CallDetails, HubMemory, LatestCalls, Trees
from kapture.settings import Limits
from kapture.snapshot import FrameView, Node, Tree
from kapture.snapshot.tree import KnownTree

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
