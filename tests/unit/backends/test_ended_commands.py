"""Commands that have ended reach their tab's panel in few messages, whatever the number of tabs."""

from __future__ import annotations

import msgspec
import trio
from trio.testing import MockClock

from kapture.backends.ended_commands import GATHER_MS, EndedBatches, EndedCommands
from kapture.backends.outbox import Outbox
from kapture.wire.panel_messages import EndedCommand


class SentFrames(Outbox):
    """An outbox that keeps what it is given, with the times."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.sent: list[tuple[float, list[str]]] = []

    def put(self, frame: str, *, limited: bool = True) -> None:
        entries = msgspec.json.decode(frame)["entries"]
        self.sent.append((trio.current_time(), [entry["command"] for entry in entries]))


def ended(command: str) -> EndedCommand:
    return EndedCommand(
        command=command, client="c", started_at="", duration_ms=1, outcome="ok", message="", call="1", arguments={}
    )


def tabs_of(batches: EndedBatches, count: int) -> list[tuple[EndedCommands, SentFrames]]:
    found = []
    for _ in range(count):
        outbox = SentFrames()
        commands = EndedCommands(outbox)
        commands.schedule = batches.add
        found.append((commands, outbox))
    return found


async def test_each_tab_gets_its_batch_soon_after_the_first_command_has_ended(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    batches = EndedBatches()
    nursery.start_soon(batches.run)
    (first, to_first), (second, to_second) = tabs_of(batches, 2)
    began = trio.current_time()
    first.add(ended("a"), at_once=False)
    await trio.sleep(GATHER_MS / 2_000)
    first.add(ended("b"), at_once=False)
    second.add(ended("c"), at_once=False)
    await trio.sleep(GATHER_MS / 1_000)
    assert to_first.sent == [(began + GATHER_MS / 1_000, ["a", "b"])]
    assert to_second.sent == [(began + GATHER_MS / 1_000, ["c"])]
    second.add(ended("d"), at_once=False)
    await trio.sleep(1)
    assert [commands for _, commands in to_second.sent] == [["c"], ["d"]]


async def test_what_must_arrive_at_once_takes_along_what_waits(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    batches = EndedBatches()
    nursery.start_soon(batches.run)
    [(tab, outbox)] = tabs_of(batches, 1)
    tab.add(ended("a"), at_once=False)
    tab.add(ended("b"), at_once=True)
    assert [commands for _, commands in outbox.sent] == [["a", "b"]]
    await trio.sleep(1)
    assert len(outbox.sent) == 1
