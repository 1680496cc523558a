"""Redaction of requests before they are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import attrs
import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import CdpConnection, PendingReply
from kapture.commands.cookies import Cookies, cookies
from kapture.commands.core.context import TabContext
from kapture.commands.emulation import Emulate, Viewport, emulate, end_emulation
from kapture.commands.network import NetworkAnswer, as_granted, may_be_read, redacted_body, request_line
from kapture.errors import PolicyDenied
from kapture.page import Page
from kapture.page.capture import viewport
from kapture.page.network.network_request import Request
from kapture.page.typed_secrets import TypedSecrets
from tests.support.network_log import observed, send
from tests.support.one_document import OneDocument
from tests.unit.page.frame_world import World

FORM = "application/x-www-form-urlencoded;charset=UTF-8"
JSON = "application/json"
PARTS = (
    b'--X\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r\n'
    b'--X\r\nContent-Disposition: form-data; name="pass_word"\r\n\r\nhunter2\r\n--X--\r\n'
)


@pytest.mark.parametrize(
    ("kind", "sent", "shown"),
    [
        (FORM, b"user=ada&password=hunter2&next=%2F", b"user=ada&password=(redacted)&next=%2F"),
        (FORM, b"user%5Bpass+word%5D=hunter2&a", b"user%5Bpass+word%5D=(redacted)&a"),
        (JSON, b'{"user":"ada","login":[{"newPassword":"hunter2","pin":1234}]}', None),
        (JSON, b'[{"name": "password", "value": "hunter2"}, {"value": 1234, "name": "pin"}]', None),
        ("text/plain", b' {"refresh_token": "hunter2"}', None),
        ("multipart/form-data; boundary=X", PARTS, PARTS.replace(b"hunter2", b"(redacted)")),
    ],
)
def test_the_values_of_secret_fields_are_not_shown(kind: str, sent: bytes, shown: bytes | None) -> None:
    found = redacted_body({"content-type": kind}, sent, TypedSecrets())
    assert b"hunter2" not in found
    assert b"1234" not in found
    assert b"(redacted)" in found
    assert shown is None or found == shown


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (FORM, b"passage=long&compass=north&secretary=ada&q=password"),
        (JSON, b'{ "text": "my password", "password": {"rules": []}, "password_set": true }'),
        (JSON, b'{"password": "cut off'),
        (JSON, b"[" * 5_000),
        ("multipart/form-data", PARTS),
        ("", b"\xff\xfe password=x"),
    ],
)
def test_anything_else_is_shown_as_it_was_sent(kind: str, sent: bytes) -> None:
    assert redacted_body({"Content-Type": kind}, sent, TypedSecrets()) == sent


@pytest.mark.parametrize(("sent", "told"), [(90, " (112 characters)"), (1_000_000, "")])
async def test_data_url_is_shown_by_beginning_and_known_length(sent: int, told: str) -> None:
    log, connection = await observed()
    send(connection, "1", "data:image/png;base64," + "A" * sent)
    (request,) = log.newest_first()
    line = request_line(request)
    shown = f"data:image/png;base64,{'A' * 38}…{told}"
    assert line.url == shown
    assert NetworkAnswer(requests=[line], cursor=1, more=0, hidden=0).text().split("\n")[0].endswith(f" {shown}")


def only_shop(url: str) -> bool:
    return url.startswith("https://shop.test/")


async def test_request_that_left_grant_is_shown_without_details() -> None:
    log, connection = await observed()
    send(connection, "1", "https://bank.test/private?token=1")
    (request,) = log.newest_first()
    request.status, request.status_text, request.bytes, request.mime_type = 200, "secret", 12, "text/secret"
    request.response_headers = {"X-Secret": "1"}
    request.messages.append("← secret")
    request.body = b"pin"
    shown = as_granted(request, only_shop)
    assert shown is not None
    assert (shown.method, shown.url, shown.status, shown.bytes) == ("GET", "https://bank.test/…", 200, 12)
    assert not shown.headers
    assert not shown.response_headers
    assert not shown.messages
    assert (shown.body, shown.has_body, shown.status_text, shown.mime_type) == (None, False, "", "")
    assert request.url == "https://bank.test/private?token=1", "the log itself keeps it"


async def test_a_request_of_a_document_that_is_not_known_to_be_granted_is_nobodys() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/api")
    (request,) = log.newest_first()
    for owners in (("unknown:",), ("https://bank.test/",), ("https://shop.test/", "https://bank.test/")):
        request.owners = owners
        assert as_granted(request, only_shop) is None


async def test_redirect_targets_outside_grant_are_not_shown() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/back")
    (request,) = log.newest_first()
    request.redirects = [(302, "https://shop.test/go"), (302, "https://user:pw@bank.test/in?code=1")]
    request.response_headers = {"Location": "https://bank.test/next?code=2", "X": "1"}
    shown = as_granted(request, only_shop)
    assert shown is not None
    assert shown.redirects == [(302, "https://shop.test/go"), (302, "https://bank.test/…")]
    assert shown.response_headers == {"Location": "https://bank.test/…", "X": "1"}


@pytest.mark.parametrize(
    "spelled",
    [
        "HTTP:{}",
        "{}",
        "/{}",
        "\\\\bank.test/next?code=2",
        "/\\bank.test\\next?code=2",
        "https:{}",
        "//me[@bank.test/code=2",
    ],
)
async def test_however_a_redirect_out_of_the_grant_is_spelled(spelled: str) -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/back")
    (request,) = log.newest_first()
    request.response_headers = {"location": spelled.format("//bank.test/next?code=2")}
    shown = as_granted(request, only_shop)
    assert shown is not None
    assert "code=2" not in shown.response_headers["location"]


BODIES = json.loads(Path("tests/policy/bodies.json").read_text("utf-8"))["requests"]


async def observed_body(case: dict[str, Any], order: str = "heads first") -> tuple[Request, CdpConnection]:
    log, connection = await observed()

    def heads() -> None:
        for head in case["heads"]:
            raw = {"requestId": "1", "headers": head, "associatedCookies": []}
            connection.deliver("Network.requestWillBeSentExtraInfo", raw, None)

    if order == "heads first":
        heads()
    for at, url in enumerate(case["hops"]):
        redirect = {"redirectResponse": {"status": 302, "url": case["hops"][at - 1]}} if at else {}
        asked = {"url": url, "method": case["method"], "headers": {}}
        document = "https://shop.example/"
        send(connection, "1", url, type=case["type"], request=asked, documentURL=document, **redirect)
    if order == "heads last":
        heads()
    answered = {"url": case["hops"][-1], "status": 200, "mimeType": "", **case["response"]}
    connection.deliver("Network.responseReceived", {"requestId": "1", "type": case["type"], "response": answered}, None)
    return log.get("r1"), connection


@pytest.mark.parametrize("order", ["heads first", "heads last"])
@pytest.mark.parametrize("case", BODIES, ids=lambda case: case["name"])
async def test_a_body_may_be_read_as_the_page_could_read_it(case: dict[str, Any], order: str) -> None:
    request, _ = await observed_body(case, order)
    assert may_be_read(request, lambda url: url.startswith("https://shop.example/")) is case["readable"]


async def test_a_body_of_another_site_that_the_browser_refused_is_not_read() -> None:
    case = next(one for one in BODIES if one["name"] == "cookies and credentials")
    request, connection = await observed_body(case)
    failure = {"requestId": "1", "timestamp": 11.0, "errorText": "net::ERR_FAILED"}
    connection.deliver("Network.loadingFailed", failure, None)
    assert not may_be_read(request, lambda url: url.startswith("https://shop.example/"))


WORKER = {"fromServiceWorker": True, "serviceWorkerResponseSource": "network"}


@pytest.mark.parametrize(
    ("kind", "response", "readable"),
    [
        ("Image", WORKER, False),
        ("Script", {**WORKER, "serviceWorkerResponseSource": "cache-storage"}, False),
        ("Fetch", WORKER, False),
        ("Fetch", {"fromServiceWorker": True}, False),
        ("Fetch", {**WORKER, "serviceWorkerResponseSource": "fallback-code"}, True),
        ("Document", WORKER, True),
        ("XHR", WORKER, True),
        ("Fetch", {}, True),
    ],
)
async def test_service_worker_response_from_other_site_is_not_attributed_to_this_site(
    kind: str, response: dict[str, Any], readable: bool
) -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/picture", type=kind)
    answered = {"url": "https://shop.test/picture", "status": 200, "mimeType": "text/x", "headers": {"X": "private"}}
    event = {"requestId": "1", "type": kind, "response": {**answered, **response}}
    connection.deliver("Network.responseReceived", event, None)
    (request,) = log.newest_first()
    assert may_be_read(request, only_shop) is readable
    shown = as_granted(request, only_shop)
    assert shown is not None
    assert shown.response_headers == ({"X": "private"} if readable else {})
    assert may_be_read(request, lambda _: True), "a grant of any site covers where it came from"
    assert as_granted(request, lambda _: True) == request


# Cookies: for the document that is granted, also when the tab has gone elsewhere since the call was admitted.


THEME = Cookies(action="set", name="theme", value="dark")


def allowed(url: str) -> bool:
    return url.startswith(("https://a.example/", "http://a.example/"))


class Browser(World):
    """A browser that takes every cookie."""

    def __init__(self) -> None:
        super().__init__()
        self.replies["Network.setCookie"] = {"success": True}
        self.replies["Network.deleteCookies"] = {}
        self.asked: list[list[str]] = []
        self.deleted: list[str] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == "Network.getCookies":
            self.asked.append(params["urls"])
        if method == "Network.deleteCookies":
            self.deleted.append(params["name"])
        return super().submit(method, params, session_id)

    def tab(self) -> TabContext:
        page = SimpleNamespace(frames=self.tree, url=self.tree.main.url, connection=self.connection, gate=allowed)
        return cast("TabContext", SimpleNamespace(page=page))


async def test_no_cookie_is_set_on_a_page_outside_the_grant_that_the_tab_has_gone_to() -> None:
    browser = Browser()
    browser.navigate("M", "https://secret.example/", None)
    with pytest.raises(PolicyDenied):
        await cookies(browser.tab(), THEME)


PARENT = {"name": "session", "value": "1", "domain": ".example", "path": "/", "httpOnly": True}
OWN = {"name": "own", "value": "2", "domain": "a.example", "path": "/"}


@pytest.mark.parametrize("action", ["get", "delete", "clear"])
async def test_no_cookie_of_the_domain_above_is_read_or_removed(action: Literal["get", "delete", "clear"]) -> None:
    browser = Browser()
    browser.replies["Network.getCookies"] = {"cookies": [PARENT, OWN]}
    name = "session" if action == "delete" else None
    jar = await cookies(browser.tab(), Cookies(action=action, name=name))
    assert [cookie["name"] for cookie in jar.cookies] == (["own"] if action == "get" else [])
    assert browser.deleted == (["own"] if action == "clear" else [])


@pytest.mark.parametrize("domain", ["example", ".example", "b.example"])
async def test_no_cookie_is_set_for_a_domain_outside_the_grant(domain: str) -> None:
    with pytest.raises(PolicyDenied):
        await cookies(Browser().tab(), Cookies(action="set", name="theme", value="dark", domain=domain))


async def test_cookies_are_listed_for_granted_documents_only() -> None:
    browser = Browser()
    browser.replies["Network.getCookies"] = {"cookies": []}
    browser.attach("A")
    browser.navigate("A", "https://secret.example/account")
    await cookies(browser.tab(), Cookies(action="get"))
    assert browser.asked == [["https://a.example/"]]


# What is emulated is undone when it is refused, and when its grant ends, also while it is being set.


METRICS = {"width": 800, "height": 600, "scrollX": 0, "scrollY": 0, "fullWidth": 800, "fullHeight": 600, "ratio": 1}
SHOWN = {"viewport": [800, 600], "deviceScale": 1}


class Document(OneDocument):
    """One that keeps what is emulated, by method. Methods in `unanswered` get no answer."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {"userAgent": "Own", "documentState": SHOWN, "metrics": METRICS}
        self.emulated: dict[str, Mapping[str, Any]] = {}
        self.unanswered: set[str] = set()

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method.startswith("Emulation.clear"):
            self.emulated.pop(method.replace("clear", "set"), None)
        elif method.startswith("Emulation."):
            self.emulated[method] = params
        return PendingReply() if method in self.unanswered else super()._reply(method, params, session_id)


