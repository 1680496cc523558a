"""CDP endpoints that others have started: with TLS, with credentials, and when they cannot be had."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked
from trio_websocket import wrap_server_stream

from kapture.backends.chromium.endpoint import Endpoint
from kapture.errors import ErrorCode, KaptureError
from tests.support.certificate import Certificate, make_certificate


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@attrs.frozen
class Grid:
    """A server with one browser's socket; `authorization` has what it was shown."""

    port: int
    authorization: list[bytes]


@asynccontextmanager
async def grid(tls: ssl.SSLContext | None = None, *, rejects_with: int = 0) -> AsyncIterator[Grid]:
    """Says which path was asked for."""
    authorization: list[bytes] = []

    async def serve(stream: Any) -> None:
        try:
            if tls is not None:
                await stream.do_handshake()
        except trio.BrokenResourceError:
            await trio.aclose_forcefully(stream)
            return
        async with trio.open_nursery() as nursery:
            request = await wrap_server_stream(nursery, stream)
            authorization.extend(value for name, value in request.headers if name.lower() == b"authorization")
            if rejects_with:
                await request.reject(rejects_with)
            else:
                await (await request.accept()).send_message(request.path)

    async with trio.open_nursery() as nursery:
        start = trio.serve_tcp if tls is None else partial(trio.serve_ssl_over_tcp, ssl_context=tls)
        (listener,) = await nursery.start(partial(start, serve, 0, host="127.0.0.1"))
        bound = listener if tls is None else listener.transport_listener
        yield Grid(bound.socket.getsockname()[1], authorization)
        nursery.cancel_scope.cancel()


async def refused(endpoint: Endpoint) -> KaptureError:
    with pytest.raises(KaptureError) as caught:
        async with endpoint.connected():
            pass
    assert caught.value.code is ErrorCode.NO_BACKEND
    return caught.value


async def test_a_browser_behind_tls_is_reached_when_its_certificate_is_trusted(certificate: Certificate) -> None:
    async with grid(certificate.server) as there:
        url = f"wss://localhost:{there.port}/browser?token=x"
        certificates = "# Főtanúsítvány, and other comments\n" + certificate.file.read_text()
        async with Endpoint(url, certificates=certificates).connected() as socket:
            assert await socket.get_message() == "/browser?token=x"


@pytest.mark.parametrize("scheme", ["wss", "https"])
async def test_a_certificate_that_nobody_vouches_for_is_refused_with_what_to_do(
    certificate: Certificate, scheme: str
) -> None:
    async with grid(certificate.server) as there:
        error = await refused(Endpoint(f"{scheme}://localhost:{there.port}/"))
    assert "its certificate is not trusted (self-signed certificate)" in error.message
    assert "--ca-file" in error.hint
    assert not there.authorization


async def test_a_trusted_certificate_of_another_name_is_refused(certificate: Certificate) -> None:
    async with grid(certificate.server) as there:
        url = f"wss://127.0.0.1:{there.port}/"
        error = await refused(Endpoint(url, certificates=certificate.file.read_text()))
    assert "certificate is not valid for '127.0.0.1'" in error.message


@pytest.mark.parametrize("scheme", ["wss", "https"])
async def test_an_endpoint_without_tls_says_so(scheme: str) -> None:
    async with grid() as there:
        error = await refused(Endpoint(f"{scheme}://localhost:{there.port}/"))
    assert "the TLS handshake failed" in error.message
    assert "ws://" in error.hint


@pytest.mark.parametrize(("status", "hint"), [(401, "--token-file"), (404, "--remote-debugging-port")])
async def test_a_rejection_is_reported_with_its_status(status: int, hint: str) -> None:
    async with grid(rejects_with=status) as there:
        error = await refused(Endpoint(f"ws://localhost:{there.port}/"))
    assert f"it answered with HTTP status {status}" in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("headers", "shown"), [({}, b"Basic bWU6cEBzcw=="), ({"authorization": "Bearer abc"}, b"Bearer abc")]
)
async def test_user_and_password_of_the_address_are_shown_to_the_endpoint_alone(
    headers: dict[str, str], shown: bytes
) -> None:
    async with grid(rejects_with=403) as there:
        error = await refused(Endpoint(f"ws://me:p%40ss@localhost:{there.port}/", headers))
    assert there.authorization == [shown]
    assert "p%40ss" not in f"{error} {error.data}"


@pytest.mark.parametrize(
    "url", ["me:secret@grid:4444", "wss://me:se#cret@grid/", "wss://me:se/cret@grid/", "ws://[secret", "ws://x:secret/"]
)
def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(KaptureError, match="not the address of a browser endpoint") as caught:
        Endpoint(url)
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert not any(part in str(caught.value) for part in ("me:", "cret"))


@pytest.mark.parametrize(
    ("path", "shown"), [("", ""), ("/devtools/browser/1", "/devtools/browser/1"), ("/s3cr3t/chromium", "/…")]
)
def test_a_path_that_may_hold_a_token_is_not_shown(path: str, shown: str) -> None:
    assert Endpoint(f"wss://me:p@grid:4444{path}?token=s3cr3t").shown == f"wss://grid:4444{shown}"


JSON = b'{"webSocketDebuggerUrl": "ws://elsewhere:1/devtools/browser/x"}'


