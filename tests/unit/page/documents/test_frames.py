"""The tree of frames, fed with the browser's events in any order."""

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame_host import with_shown
from kapture.page.documents.read_gate import NOBODY
from tests.unit.page.frame_world import World, described


def test_keys_count_up_and_are_never_used_again() -> None:
    world = World()
    world.attach("A")
    world.attach("B")
    world.event("Page.frameDetached", frameId="A", reason="remove")
    world.attach("A")
    assert [frame.key for frame in world.tree.all()] == ["", "f2", "f3"]
    with pytest.raises(KaptureError) as caught:
        world.tree.get("f1")
    assert caught.value.code is ErrorCode.REF_EXPIRED


def test_a_new_document_takes_the_frames_of_the_old_one_away() -> None:
    world = World()
    world.attach("A")
    world.attach("B", "A")
    world.navigate("M", "https://c.example/", None)
    assert [frame.key for frame in world.tree.all()] == [""]
    assert world.tree.main.url == "https://c.example/"


def test_an_address_that_is_no_text_is_refused_and_not_kept() -> None:
    world = World()
    with pytest.raises(TypeError):
        world.event("Page.navigatedWithinDocument", frameId="M", url=["https://c.example/"])
    assert world.tree.main.url == "https://a.example/"


def test_contexts_of_the_document_before_are_not_the_new_ones() -> None:
    world = World()
    world.context("M", 1)
    world.context("M", 2, "")
    assert world.tree.main.current_context("main") is not None
    world.navigate("M", "https://c.example/", None)
    assert world.tree.main.current_context("main") is None
    assert world.tree.main.current_context("kapture") is None
    world.context("M", 3)
    world.event("Runtime.executionContextDestroyed", executionContextId=1)
    context = world.tree.main.current_context("kapture")
    assert context is not None
    assert context.number == 3
    world.event("Runtime.executionContextsCleared")
    assert world.tree.main.current_context("kapture") is None


def test_a_restored_document_came_once_it_is_known_whose_it_is() -> None:
    world = World()
    secret = described("M", "https://secret.example/", origin="https://secret.example")
    world.replies = {"Page.getFrameTree": {"frameTree": {"frame": secret}}}
    came: list[str] = []
    with world.tree.watching_documents(lambda frame: came.append(frame.url)):
        world.event("Runtime.executionContextsCleared")
        world.context("M", 1, origin="https://secret.example")
        assert came == []
        world.event("Page.frameNavigated", frame=secret, type="BackForwardCacheRestore")
    assert came == ["https://secret.example/"]


@pytest.mark.parametrize("initial", ["", ":", "about:blank"])
def test_the_document_after_the_initial_empty_one_of_its_origin_has_its_contexts(initial: str) -> None:
    world = World()
    came: list[str] = []
    with world.tree.watching_documents(lambda frame: came.append(frame.url)):
        world.attach("A")
        world.tree.get("f1").host.url = initial
        world.context("A", 1, "", origin="https://a.example")
        world.context("A", 2, origin="https://a.example")
        world.navigate("A", "https://a.example/in", origin="https://a.example")
    frame = world.tree.get("f1")
    assert [context.number for name in ("main", "kapture") if (context := frame.current_context(name))] == [1, 2]
    assert came == [initial, "https://a.example/in"]
    world.navigate("A", "https://a.example/next", origin="https://a.example")
    assert frame.current_context("main") is frame.current_context("kapture") is None


@pytest.mark.parametrize("origin", ["https://b.example", "://", ""])
def test_a_document_of_another_origin_never_has_the_contexts_of_the_initial_empty_one(origin: str) -> None:
    world = World()
    world.attach("A")
    world.context("A", 1, "", origin="https://a.example")
    world.context("A", 2, origin="")
    world.navigate("A", "https://b.example/", origin=origin)
    frame = world.tree.get("f1")
    assert frame.current_context("main") is frame.current_context("kapture") is None


@pytest.mark.parametrize(
    ("url", "origin", "policy"),
    [
        ("https://b.example/x", "https://b.example", "https://b.example/x"),
        ("about:blank", "", "https://a.example/"),
        ("about:srcdoc", "://", "https://a.example/"),
        ("", "://", "https://a.example/"),
        ("about:blank", "https://b.example", "https://b.example/"),
        ("data:text/html,x", "://", "https://a.example/"),
        ("blob:https://b.example/1234", "https://b.example", "https://b.example/1234"),
        ("blob:null/1234", "://", "https://a.example/"),
    ],
)
def test_a_document_without_a_site_belongs_to_where_it_comes_from(url: str, origin: str, policy: str) -> None:
    world = World()
    world.attach("A")
    world.navigate("A", url, origin=origin)
    assert world.tree.get("f1").policy_url == policy


