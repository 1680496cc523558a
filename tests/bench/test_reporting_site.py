"""The web site of the benchmark."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler

from bench.peers.reporting_site import PageServer

_TABS = 50


def test_tabs_that_load_at_once_wait_for_the_site_instead_of_being_dropped() -> None:
    with PageServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server, ExitStack() as connections:
        for _ in range(_TABS):  # the server is busy: it accepts none
            address = ("127.0.0.1", server.server_port)
            connections.enter_context(socket.create_connection(address, timeout=30))
