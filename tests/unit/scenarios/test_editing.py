"""A scenario is shown with what a run needs, and replaced by a changed one."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.dependencies import resolve
from kapture.scenarios.editing import replaced, shown
from kapture.scenarios.files.decode import convert
from kapture.scenarios.files.keeping import keep
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Condition, Dependency, Parameter, Scenario, Step
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

SIGN_IN: dict[str, Any] = {
    "version": 1,
    "name": "sign_in",
    "parameters": {"site": {"default": "https://shop.example"}},
    "secrets": ["password"],
    "chain": [
        {"command": "navigate", "arguments": {"url": "{{site}}/login"}},
        {"command": "fill", "targets": [{"label": "Password"}], "arguments": {"value": "{{password}}"}, "secret": True},
        {"command": "press", "arguments": {"key": "Enter"}},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> ScenarioFolder:
    folder = ScenarioFolder(tmp_path)
    folder.save(convert(SIGN_IN))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> SecretStore:
    store = SecretStore(tmp_path)
    store.put("sign_in", {"password": StoredSecret("hunter2", ("https://shop.example",))})
    return store


def _changed(change: Any) -> dict[str, Any]:
    changed = copy.deepcopy(SIGN_IN)
    change(changed)
    return changed


def _goes_elsewhere(scenario: dict[str, Any]) -> None:
    scenario["chain"][0]["arguments"]["url"] = "https://elsewhere.example/"


WAYS: list[Any] = [
    _goes_elsewhere,
    lambda scenario: scenario["chain"].pop(0),
    lambda scenario: scenario["chain"][1].update(targets=[{"label": "Comment"}]),
    lambda scenario: scenario["parameters"]["site"].update(default="https://elsewhere.example"),
    lambda scenario: scenario["chain"].append(scenario["chain"][1]),
    lambda scenario: scenario["chain"].insert(0, {"command": "click", "targets": [{"text": "Comments"}]}),
]
SAFE: list[Any] = [
    lambda scenario: scenario["chain"].pop(),
    lambda scenario: scenario["chain"][2]["arguments"].update(key="Tab"),
    lambda scenario: scenario["chain"][1].update(title="type the password", timeout=100),
    lambda scenario: scenario["chain"].insert(1, {"check": {"kind": "text", "expected": "Sign in"}}),
    lambda scenario: scenario.update(description="For the shop.", tags=["shop"]),
]


@pytest.mark.parametrize("change", WAYS)
def test_a_stored_secret_is_forgotten_when_it_could_be_typed_elsewhere(
    folder: ScenarioFolder, store: SecretStore, change: Any
) -> None:
    assert replaced(folder, store, "sign_in", _changed(change)).forgotten == ["password"]
    assert store.names("sign_in") == []


def test_a_stored_secret_that_the_file_had_not_named_for_a_while_is_forgotten_too(
    folder: ScenarioFolder, store: SecretStore
) -> None:
    store.put("sign_in", {"pin": StoredSecret("1234", ("https://shop.example",))})
    step = {"command": "fill", "targets": [{"label": "Comment"}], "arguments": {"value": "{{pin}}"}, "secret": True}
    changed = _changed(lambda scenario: (scenario["secrets"].append("pin"), scenario["chain"].append(step)))
    assert replaced(folder, store, "sign_in", changed).forgotten == ["password", "pin"]
    assert store.names("sign_in") == []


@pytest.mark.parametrize("change", SAFE)
def test_a_stored_secret_is_kept_when_it_goes_where_it_went(
    folder: ScenarioFolder, store: SecretStore, change: Any
) -> None:
    changed = _changed(change)
    assert replaced(folder, store, "sign_in", changed).forgotten == []
    assert store.names("sign_in") == ["password"]
    assert folder.load("sign_in") == convert(changed)


@pytest.mark.parametrize(
    "change",
    [
        lambda scenario: scenario.update(name="other"),
        lambda scenario: scenario.update(chain=[]),
        lambda scenario: scenario["chain"][0].update(comand="click"),
        lambda scenario: scenario["chain"][2]["arguments"].update(key="{{unknown}}"),
    ],
)
def test_an_edit_that_is_no_scenario_changes_nothing(folder: ScenarioFolder, store: SecretStore, change: Any) -> None:
    with pytest.raises(KaptureError) as refused:
        replaced(folder, store, "sign_in", _changed(change))
    assert refused.value.code == ErrorCode.SCENARIO_INVALID
    assert folder.load("sign_in") == convert(SIGN_IN)
    assert store.names("sign_in") == ["password"]


def test_an_edit_of_what_somebody_else_has_changed_meanwhile_changes_nothing(
    folder: ScenarioFolder, store: SecretStore
) -> None:
    read = msgspec.to_builtins(folder.load("sign_in"))
    mine, theirs = (_changed(lambda one, words=words: one.update(description=words)) for words in ("mine", "theirs"))
    replaced(folder, store, "sign_in", theirs, read)
    with pytest.raises(KaptureError, match="changed in the meantime") as refused:
        replaced(folder, store, "sign_in", mine, read)
    assert refused.value.code == ErrorCode.SCENARIO_INVALID
    assert folder.load("sign_in").description == "theirs"
    replaced(folder, store, "sign_in", mine)
    assert folder.load("sign_in").description == "mine"


def test_needed_secrets_include_those_of_dependencies(folder: ScenarioFolder, store: SecretStore) -> None:
    buy = {"version": 1, "name": "buy", "dependencies": [{"scenario": "sign_in"}], "secrets": ["card"], "chain": []}
    step = {"command": "fill", "targets": [{"label": "Card"}], "arguments": {"value": "{{card}}"}, "secret": True}
    folder.save(convert({**buy, "chain": [step]}))
    answer = shown(folder, store, "buy")
    assert [(one.scenario, one.name, one.stored) for one in answer.secrets] == [
        ("sign_in", "password", True),
        ("buy", "card", False),
    ]
    assert "hunter2" not in answer.text()


def test_a_scenario_whose_dependency_is_missing_is_shown_with_what_is_wrong(
    folder: ScenarioFolder, store: SecretStore
) -> None:
    folder.save(
        convert(
            {"version": 1, "name": "buy", "dependencies": [{"scenario": "sign_up"}], "chain": [{"command": "reload"}]}
        )
    )
    answer = shown(folder, store, "buy")
    assert answer.scenario["chain"] == [{"command": "reload"}]
    assert answer.problem is not None
    assert "sign_up" in answer.problem


def test_an_edit_does_not_get_the_secrets_of_a_scenario_that_is_saved_meanwhile(
    folder: ScenarioFolder, store: SecretStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = convert({**SIGN_IN, "description": "Recorded anew."})
    values = {"password": StoredSecret("changed", ("https://shop.example",))}
    saving = Thread(target=partial(keep, folder, store, new, values, replace=True))
    drop = store.drop

    def slow_drop(*names: str) -> None:
        monkeypatch.undo()
        saving.start()
        saving.join(0.2)  # if nothing kept it waiting it would be done
        drop(*names)

    monkeypatch.setattr(store, "drop", slow_drop)
    replaced(folder, store, "sign_in", _changed(_goes_elsewhere))
    saving.join()
    assert (folder.load("sign_in"), store.of("sign_in")) == (new, values)


@pytest.mark.parametrize(
    ("dependency", "words"),
    [
        ({"scenario": "sign_up"}, "dependencies[0].scenario: sign_in depends on sign_up: There is no scenario"),
        ({"scenario": "sign_in"}, "dependencies[0].scenario: Scenarios depend on each other in a cycle"),
        ({"scenario": "buy"}, "dependencies[0].scenario: Scenarios depend on each other in a cycle: sign_in → buy"),
        (
            {"scenario": "open", "parameters": {"x": 1}},
            "dependencies[0].parameters: sign_in depends on open, which has no",
        ),
    ],
)
def test_a_dependency_that_cannot_run_is_refused_by_its_field(
    folder: ScenarioFolder, store: SecretStore, dependency: dict[str, Any], words: str
) -> None:
    reload = [{"command": "reload"}]
    folder.save(convert({"version": 1, "name": "open", "chain": reload}))
    folder.save(convert({"version": 1, "name": "buy", "dependencies": [{"scenario": "sign_in"}], "chain": reload}))
    with pytest.raises(KaptureError, match=re.escape(words)):
        replaced(folder, store, "sign_in", _changed(lambda scenario: scenario.update(dependencies=[dependency])))
    assert folder.load("sign_in") == convert(SIGN_IN)
    assert store.names("sign_in") == ["password"]


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


# Changes of scenarios and secrets by several processes and threads at once: none is lost, whoever makes it.


WRITER = """
import sys
from pathlib import Path
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

