"""A page's requests on the network, in a real browser."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trio

from kapture.errors import ErrorCode
from tests.support.context import Tab, open_tab
from tests.support.network_pages import PIXEL, ended, fetch, network_site, whole
from tests.support.site import Site

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with network_site() as served:
        yield served


@pytest.fixture
async def tab(browser: int, site: Site) -> AsyncIterator[Tab]:
    async with open_tab(browser, site.url("/")) as opened:
        yield opened


async def test_requests_are_listed_newest_first_and_selected(tab: Tab, site: Site) -> None:
    await fetch(tab, "/api?1")
    await fetch(tab, "/nowhere", "{method: 'POST', body: 'x'}")
    await ended(tab, "*/nowhere")

    async def selected(**filters: Any) -> list[str]:
        rows = (await tab.data("network", **filters))["requests"]
        return [row["url"].removeprefix(site.url()) for row in rows]

    assert await selected() == ["nowhere", "api?1", ""]
    assert await selected(url="*/api?1") == ["api?1"]
    assert await selected(url="*/api") == []
    assert await selected(method="post") == ["nowhere"]
    assert await selected(type="document") == [""]
    assert await selected(status="4xx") == await selected(status=404) == ["nowhere"]
    assert await selected(status="2xx") == ["api?1", ""]
    assert await selected(max=1) == ["nowhere"]
    cursor = (await tab.data("network"))["cursor"]
    await fetch(tab, "/api?2")
    assert await selected(since=cursor) == ["api?2"]


async def test_a_request_is_shown_with_headers_and_bodies_both_ways(tab: Tab, site: Site) -> None:
    await tab.page.evaluate("document.cookie = 'session=hidden'")
    await fetch(
        tab, "/api", "{method: 'POST', headers: {'X-Mine': 'yes', Authorization: 'Bearer x'}, body: '{\"b\":2}'}"
    )
    answer = await whole(tab, "*/api")
    assert answer["request"]["status"] == "200"
    assert answer["request_body"] == {"bytes": 7, "text": '{"b":2}', "truncated": False}
    assert answer["response_body"]["text"] == '{"a": 1}'
    sent = {name.lower(): value for name, value in answer["request_headers"].items()}
    assert (sent["x-mine"], sent["authorization"], sent["cookie"]) == ("yes", "(redacted)", "(redacted)")
    text = await tab.text("network_request", id=answer["request"]["id"])
    assert '{"a": 1}' in text
    assert "hidden" not in text


async def test_binary_that_the_page_sends_is_kept_as_it_was(tab: Tab) -> None:
    await fetch(tab, "/api", "{method: 'POST', body: new Uint8Array([255, 0, 254, 10])}")
    answer = await whole(tab, "*/api")
    assert base64.b64decode(answer["request_body"]["base64"]) == bytes([255, 0, 254, 10])
    await fetch(tab, "/api?big", "{method: 'POST', body: 'y'.repeat(100_000)}")
    assert (await whole(tab, "*/api?big"))["request_body"]["bytes"] == 100_000


async def test_redirects_keep_one_entry_that_lists_the_hops(tab: Tab, site: Site) -> None:
    await fetch(tab, "/old")
    answer = await whole(tab, "*/api")
    assert answer["redirects"] == [f"301 {site.url('/old')}", f"302 {site.url('/older')}"]
    assert answer["request"]["status"] == "200"
    assert "location" not in {name.lower() for name in answer["response_headers"]}


async def test_requests_that_fail_and_those_from_the_cache_say_so(tab: Tab) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        port = probe.getsockname()[1]
        await fetch(tab, f"http://127.0.0.1:{port}/")
    answer = await whole(tab, f"http://127.0.0.1:{port}/")
    assert (answer["request"]["status"], answer["failure"]) == ("failed", "net::ERR_CONNECTION_REFUSED")
    assert (await tab.data("network", status="failed"))["requests"][0]["id"] == answer["request"]["id"]
    await fetch(tab, "/cached")
    await fetch(tab, "/cached")
    assert (await ended(tab, "*/cached"))["status"] == "200(cache)"


async def test_frames_in_other_processes_and_workers_are_seen_whole(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/frames"))
    inner = await whole(tab, "*/inner")
    assert inner["request"]["type"] == "document"
    assert "fetch('/api?inner')" in inner["response_body"]["text"]
    assert (await whole(tab, "*localhost*/api?inner"))["response_body"]["text"] == '{"a": 1}'
    await tab.page.evaluate("void (window.kept = new Worker('/worker.js'))")
    assert (await whole(tab, "*/worker.js"))["request"]["type"] == "script"
    assert (await whole(tab, "*/api?worker"))["response_body"]["text"] == '{"a": 1}'


async def test_service_worker_response_is_marked(tab: Tab) -> None:
    await tab.page.evaluate(
        """navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then(() =>
            navigator.serviceWorker.controller ||
            new Promise(resolve => navigator.serviceWorker.oncontrollerchange = () => resolve()))"""
    )
    assert await fetch(tab, "/made") == "by worker"
    assert (await ended(tab, "*/made"))["status"] == "200(worker)"
    await tab.page.evaluate("navigator.serviceWorker.getRegistration().then(found => found.unregister())")


async def test_console_lines_name_the_worker_or_frame_that_they_come_from(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/frames"))
    await tab.page.evaluate(
        """(async () => {
            await navigator.serviceWorker.register("/sw.js?console");
            const frame = document.body.appendChild(document.createElement("iframe"));
            frame.contentWindow.console.log("from frame");
            window.kept = new Worker("data:text/javascript,console.log('from worker')");
            console.log("from page");
        })()"""
    )

    async def places() -> dict[str, list[str]]:
        entries = (await tab.data("logs", text="from ", since=0, watch_ms=50))["entries"]
        return {text: [one["place"] for one in entries if one["message"] == text] for text in
                ("from page", "from frame", "from worker", "from sw")}  # fmt: skip

    with trio.fail_after(30):
        while not all((found := await places()).values()):
            pass
    await tab("reload")  # Chromium replays the service worker's line
    found = await places()
    assert found["from page"] == [""]
    assert found["from frame"][0].startswith("frame f")
    assert found["from worker"] == ["worker"]
    assert found["from sw"] == [f"service worker of {site.url('').rstrip('/')}"]
    await tab.page.evaluate("navigator.serviceWorker.getRegistration().then(found => found.unregister())")


async def test_requests_of_documents_outside_the_grant_are_withheld(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/frames"))
    request = (await ended(tab, "*localhost*/api?inner"))["id"]
    tab.page.gate = lambda url: "localhost" not in url
    answer = await tab.data("network", url="*localhost*")
    assert answer["requests"] == []
    assert answer["hidden"] >= 2
    assert (await tab.fails("network_request", id=request)).code is ErrorCode.POLICY_DENIED
    (file,) = (await tab("har")).parts
    assert "localhost" not in base64.b64decode(file.base64).decode()


async def test_bodies_of_other_sites_are_shown_only_if_the_page_may_read_them(tab: Tab, site: Site) -> None:
    # It may be read by everybody, but a page cannot read what it asked for without CORS.
    await tab.page.evaluate(f"fetch({json.dumps(site.url('/api?opaque', 'localhost'))}, {{mode: 'no-cors'}})")
    await fetch(tab, site.url("/api", "localhost"))
    ids = [(await ended(tab, f"*localhost*{path}"))["id"] for path in ("/api?opaque", "/api")]
    tab.page.gate = lambda url: "localhost" not in url
    opaque, readable = [await tab.data("network_request", id=one) for one in ids]
    assert opaque.get("response_body") is None
    assert "outside the grant" in opaque["body_error"]
    assert readable["response_body"]["text"] == '{"a": 1}'
    for shown in (opaque, readable):
        assert shown["request"]["url"] == f"http://localhost:{site.port}/…"
        assert not shown.get("request_headers")
        assert not shown.get("response_headers")


async def test_waiting_for_a_response_ends_when_it_does(tab: Tab) -> None:
    start = (await tab.data("network"))["cursor"]
    await tab.page.evaluate("void setTimeout(() => fetch('/api?late'), 100)")
    answer = await tab.data("wait_for_response", url="*/api?late", status="2xx", since=start)
    assert (answer["request"]["status"], answer["request"]["method"]) == ("200", "GET")
    before = (await tab.data("network"))["cursor"]
    await fetch(tab, "/api?early")
    cursor = (await tab.data("wait_for_response", url="*/api?early", since=before))["cursor"]
    assert cursor > before
    assert (await tab.data("network", url="*/api?early", since=cursor))["requests"] == []
    late = await tab.fails("wait_for_response", url="*/never", timeout=200)
    assert late.code is ErrorCode.COMMAND_TIMEOUT


async def test_event_streams_and_sockets_show_their_messages(tab: Tab, site: Site) -> None:
    await tab.page.evaluate(
        """new Promise(resolve => {
            const source = new EventSource("/events")
            source.onmessage = () => { source.close(); resolve() }
        })"""
    )
    stream = (await tab.data("network", type="eventsource"))["requests"][0]
    assert (await tab.data("network_request", id=stream["id"]))["messages"] == ["← tick: one", "← message: two"]
    with echoing() as port:
        await tab.page.evaluate(
            f"""new Promise((resolve, reject) => {{
                const socket = new WebSocket("ws://127.0.0.1:{port}/echo")
                socket.onopen = () => socket.send("hello")
                socket.onmessage = () => socket.close()
                socket.onclose = resolve
                socket.onerror = reject
            }})"""
        )
    answer = await whole(tab, "ws://*/echo")
    assert (answer["request"]["type"], answer["request"]["status"]) == ("websocket", "101")
    assert answer["messages"] == ["→ hello", "← hello"]
    assert "← hello" in await tab.text("network_request", id=answer["request"]["id"])


async def test_bodies_that_take_too_long_to_convert_end_the_har_alone(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fetch(tab, "/api")
    await ended(tab, "*/api")
    with monkeypatch.context() as patched:
        patched.setattr("kapture.commands.core.worker.LIMIT_S", 0.0)
        error = await tab.fails("har", bodies=True, url="*/api")
    assert error.code is ErrorCode.EXECUTION_ERROR
    assert (await tab("har", bodies=True, url="*/api")).parts


async def test_the_har_holds_every_request_with_its_body(tab: Tab, site: Site) -> None:
    await fetch(tab, "/old")
    await fetch(tab, "/api?q=1&q=2", "{method: 'POST', headers: {'Content-Type': 'text/plain'}, body: 'sent'}")
    await fetch(tab, "/pixel.png")
    await ended(tab, "*/pixel.png")
    result = await tab("har", bodies=True, url="*")
    (file,) = result.parts
    assert (file.mime_type, file.name) == ("application/json", "network.har")
    log = json.loads(base64.b64decode(file.base64))["log"]
    assert log["version"] == "1.2"
    assert log["creator"]["name"] == "Kapture"
    by_url = {entry["request"]["url"].removeprefix(site.url()): entry for entry in log["entries"]}
    posted = by_url["api?q=1&q=2"]
    assert posted["request"]["postData"] == {"mimeType": "text/plain", "text": "sent"}
    assert posted["request"]["queryString"] == [{"name": "q", "value": "1"}, {"name": "q", "value": "2"}]
    assert posted["response"]["content"]["text"] == '{"a": 1}'
    assert base64.b64decode(by_url["pixel.png"]["response"]["content"]["text"]) == PIXEL
    assert [by_url[path]["response"]["status"] for path in ("old", "older", "api")] == [301, 302, 200]
    assert by_url["old"]["response"]["redirectURL"] == site.url("/older")
    for entry in log["entries"]:
        timings = entry["timings"]
        assert entry["time"] == pytest.approx(sum(value for value in timings.values() if value >= 0))
        assert set(entry) >= {"startedDateTime", "time", "request", "response", "cache", "timings"}


@contextmanager
def echoing() -> Iterator[int]:
    """A WebSocket server for one connection that sends one short text back."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(4_096)
            key = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
            token = key.partition(b":")[2].strip() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(token, usedforsecurity=False).digest())
            connection.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
            for answer in (0x81, 0x88):  # the text, then the close
                frame = connection.recv(4_096)
                mask, masked = frame[2:6], frame[6:]
                text = bytes(byte ^ mask[index % 4] for index, byte in enumerate(masked))
                connection.sendall(bytes([answer, len(text)]) + text)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        thread.join(10)
        listener.close()