@attrs.frozen
class Tab:
    """The part of a command's context that the command uses."""

    document: Document
    page: Page

    async def emulate(self, **wanted: Any) -> None:
        await emulate(SimpleNamespace(page=self.page), Emulate(**wanted))  # type: ignore[arg-type]


@pytest.fixture
async def tab(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> Tab:
    monkeypatch.setattr(Page, "sessions", property(lambda page: (page.connection.root,)))
    document = Document()
    return Tab(document, document.page(nursery))


async def test_settings_of_cancelled_call_are_undone_when_grant_ends(tab: Tab, nursery: trio.Nursery) -> None:
    tab.document.unanswered = {"Emulation.setTouchEmulationEnabled"}
    with trio.CancelScope() as call:
        nursery.start_soon(_when_waiting, call.cancel)
        await tab.emulate(touch=True, viewport=Viewport(width=390, height=844))
    assert tab.document.emulated["Emulation.setTouchEmulationEnabled"] == {"enabled": True}
    end_emulation(tab.page)
    assert tab.document.emulated == {"Emulation.setTouchEmulationEnabled": {"enabled": False}}
    assert tab.page.device_metrics is None


async def test_a_viewport_for_a_picture_is_undone_if_the_call_is_cancelled(tab: Tab, nursery: trio.Nursery) -> None:
    tab.document.unanswered = {"Emulation.setDeviceMetricsOverride"}
    with trio.CancelScope() as call:
        nursery.start_soon(_when_waiting, call.cancel)
        async with viewport(tab.page, 390, None):
            pytest.fail("It was not answered.")
    assert "Emulation.setDeviceMetricsOverride" not in tab.document.emulated


async def _when_waiting(do: Any) -> None:
    await wait_all_tasks_blocked()
    do()


@pytest.mark.parametrize("parameter", ["locale", "timezone", "user_agent"])
def test_kept_emulation_settings_are_bounded(parameter: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="length"):
        msgspec.convert({parameter: "a" * 2_001}, Emulate)
