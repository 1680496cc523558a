"""Raw CDP as one of the compared: what the browser does not do ends its own measurements, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import attrs
import pytest
import trio

from bench.floor import Floor
from bench.peers.operations import OPERATIONS
from bench.peers.sides import RawCdp
from bench.raw_cdp import Target
from bench.timing import SideFailedError

CLICK = next(operation for operation in OPERATIONS if operation.name == "click")


@attrs.define
class FakeTarget:
    """A page that loads at once. `silent`: it answers nothing; `refusing`: its scripts fail."""

    silent: bool = False
    refusing: bool = False

    @contextmanager
    def listening(self, _: str, event: Callable[[bytes], None]) -> Iterator[None]:
        event(b"{}")
        yield

    async def pipeline(self, commands: Sequence[object]) -> list[bytes]:
        if self.silent:
            await trio.sleep_forever()
        return [b"{}"] * len(commands)

    async def send(self, _: str, **__: Any) -> bytes:
        return (await self.pipeline([_]))[0]

    async def evaluate(self, _: str, *, wait: bool = False) -> list[int]:
        if self.refusing:
            raise RuntimeError("TypeError: document.querySelector(...) is null")
        return [1, 1]


def raw_of(target: FakeTarget) -> RawCdp:
    return RawCdp(Floor(cast("Target", target)), "own", 30)


async def test_a_browser_that_stops_answering_is_given_up_after_the_timeout(autojump_clock: Any) -> None:
    target = FakeTarget()
    raw = raw_of(target)
    await raw.show(CLICK, "http://127.0.0.1/")
    await raw.prepare()
    await raw.do(CLICK.call(0))
    target.silent = True
    for step in (lambda: raw.do(CLICK.call(0)), raw.prepare, lambda: raw.show(CLICK, "http://127.0.0.1/")):
        began = trio.current_time()
        with pytest.raises(SideFailedError, match="the browser did not answer within 30 s"):
            await step()
        assert trio.current_time() - began == pytest.approx(30)


async def test_a_script_that_fails_in_the_page_is_a_failure_of_this_side() -> None:
    raw = raw_of(FakeTarget(refusing=True))
    await raw.show(CLICK, "http://127.0.0.1/")
    with pytest.raises(SideFailedError, match="is null"):
        await raw.prepare()