@pytest.mark.parametrize(
    ("url", "context", "origin"),
    [
        ("https://a.example/", "https://a.example", "https://a.example"),
        ("https://a.example/comment", "://", ""),
        ("about:srcdoc", "://", ""),
        ("about:blank", "https://a.example", "https://a.example"),
        ("file:///srv/page.html", "file://", "file:"),
    ],
    ids=["its own", "sandboxed", "sandboxed srcdoc", "blank", "file"],
)
def test_the_origin_of_a_document_is_the_one_that_the_browser_gives_it(url: str, context: str, origin: str) -> None:
    world = World()
    world.attach("A")
    world.navigate("A", url)
    assert world.tree.get("f1").document_origin == ""
    world.context("A", 1, "", origin=context)
    world.context("A", 2, origin="https://b.example")
    assert world.tree.get("f1").document_origin == origin


def test_a_document_that_names_no_site_belongs_to_the_origin_of_its_context() -> None:
    world = World()
    world.navigate("M", "about:blank", None, origin="://")
    assert world.tree.main.granted
    world.context("M", 1, "", origin="https://secret.example")
    assert world.tree.main.policy_url == "https://secret.example/"
    assert not world.tree.main.granted


def test_a_blank_frame_keeps_the_path_of_the_page_that_made_it_for_the_rules_on_paths() -> None:
    world = World()
    world.navigate("M", "https://a.example/admin/", None, origin="https://a.example")
    world.attach("A")
    world.context("A", 1, "", origin="https://a.example")
    assert world.tree.get("f1").policy_url == "https://a.example/admin/"


def test_a_data_document_keeps_what_its_frame_showed_before_from_being_read() -> None:
    world = World()
    world.attach("A")
    world.navigate("A", "https://secret.example/", origin="https://secret.example")
    world.navigate("A", "data:text/html,taken along", origin="://")
    world.navigate("A", "about:blank", origin="://")
    assert not world.tree.get("f1").granted
    with pytest.raises(KaptureError) as caught:
        world.tree.get("f1").check_granted()
    assert caught.value.code is ErrorCode.POLICY_DENIED


@pytest.mark.parametrize("url", ["data:text/html,x", "blob:null/1", "about:blank"])
def test_a_document_of_opaque_origin_is_of_every_document_around_its_frame(url: str) -> None:
    world = World()
    world.attach("C")
    world.navigate("C", "https://secret.example/")
    world.attach("A", "C")
    frame = world.tree.get("f2")
    world.navigate("A", "https://a.example/", "C", origin="https://a.example")
    assert frame.granted
    world.navigate("A", url, "C", origin="://")
    world.context("A", 1, "", origin="://")
    assert not frame.granted
    assert frame.policy_url == "https://secret.example/"
    assert set(frame.makers) == {"https://a.example/", "https://secret.example/"}
    assert frame.passed_on == "https://a.example/"
    world.navigate("A", "https://a.example/", "C", origin="https://a.example")
    assert frame.granted


def test_a_document_of_opaque_origin_is_of_every_document_that_its_frame_has_shown() -> None:
    """One that is replaced may have begun to navigate before."""
    world = World()
    world.attach("F")
    frame = world.tree.get("f1")
    for url in ("https://a.example/", "https://secret.example/", "https://a.example/own"):
        world.navigate("F", url, origin=url.removesuffix("own").removesuffix("/"))
    assert frame.granted
    world.navigate("F", "data:text/html,x", origin="://")
    assert not frame.granted
    assert frame.policy_url == "https://secret.example/"
    world.navigate("F", "https://a.example/own", origin="https://a.example")
    assert frame.granted


def test_of_too_many_documents_of_a_frame_nobody_is_known() -> None:
    shown: tuple[str, ...] = ()
    for number in range(60):
        shown = with_shown(shown, f"https://a.example/{number % 55}")
    assert shown == (*(f"https://a.example/{number}" for number in range(50)), NOBODY)


