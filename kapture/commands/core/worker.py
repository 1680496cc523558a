"""Conversion of documents in worker processes, limited in time and memory: parsers may be slow on what a page made up,
and regular expressions hold the interpreter in a thread too.

The workers start on first use and are kept; one that takes too long, or whose caller is cancelled, is killed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import trio

from kapture.errors import ErrorCode, KaptureError

LIMIT_S = 15.0
MEMORY_BYTES = 512 * 1024 * 1024
MOST_WORKERS = 4
_IDLE_S = 300.0

_T = TypeVar("_T")


async def in_worker(convert: Callable[..., _T], *args: Any) -> _T:
    """Return `convert(*args)`, run in a worker; `EXECUTION_ERROR` beyond its limits. All must be picklable."""
    import trio_parallel  # slow to import

    try:
        with trio.fail_after(LIMIT_S):
            result: _T = await _context().run_sync(convert, *args, kill_on_cancel=True, limiter=_limiter())
            return result
    except trio.TooSlowError:
        why = f"takes more than {LIMIT_S:.0f} s"
    except (MemoryError, RecursionError, trio_parallel.BrokenWorkerError):
        why = f"takes more than {MEMORY_BYTES >> 20} MiB"
    raise KaptureError(
        ErrorCode.EXECUTION_ERROR,
        f"The document is too large to convert: it {why}.",
        hint="Ask for a smaller part of it: one element, or fewer requests.",
    )


def limit_memory() -> None:
    """Limit the memory of this process, where the system has such a limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


@cache
def _context() -> Any:
    import trio_parallel

    trio_parallel.configure_default_context(init=limit_memory, idle_timeout=_IDLE_S, grace_period=1.0)
    return trio_parallel


@cache
def _limiter() -> trio.CapacityLimiter:
    return trio.CapacityLimiter(MOST_WORKERS)
