"""Secrets of a name never come to belong to another scenario of that name."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.editing import replaced
from kapture.scenarios.files import keeping
from kapture.scenarios.files.index import INDEX_NAME, listed
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Scenario, Step
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

OLD = {"password": StoredSecret("hunter2", ("https://shop.example",))}
NEW = {"pin": StoredSecret("1234", ("https://other.example",))}


class Folders:
    """A scenario "main" with a secret, in a folder of its own."""

    def __init__(self, home: Path) -> None:
        self.folder = ScenarioFolder(home)
        self.store = SecretStore(home, FileKeys(home))
        self.folder.save(flow("by the person"))
        self.store.put("main", OLD)

    def keep(self, values: dict[str, StoredSecret] | None = None, *, replace: bool = True) -> None:
        keeping.keep(self.folder, self.store, flow("by somebody else"), values or {}, replace=replace)

    def remove(self) -> None:
        keeping.remove(self.folder, self.store, "main")


@pytest.fixture
def there(tmp_path: Path) -> Folders:
    return Folders(tmp_path / "home")


def flow(description: str) -> Scenario:
    return Scenario(version=1, name="main", description=description, chain=[Step(command="reload")])


@pytest.mark.parametrize("values", [{}, NEW])
def test_a_scenario_that_replaces_another_has_its_own_secrets_only(
    there: Folders, values: dict[str, StoredSecret]
) -> None:
    there.keep(values)
    assert there.folder.load("main").description == "by somebody else"
    assert there.store.of("main") == values


def test_a_scenario_that_may_not_replace_another_leaves_it_its_secrets(there: Folders) -> None:
    with pytest.raises(KaptureError, match="already"):
        there.keep(NEW, replace=False)
    assert there.folder.load("main").description == "by the person"
    assert there.store.of("main") == OLD


def test_secrets_of_a_file_that_was_removed_by_hand_are_not_the_next_ones(there: Folders) -> None:
    (there.folder.folder / "main.json").unlink()
    there.keep(replace=False)
    assert there.store.of("main") == {}


@pytest.mark.parametrize("change", ["keep", "remove", "put_back", "edit"])
def test_the_words_of_a_scenario_leave_the_index_with_its_file(
    there: Folders, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    there.folder.save(msgspec.structs.replace(flow("another"), name="other"))
    later = time.time_ns() + 60_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    listed(there.folder)
    index = there.folder.home / INDEX_NAME
    assert "by the person" in index.read_text()
    if change == "put_back":
        keeping.put_back(there.folder, flow("by the person"), flow("healed"))
    elif change == "edit":
        replaced(there.folder, there.store, "main", msgspec.to_builtins(flow("edited")))
    else:
        getattr(there, change)()
    assert "by the person" not in index.read_text()
    assert "another" in index.read_text()


def test_a_list_that_began_before_a_scenario_was_removed_does_not_put_its_words_back(
    there: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.folder.save(msgspec.structs.replace(flow("another"), name="other"))
    later = time.time_ns() + 60_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)

    def removed_once_read(folder: ScenarioFolder, name: str) -> Scenario:
        found = load(folder, name)
        if name == "main":
            there.remove()
        return found

    load = ScenarioFolder.load
    monkeypatch.setattr(ScenarioFolder, "load", removed_once_read)
    listed(there.folder)
    index = (there.folder.home / INDEX_NAME).read_text()
    assert "by the person" not in index
    assert "another" in index


@pytest.mark.parametrize("content", [b"broken", b""])
def test_an_index_that_cannot_be_read_is_removed_with_what_was_in_it(there: Folders, content: bytes) -> None:
    index = there.folder.home / INDEX_NAME
    index.write_bytes(content)
    there.remove()
    assert not index.exists()


@pytest.mark.parametrize("change", ["keep", "remove"])
def test_an_index_that_cannot_be_removed_is_named_and_nothing_is_lost(there: Folders, change: str) -> None:
    index = there.folder.home / INDEX_NAME
    index.mkdir()
    secrets = there.store.of("main")
    with pytest.raises(KaptureError, match=INDEX_NAME) as refused:
        getattr(there, change)()
    assert refused.value.code is ErrorCode.UNAUTHORIZED
    assert there.store.of("main") == secrets != {}
    assert there.folder.load("main") == flow("by the person")


class CrashError(Exception):
    pass


def crash_at(monkeypatch: pytest.MonkeyPatch, there: Folders, write: int) -> None:
    """The process ends before the write of this number, from 0."""
    done = 0

    def before(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal done
            if done == write:
                raise CrashError
            done += 1
            return function(*given, **named)

        return call

    for owner, name in ((there.store, "drop"), (there.folder, "save"), (there.folder, "delete"), (there.store, "put")):
        monkeypatch.setattr(owner, name, before(getattr(owner, name)))


@pytest.mark.parametrize("write", range(4))
@pytest.mark.parametrize("change", ["keep", "remove"])
def test_a_crash_between_two_writes_never_leaves_another_scenario_with_old_secrets(
    there: Folders, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, write: int, change: str
) -> None:
    crash_at(monkeypatch, there, write)
    with suppress(CrashError):
        there.keep(NEW) if change == "keep" else there.remove()
    known = SecretStore(tmp_path / "home", FileKeys(tmp_path / "home")).of("main")
    folder = ScenarioFolder(tmp_path / "home")
    is_old = folder.names() == ["main"] and folder.load("main").description == "by the person"
    assert known in ([OLD, {}] if is_old else [NEW, {}])
