"""The hub's port, from where it must not be reached: pages of other origins, forged hosts, wrong or replayed proofs."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trio
from trio_websocket import ConnectionRejected, open_websocket_url

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.cdp import CdpConnection
from kapture.client.mcp_client import open_client
from kapture.pairing import KeyFile, key_file
from tests.support.direct import devtools_port, direct_page
from tests.support.patience import evaluate, until
from tests.support.stack import HubProcess

pytestmark = pytest.mark.e2e


EXTENSION = "chrome-extension://jjllhgagajepglkofmhapipikepcofkp"


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[int]:
    """A web server of another origin; its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def secrets_of(hub: HubProcess) -> KeyFile:
    return key_file.read(hub.home)


# A page tries everything that a page can. Each try says what it got: "refused", or anything it could read.
TRIES = """async port => {
  const socket = (url, protocols) => new Promise(resolve => {
    const ws = new WebSocket(url, protocols);
    ws.onopen = () => { ws.close(); resolve("OPEN"); };
    ws.onmessage = () => resolve("MESSAGE");
    ws.onerror = () => resolve("refused");
  });
  const get = (url, options) => fetch(url, options).then(
    async answer => answer.type === "opaque" ? "opaque" : `READ ${answer.status} ${await answer.text()}`,
    () => "refused");
  const events = url => new Promise(resolve => {
    const source = new EventSource(url);
    source.onopen = () => { source.close(); resolve("OPEN"); };
    source.onerror = () => { source.close(); resolve("refused"); };
  });
  const script = url => new Promise(resolve => {
    const element = document.createElement("script");
    element.onload = () => resolve("LOADED");
    element.onerror = () => resolve("refused");
    element.src = url;
    document.head.append(element);
  });
  const framed = url => new Promise(resolve => {
    const frame = document.createElement("iframe");
    frame.onload = () => {
      let got = "refused";
      try { if (frame.contentDocument) got = "READABLE " + frame.contentDocument.title; } catch {}
      resolve(frame.contentWindow.length ? "FRAMES" : got);
    };
    frame.src = url;
    document.body.append(frame);
  });
  const found = {};
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    const at = `//${host}:${port}`;
    found[host] = {
      tab: await socket("ws:" + at + "/"),
      mcp: await socket("ws:" + at + "/mcp"),
      protocols: await socket("ws:" + at + "/mcp", ["mcp", "kapture"]),
      health: await get("http:" + at + "/health"),
      healthOpaque: await get("http:" + at + "/health", { mode: "no-cors" }),
      consoleRead: await get("http:" + at + "/console/"),
      post: await get("http:" + at + "/mcp", { method: "POST", body: "{}" }),
      postPlain: await get("http:" + at + "/mcp", { method: "POST", mode: "no-cors", body: '{"jsonrpc":"2.0"}' }),
      postJson: await get("http:" + at + "/mcp", {
        method: "POST", headers: { "content-type": "application/json", authorization: "Bearer x" }, body: "{}" }),
      remove: await get("http:" + at + "/mcp", { method: "DELETE" }),
      events: await events("http:" + at + "/mcp"),
      script: await script("http:" + at + "/console/console.js"),
      frame: await framed("http:" + at + "/console/"),
    };
  }
  return found;
}"""


async def load(page: CdpConnection, url: str) -> None:
    await page.root.send("Page.navigate", {"url": url})

    async def loaded() -> bool:
        return bool(await evaluate(page, f"location.href === {url!r} && document.readyState === 'complete'"))

    await until(loaded, url)


async def test_a_page_of_another_origin_gets_neither_a_socket_nor_an_answer(
    hub: HubProcess, elsewhere: int, tmp_path: Path
) -> None:
    launch = Launch(profile=tmp_path, headless=True, extra=("--remote-debugging-port=0",))
    async with running(launch), direct_page(await devtools_port(tmp_path)) as page:
        for origin in (f"http://127.0.0.1:{elsewhere}/", f"http://localhost:{elsewhere}/", "data:text/html,<body>"):
            await load(page, origin)
            found = await evaluate(page, f"({TRIES})({hub.port})")
            # "opaque" is what a page sees of a refusal that it may not read either.
            got = {outcome for tries in found.values() for outcome in tries.values()}
            assert got <= {"refused", "opaque"}, (origin, found)


async def test_the_hubs_own_page_is_the_control_that_shows_the_tries_can_succeed(
    hub: HubProcess, tmp_path: Path
) -> None:
    launch = Launch(profile=tmp_path, headless=True, extra=("--remote-debugging-port=0",))
    async with running(launch), direct_page(await devtools_port(tmp_path)) as page:
        await load(page, f"http://127.0.0.1:{hub.port}/console/")
        found = (await evaluate(page, f"({TRIES})({hub.port})"))["127.0.0.1"]
        assert found["health"].startswith("READ 200")
        assert found["tab"] == "refused"  # not even that page may be a tab
        assert found["post"].startswith("READ 401")  # nor use MCP without its ticket


