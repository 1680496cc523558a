"""A task that runs beside a block of code and ends with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import trio


@asynccontextmanager
async def running_beside(task: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Run the task until it or the block ends; the block's end cancels it.

    A single error, of the block or of the task, is raised as it is and not in an exception group, so that callers can
    catch it by its class.
    """
    with single_error():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task)
            yield
            nursery.cancel_scope.cancel()


@contextmanager
def single_error() -> Iterator[None]:
    """Raise an exception group that holds a single error as that error."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        error = group.exceptions[0]
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from error.__cause__
