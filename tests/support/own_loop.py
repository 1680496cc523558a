"""Browsers for all tests of a module: one starts in a second or more, a tab in a moment.

A fixture of a module outlives the Trio loops of its tests, so what it holds runs on a loop of its own.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

import trio

_T = TypeVar("_T")


@contextmanager
def on_own_loop(opening: AbstractAsyncContextManager[_T]) -> Iterator[_T]:
    """Yield the value of the context manager. It is entered and left on a Trio loop in a thread of its own."""
    started: queue.SimpleQueue[tuple[_T] | BaseException] = queue.SimpleQueue()
    stop = trio.Event()
    token: list[trio.lowlevel.TrioToken] = []

    async def main() -> None:
        token.append(trio.lowlevel.current_trio_token())
        async with opening as opened:
            started.put((opened,))
            await stop.wait()

    def run() -> None:
        try:
            trio.run(main)
        except BaseException as error:
            started.put(error)
            raise

    thread = threading.Thread(target=run, name="own loop")
    thread.start()
    first = started.get()
    if isinstance(first, BaseException):
        raise first
    try:
        yield first[0]
    finally:
        trio.from_thread.run_sync(stop.set, trio_token=token[0])
        thread.join()
