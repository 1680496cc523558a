"""A raw command on a tab that leaves the grant before, or while, it runs."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.cdp import CdpSession, PendingReply
from kapture.commands.cdp import MAX_EVENTS, Cdp, CdpEvents, EventBuffer, cdp, cdp_events
from kapture.commands.cdp_access import check_command, visible_result
from kapture.commands.cdp_event_access import EventAccess
from kapture.commands.core.context import TabContext
from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from kapture.page.client_settings import ClientSettings
from kapture.page.documents.frames import FrameTree
from kapture.page.tab_memory import LIMIT_BYTES, TabMemory
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


def tab(world: World) -> TabContext:
    made: Any = tab_of(world, client_settings=ClientSettings(world.connection.root))
    made.files = SimpleNamespace(check_upload=lambda path: path)
    return made  # type: ignore[no-any-return]


async def test_a_command_that_names_a_granted_site_is_not_sent_for_a_page_outside_the_grant() -> None:
    world = World()
    world.replies["Network.getCookies"] = {"cookies": []}
    wanted = Cdp(method="Network.getCookies", params={"urls": ["https://a.example/"]})
    await cdp(tab(world), wanted)
    world.sent.clear()
    world.leave()
    with pytest.raises(PolicyDenied):
        await cdp(tab(world), wanted)
    assert world.sent == []


async def test_the_result_of_a_page_that_left_the_grant_while_the_command_ran_is_not_shown() -> None:
    world = World()
    world.replies["Page.getLayoutMetrics"] = {"cssContentSize": {"height": 4711}}
    world.leaving.add("Page.getLayoutMetrics")
    with pytest.raises(PolicyDenied):
        await cdp(tab(world), Cdp(method="Page.getLayoutMetrics"))


# What a client may send and see of CDP on a grant of named sites: the vectors that the extension's tests share.


VECTORS = Path(__file__).parents[2] / "policy"
COMMANDS = json.loads((VECTORS / "cdp_commands.json").read_text())
EVENTS = json.loads((VECTORS / "cdp_events.json").read_text())
CONTEXTS: dict[object, str] = {1: "A", "u1": "A", 3: "B", "u3": "B"}


@attrs.define
class FakeDocuments:
    """A session with the two frames of the vectors."""

    frames: dict[str, str]
    sites: list[str]

    @property
    def any_site(self) -> bool:
        return "*" in self.sites

    @property
    def top_granted(self) -> bool:
        return self.covers(self.frames["A"])

    @property
    def all_granted(self) -> bool:
        return all(map(self.covers, self.frames.values()))

    def covers(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and (self.any_site or parts.hostname in self.sites)

    def frame_granted(self, frame_id: object) -> bool:
        return isinstance(frame_id, str) and frame_id in self.frames and self.covers(self.frames[frame_id])

    def context_granted(self, context: object) -> bool:
        return self.frame_granted(CONTEXTS.get(context))

    def unique_context(self, context: object | None) -> str | None:
        known: dict[object, str] = {None: "u1", 1: "u1", "u1": "u1", 3: "u3", "u3": "u3"}
        return known.get(context)

    def object_granted(self, object_id: object) -> bool:
        parts = str(object_id).split(".")
        return len(parts) == 3 and self.context_granted(int(parts[1]))


def no_upload(path: Path) -> Path:
    raise KaptureError(ErrorCode.POLICY_DENIED, f"{path} lies outside the folders for uploads.")


def documents(vectors: dict[str, Any], *sites: str) -> FakeDocuments:
    return FakeDocuments(vectors["frames"], list(sites or vectors["sites"]))


def passes(method: str, params: dict[str, Any], held: FakeDocuments) -> bool:
    try:
        check_command(method, params, held, no_upload)
    except PolicyDenied:
        return False
    return True


@pytest.mark.parametrize("case", COMMANDS["commands"], ids=lambda one: f"{one['method']} {json.dumps(one['params'])}")
def test_a_client_sends_only_what_touches_the_granted_document(case: dict[str, Any]) -> None:
    assert passes(case["method"], case["params"], documents(COMMANDS)) == case["client"]


@pytest.mark.parametrize("case", COMMANDS["bound"], ids=lambda one: f"{one['method']} {json.dumps(one['params'])}")
def test_code_is_bound_to_the_document_that_was_checked(case: dict[str, Any]) -> None:
    assert check_command(case["method"], case["params"], documents(COMMANDS), no_upload) == case["sent"]


def test_on_a_grant_of_any_site_code_goes_where_the_client_sends_it() -> None:
    params = {"expression": "1", "contextId": 7}
    assert check_command("Runtime.evaluate", params, documents(COMMANDS, "*"), no_upload) == params


@pytest.mark.parametrize("case", EVENTS["sequences"], ids=lambda one: one["name"])
def test_a_client_sees_only_events_of_documents_known_to_be_granted(case: dict[str, Any]) -> None:
    access = EventAccess(documents(EVENTS))
    for event in case["events"]:
        seen = access.passing(event["method"], event["params"])
        assert [method for method, _ in seen] == ([event["method"]] if event["client"] else [])


def test_a_grant_of_any_site_lets_everything_of_the_tab_pass() -> None:
    held = documents(COMMANDS, "*")
    assert passes("DOM.getDocument", {"pierce": True}, held)
    assert passes("Nonsense.method", {}, held)
    assert not passes("Browser.close", {}, held)
    assert not passes("Target.createTarget", {}, held)
    assert not passes("Emulation.setVirtualTimePolicy", {"policy": "pause"}, held)
    assert not passes("Page.navigate", {"url": "file:///etc/passwd"}, held)
    changed = ("DOM.attributeModified", {"nodeId": 1})
    assert EventAccess(held).passing(*changed) == [changed]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("DOM.setFileInputFiles", {"files": ["/home/person/.ssh/id_ed25519"]}),
        ("Input.dispatchDragEvent", {"type": "drop", "x": 1, "y": 1, "data": {"items": [], "files": ["/etc/passwd"]}}),
        ("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": "/home/person"}),
        ("Something.new", {"deep": [{"files": {"one": "/etc/passwd"}}]}),
    ],
)
def test_files_pass_the_rule_for_uploads_on_every_grant(method: str, params: dict[str, Any]) -> None:
    with pytest.raises(PolicyDenied, match="folders for uploads"):
        check_command(method, params, documents(COMMANDS, "*"), no_upload)


def test_kaptures_own_world_is_not_shown() -> None:
    def created(number: int, name: str) -> tuple[str, dict[str, Any]]:
        aux = {"isDefault": not name, "frameId": "A", "type": "isolated" if name else "default"}
        return "Runtime.executionContextCreated", {"context": {"id": number, "name": name, "auxData": aux}}

    def of(method: str, number: int) -> tuple[str, dict[str, Any]]:
        return method, {"executionContextId": number}

    access = EventAccess(documents({"sites": ["*"], "frames": {"A": "https://shop.example/"}}))
    own = [created(2, "kapture"), of("Runtime.bindingCalled", 2), of("Debugger.scriptParsed", 2)]
    others = [created(1, ""), created(3, "utility"), of("Debugger.scriptParsed", 3)]
    ended = [of("Runtime.executionContextDestroyed", 2), of("Runtime.executionContextDestroyed", 1), created(2, "")]
    seen = [event for one in (*own, *others, *ended) for event in access.passing(*one)]
    assert seen == [*others, *ended[1:]]


def test_initiator_of_navigation_is_shown_only_when_every_document_is_granted() -> None:
    stack = {"callFrames": [{"url": "https://bank.test/account?token=1", "functionName": "open"}]}
    sent = {
        "requestId": "1",
        "frameId": "A",
        "type": "Document",
        "request": {"url": "https://shop.example/"},
        "initiator": {"type": "script", "stack": stack},
    }
    [(_, shown)] = EventAccess(documents(EVENTS)).passing("Network.requestWillBeSent", sent)
    assert shown["initiator"] == {"type": "script"}
    both = documents(EVENTS, "shop.example", "bank.test")
    assert EventAccess(both).passing("Network.requestWillBeSent", sent) == [("Network.requestWillBeSent", sent)]
    own = {**sent, "type": "XHR", "documentURL": "https://shop.example/"}
    assert EventAccess(documents(EVENTS)).passing("Network.requestWillBeSent", own) == [
        ("Network.requestWillBeSent", own)
    ]


def test_grant_of_request_follows_its_document_and_target() -> None:
    held = documents(EVENTS, "shop.example", "bank.test")
    access = EventAccess(held)
    url = "https://bank.test/api"
    origin = {"headers": {"Origin": "https://bank.test", "Host": "bank.test"}}
    for method, params in (
        ("Network.webSocketCreated", {"requestId": "socket", "url": "wss://shop.example/live"}),
        ("Network.webSocketCreated", {"requestId": "their socket", "url": "wss://bank.test/live"}),
        ("Network.webSocketWillSendHandshakeRequest", {"requestId": "their socket", "request": origin}),
        ("Network.requestWillBeSent", {"requestId": "1", "frameId": "B", "documentURL": url, "request": {"url": url}}),
        ("Network.requestWillBeSentExtraInfo", {"requestId": "1", "headers": {"Host": "bank.test"}}),
    ):
        assert access.passing(method, params), method
    later: list[tuple[str, dict[str, Any]]] = [
        ("Network.webSocketFrameReceived", {"requestId": "socket", "response": {"payloadData": "whose?"}}),
        ("Network.webSocketFrameReceived", {"requestId": "their socket", "response": {"payloadData": "secret"}}),
        ("Network.eventSourceMessageReceived", {"requestId": "1", "data": "secret"}),
        ("Network.responseReceivedExtraInfo", {"requestId": "1", "headers": {}}),
    ]
    assert all(access.passing(method, params) for method, params in later)
    held.sites.remove("bank.test")
    assert [method for method, params in later if access.passing(method, params)] == []


def test_cookies_of_other_sites_are_left_out_of_results_and_events() -> None:
    vectors = json.loads(Path("tests/policy/cookies.json").read_text("utf-8"))
    held = documents(EVENTS)
    cookies = [{"name": "n", "domain": domain} for domain, _ in vectors["domains"]]
    shown = visible_result("Network.getCookies", {"cookies": cookies}, held)["cookies"]
    assert [one["domain"] for one in shown] == [domain for domain, granted in vectors["domains"] if granted]
    access = EventAccess(held)
    url = "https://shop.example/"
    sent = {"requestId": "1", "frameId": "A", "documentURL": url, "request": {"url": url}}
    assert access.passing("Network.requestWillBeSent", sent) == [("Network.requestWillBeSent", sent)]
    for event in vectors["events"]:
        seen = access.passing(event["method"], event["params"])
        assert event["shown"] is None or seen == [(event["method"], event["shown"])]


def exchange(request_id: str, *, frame: str = "A", host: str = "shop.example") -> list[tuple[str, dict[str, Any]]]:
    """A request, its raw headers, those of its response, and the response."""
    sent = {
        "requestId": request_id,
        "frameId": frame,
        "documentURL": EVENTS["frames"][frame],
        "request": {"url": "https://shop.example/data"},
    }
    raw = {"requestId": request_id, "headers": {":authority": host, "cookie": "a=1"}, "associatedCookies": []}
    response = {"requestId": request_id, "response": {"url": "https://shop.example/data"}}
    return [
        ("Network.requestWillBeSent", sent),
        ("Network.requestWillBeSentExtraInfo", raw),
        ("Network.responseReceivedExtraInfo", {"requestId": request_id, "headers": {"set-cookie": "b=2"}}),
        ("Network.responseReceived", response),
    ]


def seen_of(access: EventAccess, events: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [method.removeprefix("Network.") for event in events for method, _ in access.passing(*event)]


@pytest.mark.parametrize("sites", [["shop.example"], ["*"]], ids=["named sites", "any site"])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3]])
def test_nothing_of_a_granted_request_is_lost_in_whichever_order_it_comes(order: list[int], sites: list[str]) -> None:
    events = exchange("1")
    seen = seen_of(EventAccess(documents(EVENTS, *sites)), [events[number] for number in order])
    assert sorted(seen) == sorted(method.removeprefix("Network.") for method, _ in events)
    assert seen.index("requestWillBeSentExtraInfo") < seen.index("responseReceivedExtraInfo")
    if sites != ["*"]:
        assert seen[0] == "requestWillBeSent"


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3], [2, 1, 0, 3]])
def test_raw_headers_of_another_site_pass_in_no_order(order: list[int]) -> None:
    elsewhere = exchange("1", host="bank.test")
    seen = seen_of(EventAccess(documents(EVENTS)), [elsewhere[number] for number in order])
    assert seen == ["requestWillBeSent", "responseReceived"]
    others = exchange("2", frame="B")
    assert seen_of(EventAccess(documents(EVENTS)), [others[number] for number in order]) == []


def test_raw_headers_that_wait_are_bounded() -> None:
    access = EventAccess(documents(EVENTS))
    [sent, raw, *_] = exchange("1")
    for number in range(200):
        assert access.passing(raw[0], {**raw[1], "requestId": str(number)}) == []
    assert seen_of(access, [(sent[0], {**sent[1], "requestId": "0"})]) == ["requestWillBeSent"]
    assert len(seen_of(access, [(sent[0], {**sent[1], "requestId": "199"})])) == 2
    for _ in range(50):
        access.passing(raw[0], {**raw[1], "requestId": "again"})
    assert len(seen_of(access, [(sent[0], {**sent[1], "requestId": "again"})])) == 5


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A parser-blocking script at https://shop.example/a.js, loaded by https://shop.example/", True),
        ("WebSocket connection to 'wss://shop.example/live' failed", True),
        ("Access to fetch at 'https://bank.example/private?token=1' has been blocked by CORS policy", False),
        ("WebSocket connection to 'wss://bank.example/live' failed", False),
    ],
)
def test_a_log_entry_that_names_an_address_of_another_site_is_not_seen(text: str, seen: bool) -> None:
    held = FakeDocuments({"A": "https://shop.example/"}, ["shop.example"])
    entry = {"source": "javascript", "text": text, "url": "https://shop.example/"}
    assert bool(EventAccess(held).passing("Log.entryAdded", {"entry": entry})) is seen


def test_entries_that_the_browser_repeats_may_be_of_documents_that_are_gone() -> None:
    access = EventAccess(FakeDocuments({"A": "https://shop.example/"}, ["shop.example"]))
    entry = {"source": "security", "text": "of whom?"}
    access.sent("Log.enable", reply := PendingReply())
    assert access.passing("Log.entryAdded", {"entry": entry}) == []
    reply.resolve({})
    assert access.passing("Log.entryAdded", {"entry": entry}) == [("Log.entryAdded", {"entry": entry})]


OUTSIDE = FakeDocuments({"A": "https://bank.test/", "B": "https://shop.example/"}, ["shop.example"])


def test_session_of_closed_document_passes_only_messages_naming_another() -> None:
    for method in ("Page.reload", "Page.getLayoutMetrics", "Page.bringToFront"):
        assert passes(method, {}, documents(COMMANDS))
        assert not passes(method, {}, OUTSIDE), method
    assert passes("Runtime.evaluate", {"expression": "1", "contextId": 3}, OUTSIDE)
    for held, seen in ((documents(EVENTS), 1), (OUTSIDE, 0)):
        assert len(EventAccess(held).passing("Page.loadEventFired", {"timestamp": 1})) == seen


def test_requests_of_a_closed_document_are_not_seen_wherever_they_go_and_whatever_its_frame_shows_later() -> None:
    held = documents(EVENTS)
    access, url = EventAccess(held), "https://shop.example/data"
    by_frame = {"requestId": "1", "frameId": "B", "type": "Document", "request": {"url": url}}
    by_nobody = {"requestId": "2", "type": "Fetch", "documentURL": url, "request": {"url": url}}
    assert seen_of(access, [("Network.requestWillBeSent", by_frame), ("Network.requestWillBeSent", by_nobody)]) == []
    assert access.passing("Network.webSocketCreated", {"requestId": "3", "url": "wss://shop.example/live"}) == []
    held.frames["B"] = "https://shop.example/own"
    redirected = ("Network.requestWillBeSent", {**by_frame, "redirectResponse": {"url": url}})
    received = {"response": {"payloadData": "whose?"}}
    later = [("Network.loadingFinished", {"requestId": number}) for number in ("1", "2")]
    socket = [("Network.webSocketFrameReceived", {"requestId": "3", **received})]
    assert seen_of(access, [*later, *socket, redirected]) == []


# The buffer of raw events.


def filled(count: int) -> EventBuffer:
    buffer = EventBuffer()
    for _ in range(count):
        buffer.add("A.b", {}, None)
    return buffer


@given(st.integers(0, 3 * MAX_EVENTS), st.integers(1, 700), st.integers(0, 50))
def test_reading_by_cursor_gives_every_kept_event_once_and_counts_the_others(
    count: int, limit: int, start: int
) -> None:
    buffer = filled(count)
    cursor, seen, missed = start, [], None
    while True:
        events, dropped = buffer.read(cursor, None, limit)
        missed = dropped if missed is None else missed
        if not events:
            break
        seen += [event.number for event in events]
        cursor = seen[-1]
    assert seen == list(range(max(start, count - MAX_EVENTS) + 1, count + 1))
    assert missed == max(0, count - MAX_EVENTS - start)


def test_large_events_do_not_grow_the_buffer() -> None:
    buffer = EventBuffer()
    memory = TabMemory()
    memory.add("events", buffer.kept)
    for _ in range(100):
        buffer.add("A.b", {"text": "x" * 90_000}, None)
    events, missed = buffer.read(0, None, MAX_EVENTS)
    assert LIMIT_BYTES / 2 < sum(len(event.params["text"]) for event in events) <= LIMIT_BYTES
    assert missed == 100 - len(events)
    buffer.add("A.b", {"text": "x" * 1_000_000}, None)
    assert "dropped" in buffer.read(buffer.last - 1, None, 1)[0][0].params


def test_only_the_events_asked_for_are_read() -> None:
    buffer = EventBuffer()
    for method in ("A.b", "C.d", "A.b"):
        buffer.add(method, {}, None)
    assert [event.number for event in buffer.read(0, ["A.b"], 10)[0]] == [1, 3]


class EnablingWorld(World):
    """One that keeps its answers to `Log.enable` back."""

    def __init__(self) -> None:
        self.enabled: list[PendingReply] = []
        super().__init__()

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = super().submit(method, params, session_id)
        if method == "Log.enable":
            self.enabled.append(reply)
        return reply


@attrs.define
class Tab:
    """A tab whose client subscribes to events; it is its own page and client."""

    frames: FrameTree
    kept: dict[str, Any] = attrs.field(factory=dict)
    memory: TabMemory = attrs.field(factory=TabMemory)
    sessions: list[CdpSession] = attrs.field(factory=list)
    subscriptions: WeakSet[Any] = attrs.field(factory=WeakSet)
    observers: list[Callable[[CdpSession], Awaitable[None]]] = attrs.field(factory=list)

    @property
    def page(self) -> Tab:
        return self

    @property
    def client(self) -> Tab:
        return self

    def gate(self, url: str) -> bool:
        return url.startswith("https://a.example/")

    def on_session(self, observer: Callable[[CdpSession], Awaitable[None]]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)


async def test_repeated_events_of_new_session_are_not_collected() -> None:
    world = EnablingWorld()
    tab: Any = Tab(world.tree)
    await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded"]))
    [observe] = tab.observers
    await observe(world.connection.root)
    for text in ("repeated", "new"):
        world.event("Log.entryAdded", entry={"source": "security", "text": text})
        for reply in world.enabled:
            reply.resolve({})
    answer = await cdp_events(tab, CdpEvents(action="read"))
    assert [event.params["entry"]["text"] for event in answer.events] == ["new"]


def subscribed(world: World) -> Any:
    """A tab with one session."""
    return Tab(world.tree, sessions=[world.connection.root])


async def test_a_buffer_that_is_subscribed_to_nothing_leaves_the_page_until_it_is_again() -> None:
    world = EnablingWorld()
    tab = subscribed(world)
    await cdp_events(tab, CdpEvents(action="read"))
    assert tab.observers == []
    for text in ("first", "second"):
        await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded"]))
        world.enabled.pop().resolve({})
        world.event("Log.entryAdded", entry={"source": "security", "text": text})
        await cdp_events(tab, CdpEvents(action="unsubscribe", events=["Log.entryAdded"]))
        world.event("Log.entryAdded", entry={"source": "security", "text": "between"})
        assert tab.observers == []
    answer = await cdp_events(tab, CdpEvents(action="read"))
    assert [event.params["entry"]["text"] for event in answer.events] == ["first", "second"]


async def test_a_buffer_that_was_dropped_with_its_client_leaves_the_page() -> None:
    world = World()
    tab = subscribed(world)
    await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded"]))
    tab.kept.clear()
    world.event("Log.entryAdded", entry={"source": "security", "text": "late"})
    assert tab.observers == []


async def test_a_subscription_that_is_refused_subscribes_to_nothing() -> None:
    world = World()
    tab = subscribed(world)
    with pytest.raises(KaptureError) as refused:
        await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded", "Page.frameResized"]))
    assert refused.value.code is ErrorCode.POLICY_DENIED
    assert (await cdp_events(tab, CdpEvents(action="read"))).subscribed == []