@asynccontextmanager
async def answering(*parts: bytes, closes: bool = True) -> AsyncIterator[str]:
    """The address of a server that answers every HTTP request with these bytes, and WebSockets with the status 418."""

    async def serve(stream: trio.SocketStream) -> None:
        version = b"/json/version" in await stream.receive_some()
        for part in parts if version else [b"HTTP/1.1 418 Of its own\r\nContent-Length: 0\r\n\r\n"]:
            await stream.send_all(part)
            await wait_all_tasks_blocked()
        if not version or not closes:
            await trio.sleep_forever()
        await stream.aclose()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        yield f"http://127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


class Resolver(trio.abc.HostnameResolver):
    """Knows the one name."""

    async def getaddrinfo(self, host: Any, port: Any, *_: Any, **__: Any) -> Any:
        assert host == b"box"
        return [(trio.socket.AF_INET, trio.socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(port)))]

    async def getnameinfo(self, *_: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(("refuses_names", "named"), [(True, "127.0.0.1"), (False, "box")])
@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("ws://box:{}/devtools/browser/x", "/devtools/browser/x"),
        ("http://box:{}", "/devtools/browser/x"),
        ("http://box:{}/team?token=s", "/team/devtools/browser/x?token=s"),
    ],
)
async def test_an_endpoint_is_addressed_by_its_name_unless_it_is_chromium_itself(
    url: str, asked: str, *, refuses_names: bool, named: str
) -> None:
    """Also where a proxy has another address than the browser reports, and a path of its own."""
    sockets: list[str] = []

    async def serve(stream: trio.SocketStream) -> None:
        head = (await stream.receive_some()).decode()
        if refuses_names and "Host: box" in head:
            await stream.send_all(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
        elif "/json/version" in head:
            await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(JSON), JSON))
        else:
            sockets.append(head)
        await stream.aclose()

    trio.socket.set_custom_hostname_resolver(Resolver())
    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        port = listener.socket.getsockname()[1]
        await refused(Endpoint(url.format(port)))
        nursery.cancel_scope.cancel()
    assert [head.split()[1] for head in sockets] == [asked]
    assert f"Host: {named}:{port}" in sockets[0]


@pytest.mark.parametrize("closes", [True, False])
@pytest.mark.parametrize(
    "parts",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(JSON), JSON],
        [
            b"HTTP/1.1 200 OK\r\ntransfer-encoding:chunked\r\n\r\n9\r\n",
            JSON[:9],
            b"\r\n%X;a=b\r\n" % len(JSON[9:]),
            JSON[9:] + b"\r\n",
            b"0\r\n\r\n",
        ],
    ],
)
async def test_an_answer_is_read_whole_however_its_length_is_said(parts: list[bytes], closes: bool) -> None:
    async with answering(*parts, closes=closes) as url:
        error = await refused(Endpoint(url))
        assert "it answered with HTTP status 418" in error.message  # the socket's answer, so its path was found


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: some\r\n\r\nwords",
            "its answer to /json/version is not HTTP (bad Content",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "its answer to /json/version is not HTTP (peer closed"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 1_000_001, "its answer to /json/version is not HTTP (more than"),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>", "its answer to /json/version is not JSON"),
        (b'HTTP/1.1 200 OK\r\n\r\n"\xff"', "its answer to /json/version is not JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 500_000, "its answer to /json/version is not JSON"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "its answer to /json/version is not HTTP ("),
        (b"HTTP/1.1 200 OK\r\n\r\n[]", "names no webSocketDebuggerUrl"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"webSocketDebuggerUrl": 5}', "names no webSocketDebuggerUrl"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"webSocketDebuggerUrl": "ws://[::1/x"}', "names no webSocketDebuggerUrl"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"webSocketDebuggerUrl": "ws://a/x\\r\\nX: 1"}', "names no webSocketDebuggerUrl"),
        (b"SSH-2.0-x\r\n\r\n", "its answer to /json/version is not HTTP ("),
    ],
)
async def test_an_endpoint_that_is_none_is_reported_with_what_it_answered(answer: bytes, words: str) -> None:
    async with answering(answer) as url:
        assert words in (await refused(Endpoint(url))).message


@pytest.mark.parametrize("answer", [b"SSH-2.0-x\r\n\r\n", b"\x00\xff\r\n\r\n", b"HTTP/1.1 101 x\r\nA\r\n\r\n"])
async def test_a_socket_that_does_not_speak_http_is_reported(answer: bytes) -> None:
    async def serve(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(answer)
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        error = await refused(Endpoint(f"ws://127.0.0.1:{listener.socket.getsockname()[1]}/devtools/browser/x"))
        nursery.cancel_scope.cancel()
    assert "its answer is not HTTP" in error.message


@pytest.mark.parametrize("headers", [{"X Team": "blue"}, {"Ké": "x"}, {"Authorization": "Bearer a\nb"}, {"": "x"}])
def test_headers_that_cannot_be_sent_are_refused_without_repeating_them(headers: dict[str, str]) -> None:
    with pytest.raises(KaptureError) as caught:
        Endpoint("ws://127.0.0.1:1", headers)
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert not any(part and part in str(caught.value) for part in headers.values())
