"""Documents are converted in processes with limits."""

from __future__ import annotations

import resource
import time

import pytest
import trio

from kapture.commands.core import worker
from kapture.commands.core.worker import in_worker
from kapture.commands.markdown import markdown
from kapture.errors import KaptureError


def _forever() -> None:
    while True:
        pass


def _hungry() -> int:
    return len(b"x" * (2 * worker.MEMORY_BYTES))


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("bad", [_forever, _hungry])
async def test_document_beyond_a_limit_is_refused_and_the_next_is_converted(
    bad: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await in_worker(markdown, "<h1>a") == "# a"
    monkeypatch.setattr(worker, "LIMIT_S", 1.0)
    with pytest.raises(KaptureError, match="too large to convert"):
        await in_worker(bad)  # type: ignore[arg-type]
    monkeypatch.setattr(worker, "LIMIT_S", 15.0)
    assert await in_worker(markdown, "<h1>b") == "# b"


async def test_cancelled_conversion_leaves_no_process_running() -> None:
    await in_worker(markdown, "<p>a")  # the worker is started
    with trio.move_on_after(0.3):
        await in_worker(_forever)
    await in_worker(markdown, "<p>b")
    ended = _children_cpu_s()
    await trio.sleep(0.3)
    assert _children_cpu_s() - ended < 0.05
    assert ended > 0.1  # the cancelled worker has ended, and was waited for


async def test_conversion_does_not_hold_the_loop() -> None:
    await in_worker(markdown, "<p>a")
    longest = 0.0
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _tick() -> None:
            nonlocal longest
            while True:
                began = time.perf_counter()
                await trio.sleep(0.01)
                longest = max(longest, time.perf_counter() - began)

        await in_worker(markdown, "<p>word</p>" * 20_000)
        nursery.cancel_scope.cancel()
    assert longest < 0.7
