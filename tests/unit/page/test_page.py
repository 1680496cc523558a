"""Evaluation in pages, and its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.cdp import CdpCommand, CdpConnection, PendingReply
from kapture.errors import ErrorCode, KaptureError, PolicyDenied, RefExpired
from kapture.page import Page
from kapture.page.agent_calls import AgentCalls
from kapture.page.client_settings import ClientSettings
from kapture.page.dialogs import PRINT_BINDING, Dialog, DialogPolicy, Dialogs
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.element import Element
from kapture.page.navigation import Navigation
from kapture.page.remote_objects import backend_node_id, element_of
from kapture.page.title import TITLE_BINDING, Title
from tests.support.cdp_transports import EmptyTransport, SilentTransport
from tests.support.one_document import REPORT, OneDocument
from tests.unit.page.frame_world import World


async def test_nothing_is_evaluated_in_a_document_outside_the_grant(nursery: Any) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://secret.example/", "loaderId": "L"}})
    browser.load()
    with pytest.raises(PolicyDenied):
        await page.evaluate("document.title", world="kapture")
    assert browser.evaluated == []


@pytest.mark.parametrize(
    ("opened", "said"),
    [
        ({"url": "https://a.example/", "frameId": "M"}, "your name?"),
        ({"url": "https://a.example/", "frameId": "F"}, ""),
        ({"url": "https://a.example/"}, "your name?"),
        ({"url": "https://secret.example/"}, ""),
        ({"url": "about:blank"}, ""),
    ],
    ids=["of the page", "of a frame outside", "by its address", "by an address outside", "by one that names no site"],
)
async def test_the_words_of_a_dialog_are_those_of_a_document_of_the_grant(
    nursery: Any, opened: dict[str, str], said: str
) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})
    browser.add_frame("https://secret.example/")
    page.dialogs.observe(browser.connection.root)
    dialog = {"type": "prompt", "message": "your name?", "defaultPrompt": "", "hasBrowserHandler": False, **opened}
    browser.connection.deliver("Page.javascriptDialogOpening", dialog, None)
    assert page.dialogs.current is not None
    assert page.dialogs.current.message == said


@pytest.mark.parametrize("granted", [True, False])
async def test_documents_outside_the_grant_are_not_asked_to_watch_what_an_action_causes(
    nursery: Any, granted: bool
) -> None:
    browser = OneDocument()
    page = Page(browser.connection, "tab1", lambda url: granted or "secret" not in url, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})
    browser.load()
    browser.add_frame("https://secret.example/")
    browser.answers = {"effects": REPORT}
    async with page.acting(shows=True):
        await page.frames.main.call("platform")
    assert browser.called.count("watch") == 1 + granted
    assert browser.called.count("effects") == 1 + granted


# The title is that of the current document.


class Tab:
    def __init__(self) -> None:
        self.connection = CdpConnection(SilentTransport())
        self.frames = FrameTree(lambda _: True, AgentCalls(Renderer(lambda: None)))
        self.title = Title(self.frames)
        self.frames.observe(self.connection.root)
        self.title.observe(self.connection.root)
        self.frames.take(self.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})

    def event(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def context(self, number: int) -> None:
        data = {"frameId": "M", "isDefault": False, "type": "isolated"}
        context = {"id": number, "uniqueId": f"U{number}", "name": "kapture", "auxData": data}
        self.event("Runtime.executionContextCreated", context=context)

    def navigate(self) -> None:
        frame = {"id": "M", "url": "https://a.example/next", "loaderId": "L2"}
        self.event("Page.frameNavigated", frame=frame, type="Navigation")

    def report(self, title: str, number: int, name: str = TITLE_BINDING) -> None:
        self.event("Runtime.bindingCalled", name=name, payload=title, executionContextId=number)


def test_the_document_reports_its_title_and_every_change_of_it() -> None:
    tab = Tab()
    tab.context(1)
    tab.report("Inbox", 1)
    tab.report("Inbox (1)", 1)
    assert tab.title.text == "Inbox (1)"


def test_a_new_document_has_no_title_until_it_reports_one() -> None:
    tab = Tab()
    tab.context(1)
    tab.report("Inbox", 1)
    tab.navigate()
    assert tab.title.text == ""


def test_a_document_on_its_way_out_does_not_name_the_next_one() -> None:
    tab = Tab()
    tab.context(1)
    tab.navigate()
    tab.context(2)
    tab.report("Inbox", 1)
    assert tab.title.text == ""
    tab.report("Next", 2)
    assert tab.title.text == "Next"


# Dialogs of granted pages are answered; those of others are dismissed, and their words are nobody's.


INSIDE, OUTSIDE = "https://shop.example/", "https://bank.test/"


class Browser(EmptyTransport):
    """Closes a dialog as soon as it is answered."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.connection = CdpConnection(self)
        self.dialogs = Dialogs(on_open=lambda _: None, granted=lambda _, url: url == INSIDE)
        self.dialogs.observe(self.connection.root)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.answers.append(dict(params))
        self.connection.deliver("Page.javascriptDialogClosed", {"result": params["accept"]}, None)
        return super().submit(method, params, session_id)

    def open(self, url: str, message: str = "Your PIN?") -> Dialog:
        dialog = {"url": url, "frameId": "F", "type": "prompt", "message": message, "defaultPrompt": "1234"}
        self.connection.deliver("Page.javascriptDialogOpening", dialog, None)
        return self.dialogs.seen[-1]


