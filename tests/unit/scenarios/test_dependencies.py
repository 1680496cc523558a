from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.dependencies import resolve
from kapture.scenarios.model import Condition, Dependency, Parameter, Scenario, Step


def scenario(name: str, *dependencies: Dependency, **parameters: Parameter) -> Scenario:
    return Scenario(
        version=1,
        name=name,
        dependencies=list(dependencies),
        parameters=parameters,
        chain=[Step(command="go_back")],
    )


def loader(*known: Scenario) -> Callable[[str], Scenario]:
    by_name = {one.name: one for one in known}

    def load(name: str) -> Scenario:
        if name not in by_name:
            raise KaptureError(ErrorCode.SCENARIO_INVALID, f"There is no scenario {name!r}.")
        return by_name[name]

    return load


GRAPHS = st.integers(1, 8).flatmap(
    lambda count: st.lists(st.lists(st.integers(0, count - 1), max_size=4, unique=True), min_size=count, max_size=count)
)


@given(edges=GRAPHS)
def test_dependencies_run_before_what_needs_them_or_the_cycle_is_named(edges: list[list[int]]) -> None:
    known = [scenario(f"s{at}", *(Dependency(scenario=f"s{to}") for to in row)) for at, row in enumerate(edges)]
    if _has_cycle(edges):
        with pytest.raises(KaptureError) as caught:
            resolve(known[0], loader(*known))
        cycle = [int(name[1:]) for name in caught.value.data["cycle"]]
        assert cycle[0] == cycle[-1]
        assert all(second in edges[first] for first, second in pairwise(cycle))
        assert " → ".join(caught.value.data["cycle"]) in caught.value.message
        return
    resolved = resolve(known[0], loader(*known))
    order = [row.scenario for row in resolved.plan]
    reachable = _reachable(edges, {0})
    assert sorted(order) == sorted(f"s{at}" for at in reachable)
    assert order[-1] == "s0"
    for at in reachable:
        for to in edges[at]:
            assert order.index(f"s{to}") < order.index(f"s{at}")


def _has_cycle(edges: list[list[int]]) -> bool:
    """Whether some node that is reachable from the first can reach itself."""
    return any(at in _reachable(edges, set(edges[at])) for at in _reachable(edges, {0}))


def _reachable(edges: list[list[int]], start: set[int]) -> set[int]:
    found, open_ends = set(start), list(start)
    while open_ends:
        for to in edges[open_ends.pop()]:
            if to not in found:
                found.add(to)
                open_ends.append(to)
    return found


def test_a_missing_dependency_is_named_with_what_needs_it_and_an_optional_one_is_left_out() -> None:
    with pytest.raises(KaptureError, match="buy depends on gone: There is no scenario 'gone'"):
        resolve(scenario("buy", Dependency(scenario="gone")), loader())
    resolved = resolve(scenario("buy", Dependency(scenario="gone", optional=True)), loader())
    assert list(resolved.missing) == ["gone"]
    assert list(resolved.dependencies(resolved.scenarios["buy"])) == []


@pytest.mark.parametrize(
    ("given", "words"), [({}, "needs the parameter 'article'"), ({"size": 1, "article": ""}, "no parameter 'size'")]
)
def test_parameters_that_a_dependency_does_not_have_are_refused_before_the_run(
    given: dict[str, object], words: str
) -> None:
    root = scenario("buy", Dependency(scenario="add", parameters=given))
    with pytest.raises(KaptureError, match=words):
        resolve(root, loader(scenario("add", article=Parameter())))


def test_the_plan_says_when_a_dependency_is_skipped() -> None:
    condition = Condition(check="url_matches", url="*/cart", skip_if=False)
    root = scenario("buy", Dependency(scenario="add", condition=condition, reason="needs a cart"))
    row = resolve(root, loader(scenario("add"))).plan[0]
    assert row.condition == "skipped if not url_matches (*/cart)"
    assert (row.needed_by, row.reason) == ("buy", "needs a cart")