async def test_a_name_that_was_rebound_to_this_machine_is_refused(hub: HubProcess, tmp_path: Path) -> None:
    rebound = "--host-resolver-rules=MAP rebind.test 127.0.0.1"
    launch = Launch(profile=tmp_path, headless=True, extra=("--remote-debugging-port=0", rebound))
    async with running(launch), direct_page(await devtools_port(tmp_path)) as page:
        await load(page, f"http://rebind.test:{hub.port}/console/")
        # The page is of the hub's "own" origin now, as far as the browser can tell.
        assert await evaluate(page, "location.origin") == f"http://rebind.test:{hub.port}"
        assert "does not name this hub" in await evaluate(page, "document.body.innerText")
        paths = ["/health", "/mcp", "/console/"]
        statuses = await evaluate(
            page, f"Promise.all({json.dumps(paths)}.map(path => fetch(path).then(answer => answer.status)))"
        )
        assert statuses == [403] * len(paths)
        socket_ = (
            "new Promise(r => { const s = new WebSocket(location.origin.replace('http', 'ws') + '/');"
            " s.onopen = () => r('open'); s.onerror = () => r('refused') })"
        )
        assert await evaluate(page, socket_) == "refused"


def request(port: int, method: str, path: str, headers: dict[str, str], body: str = "") -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body.encode() or None)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.test:{port}", ""]
)
@pytest.mark.parametrize("upgrade", [False, True])
@pytest.mark.parametrize("path", ["/", "/mcp", "/health", "/console/"])
def test_a_forged_host_is_refused_whatever_else_is_right(hub: HubProcess, host: str, upgrade: bool, path: str) -> None:
    headers = {
        "Host": host.format(port=hub.port),
        "Authorization": f"Bearer {secrets_of(hub).clientToken}",
        **(UPGRADE if upgrade else {}),
    }
    status, body = request(hub.port, "GET", path, headers)
    assert status in (400, 403)
    assert secrets_of(hub).key not in body


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.test", "null", "file://", "http://127.0.0.1:1", "http://127.0.0.1", "https://127.0.0.1:{port}"),
        *(
            "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            EXTENSION + ".evil.test",
            EXTENSION[:-1],
            "http://evil:{port}",
        ),
    ],
)
@pytest.mark.parametrize("path", ["/", "/mcp"])
def test_a_foreign_origin_is_refused_even_with_the_token(hub: HubProcess, origin: str, path: str) -> None:
    headers = {
        "Host": f"127.0.0.1:{hub.port}",
        "Origin": origin.format(port=hub.port),
        "Authorization": f"Bearer {secrets_of(hub).clientToken}",
    }
    assert request(hub.port, "GET", path, {**headers, **UPGRADE})[0] == 403
    assert request(hub.port, "POST", path, headers, "{}")[0] == 403


@pytest.mark.parametrize("token", [None, "", "x", "{key}", "{token}x", "{token} x"])
def test_mcp_over_http_is_closed_without_the_token(hub: HubProcess, token: str | None) -> None:
    secrets = secrets_of(hub)
    headers = {"Host": f"127.0.0.1:{hub.port}", "Content-Type": "application/json", "Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = "Bearer " + token.format(key=secrets.key, token=secrets.clientToken)
    for method in ("POST", "GET", "DELETE"):
        assert request(hub.port, method, "/mcp", headers, "{}" if method == "POST" else "")[0] == 401


def test_a_token_in_the_query_is_no_token(hub: HubProcess) -> None:
    headers = {"Host": f"127.0.0.1:{hub.port}", "Content-Type": "application/json"}
    for name in ("token", "access_token", "authorization", "clientToken"):
        path = f"/mcp?{name}={secrets_of(hub).clientToken}"
        assert request(hub.port, "POST", path, headers, "{}")[0] == 401


async def test_a_wrong_token_does_not_open_mcp(hub: HubProcess) -> None:
    with trio.fail_after(30):
        with pytest.raises(ConnectionRejected) as caught:
            async with open_websocket_url(
                f"ws://127.0.0.1:{hub.port}/mcp", extra_headers=[(b"Authorization", b"Bearer wrong")]
            ):
                pass
        assert caught.value.status_code == 401


def test_the_hub_listens_on_this_machine_only(hub: HubProcess) -> None:
    addresses = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks which address would be used
            addresses.add(probe.getsockname()[0])
        except OSError:
            pass
    for address in addresses:
        if address.startswith("127."):
            continue
        with socket.socket() as outside:
            outside.settimeout(2)
            assert outside.connect_ex((address, hub.port)) != 0, address


async def test_hundreds_of_idle_connections_without_the_key_keep_nobody_out(hub: HubProcess) -> None:
    request_ = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\n\r\n".encode()
    async with AsyncExitStack() as stack:
        for _ in range(493):
            stream = await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", hub.port))
            await stream.send_all(request_)
            await stream.receive_some(65_536)
        assert request(hub.port, "GET", "/health", {"Host": f"127.0.0.1:{hub.port}"})[0] == 200
        async with open_client(hub.home, "structured=1", name="late") as client:
            assert isinstance(await client.tabs(), list)