async def test_a_dialog_of_a_granted_page_is_accepted_with_text() -> None:
    browser = Browser()
    await browser.dialogs.answer(browser.open(INSIDE), True, "42")
    assert browser.answers == [{"accept": True, "promptText": "42"}]


@pytest.mark.parametrize(("accept", "text"), [(True, None), (True, "42"), (False, "42")])
async def test_a_dialog_of_an_ungranted_page_is_not_accepted_and_gets_no_text(accept: bool, text: str | None) -> None:
    browser = Browser()
    dialog = browser.open(OUTSIDE)
    with pytest.raises(KaptureError) as caught:
        await browser.dialogs.answer(dialog, accept, text)
    assert caught.value.code is ErrorCode.POLICY_DENIED
    assert browser.answers == []
    await browser.dialogs.answer(dialog, False)
    assert browser.answers == [{"accept": False}]


async def test_a_dialog_that_has_opened_in_place_of_another_is_not_answered() -> None:
    browser = Browser()
    first = browser.open(INSIDE)
    browser.dialogs.clear()
    browser.open(INSIDE, "Delete the account?")
    with pytest.raises(KaptureError, match="not open any more"):
        await browser.dialogs.answer(first, True)
    assert browser.answers == []


def test_the_words_of_a_dialog_of_an_ungranted_page_are_not_kept() -> None:
    browser = Browser()
    browser.open(OUTSIDE)
    blocked = browser.dialogs.blocked()
    assert blocked is not None
    assert "PIN" not in str(blocked)
    assert "1234" not in str(blocked.data)


@pytest.mark.parametrize(
    ("policy", "url", "answer"),
    [
        ("accept", INSIDE, {"accept": True, "promptText": "1234"}),
        ("accept", OUTSIDE, {"accept": False}),
        ("dismiss", INSIDE, {"accept": False}),
        ("dismiss", OUTSIDE, {"accept": False}),
    ],
)
def test_the_policy_accepts_only_dialogs_of_granted_pages(
    policy: DialogPolicy, url: str, answer: dict[str, Any]
) -> None:
    browser = Browser()
    browser.dialogs.policy = policy
    browser.open(url)
    assert browser.answers == [answer]


# The print preview and a pause in the debugger block a page as well, and each has commands that end it.


def print_event(connection: CdpConnection, type: str, document: int) -> None:
    said = {"name": PRINT_BINDING, "payload": type, "executionContextId": document}
    connection.deliver("Runtime.bindingCalled", said, None)


