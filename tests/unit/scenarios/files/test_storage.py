from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.scenarios.files.index import listed
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Metadata, Scenario, Step
from tests.support.examples import examples


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


def test_what_is_saved_is_loaded_again_and_private(tmp_path: Path) -> None:
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
def test_what_is_no_regular_file_is_refused_instead_of_read(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path)
    folder.save(scenario("good"))
    os.mkfifo(folder.folder / "pipe.json")
    (folder.folder / "endless.json").symlink_to("/dev/zero")
    good, *others = listed(folder)
    assert (good.name, good.problem) == ("good", None)
    assert [one.name for one in others] == ["endless", "pipe"]
    assert all("not a regular file" in str(one.problem) for one in others)
