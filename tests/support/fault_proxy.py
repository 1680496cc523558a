"""A TCP proxy that simulates network faults: delays and dropped connections."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import attrs


@attrs.define(eq=False)
class FaultProxy:
    """Forwards `port` to another port. While `refusing`, new connections are closed at once."""

    port: int
    delay_s: float = 0.0
    refusing: bool = False
    accepted: int = 0
    _open: set[socket.socket] = attrs.field(factory=set)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def drop_all(self) -> None:
        """Close every connection at once, also in the middle of a message."""
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def serve(self, listener: socket.socket, target: int) -> None:
        """Accept until the listener is closed."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.refusing:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", target))
            with self._lock:
                self._open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                time.sleep(self.delay_s)
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            with self._lock:
                self._open.discard(each)


@contextmanager
def fault_proxy(target: int) -> Iterator[FaultProxy]:
    """Run a proxy to this port until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    proxy = FaultProxy(listener.getsockname()[1])
    thread = threading.Thread(target=proxy.serve, args=(listener, target), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        proxy.drop_all()
        thread.join()
