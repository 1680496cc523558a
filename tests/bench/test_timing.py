from __future__ import annotations

from bench.timing import Side, SideFailedError, in_turn


async def test_a_side_that_fails_is_left_out_and_the_others_go_on() -> None:
    calls: list[str] = []

    async def sound() -> None:
        calls.append("sound")

    async def fails() -> None:
        calls.append("fails")
        if calls.count("fails") == 5:
            raise SideFailedError("fails: the fifth call")

    times = await in_turn([Side("fails", fails), Side("sound", sound)], runs=6, block=2)
    assert times["fails"].failure == "fails: the fifth call"
    assert len(times["fails"].all_ms) == 2  # the block of the failure does not count
    assert (times["sound"].failure, len(times["sound"].all_ms)) == (None, 6)
    assert calls.count("fails") == 5


async def test_sides_take_turns_block_by_block_and_each_block_is_prepared_and_looked_at() -> None:
    order: list[str] = []

    def side(name: str) -> Side:
        async def call() -> None:
            order.append(name)

        async def before() -> None:
            order.append(f"before {name}")

        async def check() -> None:
            order.append(f"check {name}")

        return Side(name, call, check, before)

    await in_turn([side("a"), side("b")], runs=2, block=2)
    block = [f"before {n} {n} {n} check {n}" for n in ("a", "b")]
    assert " ".join(order) == " ".join(block * 2)  # one to warm up, one that counts


async def test_no_more_calls_are_made_at_once_than_are_asked_for() -> None:
    calls: list[int] = []

    async def call() -> None:
        calls.append(len(calls))

    times = await in_turn([Side("a", call)], runs=1)
    assert len(times["a"].all_ms) == 1
    assert len(calls) == 2  # one to warm up
