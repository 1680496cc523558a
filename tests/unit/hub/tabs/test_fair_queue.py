from __future__ import annotations

from collections import deque

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kapture.hub.tabs.fair_queue import FairQueue
from tests.support.examples import examples

CLIENTS = "abc"


class FairQueueMachine(RuleBasedStateMachine):
    """The queue against one plain line a client, and the turns that clients have had."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: FairQueue[tuple[str, int]] = FairQueue()
        self.lines: dict[str, deque[tuple[str, int]]] = {client: deque() for client in CLIENTS}
        self.count = 0
        self.passed_over = dict.fromkeys(CLIENTS, 0)

    @rule(client=st.sampled_from(CLIENTS))
    def push(self, client: str) -> None:
        self.count += 1
        item = (client, self.count)
        if not self.lines[client]:
            self.passed_over[client] = 0
        self.lines[client].append(item)
        self.queue.push(client, item)

    @precondition(lambda self: any(self.lines.values()))
    @rule()
    def pop(self) -> None:
        item = self.queue.pop()
        assert item is not None
        client = item[0]
        assert self.lines[client].popleft() == item, "a client's own commands must stay in order"
        for other in CLIENTS:
            waits = bool(self.lines[other]) and other != client
            self.passed_over[other] = self.passed_over[other] + 1 if waits else 0
            assert self.passed_over[other] < len(CLIENTS), f"{other} waits while others go twice"

    @precondition(lambda self: any(self.lines.values()))
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from([client for client in CLIENTS if self.lines[client]]))
        item = data.draw(st.sampled_from(list(self.lines[client])))
        self.lines[client].remove(item)
        assert self.queue.remove(client, item)
        assert not self.queue.remove(client, item)

    @rule(unready=st.sampled_from(CLIENTS))
    def pop_what_is_ready(self, unready: str) -> None:
        item = self.queue.pop(lambda item: item[0] != unready)
        if item is None:
            assert all(not line for client, line in self.lines.items() if client != unready)
        else:
            assert item[0] != unready
            assert self.lines[item[0]].popleft() == item
        self.passed_over = dict.fromkeys(CLIENTS, 0)

    @invariant()
    def nothing_is_lost(self) -> None:
        assert len(self.queue) == sum(map(len, self.lines.values()))
        assert sorted(self.queue) == sorted(item for line in self.lines.values() for item in line)


TestFairQueue = FairQueueMachine.TestCase
TestFairQueue.settings = settings(max_examples=examples(100), stateful_step_count=40, deadline=None)


def test_an_empty_queue_gives_nothing() -> None:
    queue: FairQueue[int] = FairQueue()
    assert queue.pop() is None
    assert queue.clear() == []
