"""A scenario is shown with what a run needs, and replaced by a changed one."""

from __future__ import annotations

import copy
import re
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.editing import replaced, shown
from kapture.scenarios.files.decode import convert
from kapture.scenarios.files.keeping import keep
from kapture.scenarios.files.storage import ScenarioFolder
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


def test_what_a_run_needs_includes_the_secrets_of_what_it_depends_on(
    folder: ScenarioFolder, store: SecretStore
) -> None:
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
