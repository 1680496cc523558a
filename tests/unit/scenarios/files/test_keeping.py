"""Secrets of a name never come to belong to another scenario of that name."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.editing import replaced
from kapture.scenarios.files import keeping
from kapture.scenarios.files.index import INDEX_NAME, listed
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Metadata, Scenario, Step
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret
from tests.support.examples import examples

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


def scenario(name: str, description: str = "", tags: list[str] | None = None, title: str = "") -> Scenario:
    return Scenario(
        version=1,
        name=name,
        description=description,
        tags=tags or [],
        metadata=Metadata(title=title),
        chain=[Step(command="go_back")],
    )


class Crash(BaseException):
    """The process ends here."""


@contextmanager
def crashing_before_call(number: int) -> Iterator[None]:
    """Every call by which a file changes is counted; this one does not come to pass, nor anything after it."""
    left = number

    def guarded(function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Crash
            return function(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (os, "open"),
            (os, "fchmod"),
            (os, "fsync"),
            (os, "fdopen"),
            (Path, "replace"),
            (Path, "unlink"),
            (Path, "mkdir"),
        ):
            patch.setattr(owner, name, guarded(getattr(owner, name)))
        yield


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["save", "delete"]), st.sampled_from("abc"), st.sampled_from(["one", "two", "three"])),
    max_size=6,
)


@settings(max_examples=examples(40), deadline=None)
@given(operations=OPERATIONS, crash_at=st.integers(0, 12))
def test_a_crash_between_any_two_writes_loses_nothing(operations: list[tuple[str, str, str]], crash_at: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = ScenarioFolder(Path(home) / "kapture")
        expected: dict[str, str] = {}
        for kind, name, text in operations[:-1]:
            _do(folder, expected, kind, name, text)
        after = dict(expected)
        if operations:
            kind, name, text = operations[-1]
            try:
                with crashing_before_call(crash_at):
                    _do(folder, after, kind, name, text)
            except Crash:
                pass
        entries = listed(ScenarioFolder(folder.folder.parent))
        assert {one.name: one.description for one in entries} in (expected, after)
        assert [one for one in entries if one.problem is not None] == []


def _do(folder: ScenarioFolder, expected: dict[str, str], kind: str, name: str, text: str) -> None:
    if kind == "save":
        expected[name] = text
        folder.save(scenario(name, text))
    elif name in folder.names():
        del expected[name]
        folder.delete(name)


def test_saved_file_is_loaded_again_and_private(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path / "home")
    path = folder.save(scenario("sign_in", "Sign in"))
    assert folder.load("sign_in") == scenario("sign_in", "Sign in")
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "a\nb", "a" * 101, "ä"])
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    folder = ScenarioFolder(tmp_path / "home")
    for act in (folder.load, folder.delete):
        with pytest.raises(KaptureError, match="not a valid name"):
            act(name)
    with pytest.raises(KaptureError):
        folder.save(scenario(name))
    assert list(tmp_path.rglob("*.json")) == []


def test_an_unknown_name_is_answered_with_the_closest_ones(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path / "home")
    folder.save(scenario("checkout"))
    with pytest.raises(KaptureError, match="no scenario 'chekout'") as caught:
        folder.load("chekout")
    assert caught.value.data["suggestions"] == ["checkout"]


def test_a_file_that_is_no_scenario_is_named_and_hides_no_other(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path / "home")
    folder.save(scenario("good"))
    (folder.folder / "bad.json").write_text("{")
    (folder.folder / "moved.json").write_bytes((folder.folder / "good.json").read_bytes())
    assert [(one.name, one.problem is None) for one in listed(folder)] == [
        ("good", True),
        ("bad", False),
        ("moved", False),
    ]


def test_a_taken_name_is_replaced_only_when_asked(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path / "home")
    folder.save(scenario("a", "first"))
    with pytest.raises(KaptureError, match="already"):
        folder.save(scenario("a", "second"), replace=False)
    assert folder.load("a").description == "first"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_irregular_file_is_refused_instead_of_read(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path)
    folder.save(scenario("good"))
    os.mkfifo(folder.folder / "pipe.json")
    (folder.folder / "endless.json").symlink_to("/dev/zero")
    good, *others = listed(folder)
    assert (good.name, good.problem) == ("good", None)
    assert [one.name for one in others] == ["endless", "pipe"]
    assert all("not a regular file" in str(one.problem) for one in others)
