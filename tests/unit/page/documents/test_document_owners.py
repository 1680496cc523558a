"""Whose a document is, and which documents may have made one whose URL names no site."""

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import with_shown
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY
from tests.unit.page.frame_world import World, described


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


@pytest.mark.parametrize("url", ["about:blank", "about:blank#part", "blob:null/1"])
def test_document_opened_by_anybody_needs_grant_of_every_site(url: str) -> None:
    world = World()
    world.navigate("M", url, None, origin="://")
    world.tree.opened({"loaderId": "another"})
    assert world.tree.main.policy_url == "https://a.example/"
    world.closed |= {EVERY_SITE, NOBODY}
    assert world.tree.main.policy_url == NOBODY
    assert world.tree.main.passed_on == NOBODY
    world.tree.opened({"loaderId": world.tree.main.loader_id})
    assert world.tree.main.granted is (not url.startswith("blob:"))


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


def test_shown_documents_are_known_after_frame_returns_from_another_process() -> None:
    world = World()
    child = world.connection.session("S")
    world.tree.observe(child)
    world.tree.announce(child, {"targetId": "F", "url": "https://secret.example/", "parentFrameId": "M"})
    world.navigate("F", "https://secret.example/", None, "S", origin="https://secret.example")
    world.tree.leave(child)
    assert world.tree.by_id("F") is None
    world.attach("F")
    world.navigate("F", "https://a.example/own", origin="https://a.example")
    frame = world.tree.by_id("F")
    assert frame is not None
    assert frame.granted
    world.navigate("F", "data:text/html,x", origin="://")
    assert not frame.granted


def test_owner_is_unknown_after_too_many_documents() -> None:
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


@pytest.mark.parametrize(
    ("failed", "owner"),
    [
        ("https://b.example/", "https://b.example/"),
        ("https://secret.example/", "https://secret.example/"),
        ("blob:null/1", "chrome-error://chromewebdata/"),
    ],
)
def test_document_after_error_page_belongs_to_failed_site(failed: str, owner: str) -> None:
    world = World()
    error = {**described("M", "chrome-error://chromewebdata/", origin="://"), "unreachableUrl": failed}
    world.event("Page.frameNavigated", frame=error, type="Navigation")
    assert world.tree.main.policy_url == "chrome-error://chromewebdata/"
    assert world.tree.main.passed_on == owner
    world.navigate("M", "about:blank", None, origin="://")
    assert world.tree.main.policy_url == owner
    assert world.tree.main.granted is ("secret" not in owner)