home, who = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    SecretStore(home, FileKeys(home)).put("main", {f"{who}_{number}": StoredSecret(who, ())})
"""


def test_processes_that_store_secrets_at_the_same_moment_lose_none(tmp_path: Path) -> None:
    home = tmp_path / "home"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home), who], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for who in ("hub", "cli")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    store = SecretStore(home, FileKeys(home))
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    store.rotate()
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    assert set(store.names("main")) == {f"{who}_{number}" for who in ("hub", "cli") for number in range(10)}


CHANGES = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "rotate"]), st.sampled_from("ab"), st.integers(0, 3)), max_size=6
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(one=CHANGES, other=CHANGES)
def test_changes_by_threads_end_as_if_made_one_after_another(
    tmp_path_factory: pytest.TempPathFactory, one: list[tuple[str, str, int]], other: list[tuple[str, str, int]]
) -> None:
    home = tmp_path_factory.mktemp("data") / "home"

    def run(scenario: str, changes: list[tuple[str, str, int]]) -> dict[str, StoredSecret]:
        """Make the changes in a store of its own; what must be there at the end."""
        store = SecretStore(home, FileKeys(home))
        expected: dict[str, StoredSecret] = {}
        for kind, name, number in changes:
            if kind == "put":
                expected[name] = StoredSecret(str(number), ())
                store.put(scenario, {name: expected[name]})
            elif kind == "drop":
                expected.pop(name, None)
                store.drop(scenario, name)
            else:
                store.rotate()
        return expected

    with ThreadPoolExecutor(2) as threads:
        expected = list(threads.map(run, ("one", "other"), (one, other)))
    store = SecretStore(home, FileKeys(home))
    assert [store.of("one"), store.of("other")] == expected