def test_a_document_of_opaque_origin_is_nobodys_once_the_document_around_its_frame_has_gone() -> None:
    world = World()
    child = world.connection.session("S")
    world.tree.observe(child)
    world.tree.announce(child, {"targetId": "C", "url": "https://secret.example/", "parentFrameId": "M"})
    world.navigate("C", "https://secret.example/", session="S")
    world.attach("A", "C", session="S")
    world.navigate("A", "https://a.example/", "C", session="S", origin="https://a.example")
    world.attach("C")
    world.navigate("C", "https://a.example/")
    world.navigate("A", "data:text/html,x", "C", session="S", origin="://")
    assert world.tree.get("f1").granted
    frame = world.tree.by_id("A")
    assert frame is not None
    assert frame.makers[-1] == NOBODY


def test_a_frame_is_found_by_key_name_or_part_of_its_address_but_not_outside_the_grant() -> None:
    world = World()
    for frame_id, url in (
        ("A", "https://b.example/shop"),
        ("B", "https://secret.example/"),
        ("C", "https://b.example/pay"),
    ):
        world.attach(frame_id)
        world.navigate(frame_id, url)
    assert world.tree.find("f2").id == "B"
    assert world.tree.find("shop").id == "A"
    assert world.tree.find("main") is world.tree.main
    for name, code in (("b.example", ErrorCode.ELEMENT_AMBIGUOUS), ("secret", ErrorCode.ELEMENT_NOT_FOUND)):
        with pytest.raises(KaptureError) as caught:
            world.tree.find(name)
        assert caught.value.code is code


def test_frames_of_one_name_are_listed_without_the_addresses_of_those_outside_the_grant() -> None:
    world = World()
    for frame_id, url in (("A", "https://b.example/shop"), ("B", "https://secret.example/account?token=1")):
        world.attach(frame_id)
        world.navigate(frame_id, url)
    for key in ("f1", "f2"):
        world.tree.get(key).host.name = "pay"
    with pytest.raises(KaptureError) as caught:
        world.tree.find("pay")
    assert caught.value.data["frames"] == [
        {"frame": "f1", "url": "https://b.example/shop"},
        {"frame": "f2", "url": "https://secret.example"},
    ]


def test_new_documents_are_announced_once_they_have_their_agent() -> None:
    world = World()
    world.attach("A")
    came: list[str] = []
    with world.tree.watching_documents(lambda frame: came.append(f"{frame.key} {frame.url}")):
        world.navigate("A", "https://b.example/")
        world.context("A", 7, name="")
        assert came == []
        world.context("A", 8)
        assert came == ["f1 https://b.example/"]
    world.context("A", 9)
    assert len(came) == 1


def test_a_document_whose_agent_came_before_its_frame_was_known_is_announced_with_it() -> None:
    world = World()
    came: list[str] = []
    world.tree.follow_documents(lambda frame: came.append(frame.url))
    world.context("P", 8)
    assert came == []
    world.tree.take(world.connection.root, {"frame": {"id": "P", "url": "https://a.example/next", "loaderId": "LP"}})
    assert came == ["https://a.example/next"]


def test_documents_that_are_gone_again_are_noted() -> None:
    world = World()
    with world.tree.notes.during() as notes:
        world.attach("A")
        world.navigate("A", "https://c.example/", "M")
        world.event("Page.frameDetached", frameId="A", reason="remove")
    assert [(frame_id, url) for frame_id, _, url in notes] == [("A", "https://c.example/")]
    world.attach("B")
    world.navigate("B", "https://c.example/", "M")
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("failed", "owner"),
    [
        ("https://b.example/", "https://b.example/"),
        ("https://secret.example/", "https://secret.example/"),
        ("blob:null/1", "chrome-error://chromewebdata/"),
    ],
)
def test_what_follows_an_error_page_belongs_to_the_site_that_could_not_be_opened(failed: str, owner: str) -> None:
    world = World()
    error = {**described("M", "chrome-error://chromewebdata/", origin="://"), "unreachableUrl": failed}
    world.event("Page.frameNavigated", frame=error, type="Navigation")
    assert world.tree.main.policy_url == "chrome-error://chromewebdata/"
    assert world.tree.main.passed_on == owner
    world.navigate("M", "about:blank", None, origin="://")
    assert world.tree.main.policy_url == owner
    assert world.tree.main.granted is ("secret" not in owner)
