"""Serves the demo shop on a free port, to this machine only."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from kapture.package_files import test_app_folder


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the terminal shows the tour."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # of the default, 5, what comes beyond is dropped, and tried again after a second or three


@contextmanager
def demo_shop() -> Iterator[str]:
    """The shop's URL, for the duration of the block."""
    handler = functools.partial(_Quiet, directory=str(test_app_folder() / "demo"))
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
