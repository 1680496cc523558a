"""The memory of one tab stays within its limit and keeps the newest longest."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from kapture.page.tab_memory import Ring, TabMemory

KINDS = ("logs", "requests", "events")


def ring(capacity: int = 1_000) -> Ring[str]:
    return Ring(capacity, len)


@given(
    st.integers(0, 400),
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 150)), max_size=100),
)
def test_a_tab_never_keeps_more_than_its_limit_and_each_kind_keeps_its_newest(
    limit: int, added: list[tuple[str, int]]
) -> None:
    memory = TabMemory(limit)
    rings = {kind: ring(capacity=20) for kind in KINDS}
    for kind, each in rings.items():
        memory.add(kind, each)
    put: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for kind, size in added:
        item = f"{len(put[kind]):0{size}}"
        put[kind].append(item)
        rings[kind].append(item)
        assert memory.held_bytes <= limit
        for name, kept in rings.items():
            assert list(kept) == put[name][len(put[name]) - len(kept) :]
            assert kept.held_bytes == sum(map(len, kept))
            assert len(kept) <= 20
        assert memory.by_kind() == {each: kept.held_bytes for each, kept in sorted(rings.items())}


def test_a_flood_of_one_kind_washes_out_its_own_oldest_only() -> None:
    memory = TabMemory(1_000)
    logs, requests = ring(), ring()
    memory.add("logs", logs)
    memory.add("requests", requests)
    requests.append("r" * 300)
    for _ in range(100):
        logs.append("l" * 50)
    assert len(requests) == 1
    assert logs.held_bytes == 700


def test_oversized_value_is_not_kept() -> None:
    memory = TabMemory(100)
    logs = ring()
    memory.add("logs", logs)
    logs.append("l" * 101)
    assert len(logs) == 0


class _Fixed:
    def __init__(self) -> None:
        self.held_bytes = 0
        self.on_grown: Callable[[], None] = lambda: None


def test_fixed_part_is_counted_and_never_dropped() -> None:
    memory, logs, fixed = TabMemory(100), ring(), _Fixed()
    memory.add("logs", logs)
    memory.count("routes", fixed)
    logs.append("l" * 50)
    fixed.held_bytes = 60
    fixed.on_grown()
    assert (len(logs), memory.held_bytes, memory.by_kind()) == (0, 60, {"logs": 0, "routes": 60})
    assert memory.shrink_to(10) == 60