async def test_print_preview_blocks_until_it_is_closed_or_left(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    connection = CdpConnection(EmptyTransport())
    dialogs = Dialogs(on_open=lambda _: None, granted=lambda *_: True, nursery=nursery)
    dialogs.observe(connection.root)
    dialogs.policy = "dismiss"  # which is for dialogs of scripts only
    print_event(connection, "beforeprint", 3)
    await trio.sleep(1)
    assert "print preview" in str(dialogs.blocked("click"))
    assert dialogs.blocked("navigate") is None
    print_event(connection, "afterprint", 3)
    assert dialogs.blocked("click") is None


async def test_a_pdf_is_no_print_preview(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    connection = CdpConnection(EmptyTransport())
    dialogs = Dialogs(on_open=lambda _: None, granted=lambda *_: True, nursery=nursery)
    dialogs.observe(connection.root)
    print_event(connection, "beforeprint", 3)  # of another client of the browser
    print_event(connection, "afterprint", 3)
    with dialogs.expecting_pdf():
        print_event(connection, "beforeprint", 3)
        await trio.sleep(60)
    assert dialogs.current is None


async def test_debugger_of_a_client_blocks_until_it_is_resumed_or_disabled() -> None:
    connection = CdpConnection(EmptyTransport())
    settings = ClientSettings(connection.root)
    dialogs = Dialogs(on_open=lambda _: None, granted=lambda *_: True, debugged=settings.debugged.__contains__)
    settings.on_debugger_off = dialogs.resumed
    dialogs.observe(connection.root)
    connection.deliver("Debugger.paused", {}, None)  # the hub's own, which it resumes
    assert dialogs.current is None
    for ends in (
        lambda: connection.deliver("Debugger.resumed", {}, None),
        lambda: settings.submit(connection.root, "Debugger.disable", {}),
        settings.end,
    ):
        settings.submit(connection.root, "Debugger.enable", {})
        connection.deliver("Debugger.paused", {}, None)
        assert "debugger" in str(dialogs.blocked("click"))
        assert dialogs.blocked("cdp") is None
        ends()
        assert dialogs.current is None


# Freeing a page before it is left.


@pytest.mark.parametrize(("crashed", "awaited"), [(True, None), (False, "https://a.example/slow")])
async def test_a_page_that_has_crashed_or_is_being_left_already_is_left_at_once(
    autojump_clock: MockClock, crashed: bool, awaited: str | None
) -> None:
    main = SimpleNamespace(id="M", crashed=crashed, ask=PendingReply)  # whoever asked it would wait for ever
    page: Any = SimpleNamespace(frames=SimpleNamespace(main=main), awaited=SimpleNamespace(url=awaited))
    await Navigation(page).free_page()
    assert trio.current_time() == 0


# Elements are only asked for in granted documents.


@pytest.fixture
def left() -> World:
    """A tab that has left the grant."""
    world = World()
    world.leave()
    return world


async def test_an_element_of_a_document_outside_the_grant_has_no_node(left: World, autojump_clock: MockClock) -> None:
    element = Element(left.tree.main, 1, "button", "Pay", "button")
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await backend_node_id(element)
    assert left.sent == []


async def test_a_node_of_a_document_outside_the_grant_gets_no_ref(left: World, autojump_clock: MockClock) -> None:
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await element_of(left.tree.main, 7)
    assert left.sent == []


async def test_an_element_that_is_gone_has_no_node() -> None:
    world = World()
    world.run_scripts()
    world.replies["Runtime.evaluate"] = {"result": {"type": "undefined"}}
    with pytest.raises(RefExpired):
        await backend_node_id(Element(world.tree.main, 1, "button", "Pay", "button"))


# What clients' raw commands have set is undone when their grant ends.


AGENT = {"userAgent": "another"}
SCRIPT = {"source": "1"}


class Browser_client_settings:
    """Keeps what it is sent; commands are answered when the test says so."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, Any], str | None]] = []
        self.replies: list[PendingReply] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append((method, params, session_id))
        self.replies.append(PendingReply())
        return self.replies[-1]

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        raise AssertionError("settings are sent one by one")


@pytest.fixture
def browser() -> Browser_client_settings:
    return Browser_client_settings()


@pytest.fixture
def connection(browser: Browser_client_settings) -> CdpConnection:
    return CdpConnection(browser)


def test_settings_and_scripts_are_undone_in_the_session_that_they_were_made_in(
    browser: Browser_client_settings, connection: CdpConnection
) -> None:
    settings, frame = ClientSettings(connection.root), connection.session("F")
    settings.submit(connection.root, "Network.setUserAgentOverride", AGENT)
    settings.submit(frame, "Network.setExtraHTTPHeaders", {"headers": {"x": "1"}})
    settings.submit(connection.root, "Fetch.enable", {})
    settings.submit(connection.root, "Page.addScriptToEvaluateOnNewDocument", SCRIPT)
    browser.replies[-1].resolve({"identifier": "7"})
    settings.submit(connection.root, "DOM.getDocument", {})
    browser.sent.clear()

    settings.end()
    assert sorted(browser.sent, key=str) == [
        ("Fetch.disable", {}, None),
        ("Network.setExtraHTTPHeaders", {"headers": {}}, "F"),
        ("Network.setUserAgentOverride", {"userAgent": ""}, None),
        ("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "7"}, None),
    ]
    browser.sent.clear()
    settings.end()
    assert browser.sent == []


def test_a_script_that_is_added_while_the_grant_ends_is_removed_when_it_is_known(
    browser: Browser_client_settings, connection: CdpConnection
) -> None:
    settings = ClientSettings(connection.root)
    settings.submit(connection.root, "Page.addScriptToEvaluateOnNewDocument", SCRIPT)
    settings.end()
    assert len(browser.sent) == 1
    browser.replies[0].resolve({"identifier": "7"})
    assert browser.sent[1:] == [("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "7"}, None)]


def test_nothing_is_undone_that_the_hub_needs_or_that_has_ended_with_its_session(
    browser: Browser_client_settings, connection: CdpConnection
) -> None:
    settings, frame = ClientSettings(connection.root), connection.session("F")
    for method in ("Emulation.setFocusEmulationEnabled", "Page.setLifecycleEventsEnabled"):
        settings.submit(connection.root, method, {"enabled": True})
    settings.submit(frame, "Network.setUserAgentOverride", AGENT)
    settings.forget(frame)
    browser.sent.clear()
    settings.end()
    assert browser.sent == []
