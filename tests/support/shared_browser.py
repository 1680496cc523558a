"""One Chromium for all tests of a module: a browser starts in a second, a tab in a moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from tests.support.direct import direct_browser


@contextmanager
def shared_browser(profile: Path) -> Iterator[int]:
    """Its debugging port. It runs on a Trio loop of its own, for a fixture outlives the loops of the tests."""
    started: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()
    stop = trio.Event()
    token: list[trio.lowlevel.TrioToken] = []

    async def main() -> None:
        token.append(trio.lowlevel.current_trio_token())
        async with direct_browser(profile) as port:
            started.put(port)
            await stop.wait()

    def run() -> None:
        try:
            trio.run(main)
        except BaseException as error:
            started.put(error)
            raise

    thread = threading.Thread(target=run, name="shared browser")
    thread.start()
    port = started.get()
    if isinstance(port, BaseException):
        raise port
    try:
        yield port
    finally:
        trio.from_thread.run_sync(stop.set, trio_token=token[0])
        thread.join()
