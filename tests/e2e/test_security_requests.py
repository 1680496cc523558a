"""Requests that two readers of HTTP would take for different ones, and paths that lead out of the Console's files."""

from __future__ import annotations

import socket
from contextlib import suppress

import pytest

from tests.support.stack import HubProcess

pytestmark = pytest.mark.e2e

SECOND = "GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
HOST = "Host: 127.0.0.1:{port}\r\n"


def statuses(hub: HubProcess, request: str) -> list[str]:
    """Return the hub's answer to these bytes, until it closes the connection or is silent."""
    answered = b""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=30) as connection:
        connection.sendall(request.replace("{port}", str(hub.port)).encode())
        with suppress(OSError):  # it may have been closed by now
            connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            while chunk := connection.recv(65_536):
                answered += chunk
    return [line.split()[1] for line in answered.decode("latin1").splitlines() if line.startswith("HTTP/1.1 ")]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (f"POST /mcp HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 60\r\n\r\nhello{SECOND}", "400"),
        (
            f"POST /mcp HTTP/1.1\r\n{HOST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX{SECOND}",
            "401",
        ),
        (f"POST /mcp HTTP/1.1\r\n{HOST}Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc{SECOND}", "400"),
        (f"GET /health HTTP/1.1\r\n{HOST}Host: evil.test\r\n\r\n", "400"),
        ("GET /health HTTP/1.1\r\nHost: evil.test\r\n 127.0.0.1:{port}\r\n\r\n", "403"),
        ("GET /health HTTP/1.1\r\nHost : 127.0.0.1:{port}\r\n\r\n", "400"),
        ("GET http://127.0.0.1:{port}/health HTTP/1.1\r\nHost: evil.test\r\n\r\n", "403"),
        (f"CONNECT evil.test:80 HTTP/1.1\r\n{HOST}\r\n", "400"),
        (f"GET /health HTTP/1.1\r\n{HOST}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n", "400"),
    ],
)
def test_an_ambiguous_request_is_refused_and_nothing_is_taken_for_a_second_one(
    hub: HubProcess, request_: str, status: str
) -> None:
    assert statuses(hub, request_) == [status]


@pytest.mark.parametrize(
    "path",
    [
        "/console/../hub.json",
        "/console/%2e%2e/hub.json",
        "/console/..%2f..%2fhub.json",
        "/console//etc/passwd",
        "/console/..\\..\\hub.json",
        "/console/ui/%2e%2e/worker/gate/cdp_rules.js",
        "/console/ui/..%5c..%5chub.json",
        "/console/ui/%252e%252e/",
        "/console/index.html%00.js",
    ],
)
def test_no_path_leads_out_of_the_console_s_files(hub: HubProcess, path: str) -> None:
    assert statuses(hub, f"GET {path} HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n") == ["404"]
