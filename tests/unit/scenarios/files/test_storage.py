from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.scenarios.files.storage import ScenarioFolder, search
from kapture.scenarios.model import Metadata, Scenario, Step


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


@settings(max_examples=40, deadline=None)
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
        found = {one.name: one.description for one in ScenarioFolder(folder.folder.parent).listing().scenarios}
        assert found in (expected, after)
        assert folder.listing().unreadable == []


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
    listing = folder.listing()
    assert [one.name for one in listing.scenarios] == ["good"]
    assert [name for name, _ in listing.unreadable] == ["bad", "moved"]


def test_a_taken_name_is_replaced_only_when_asked(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path / "home")
    folder.save(scenario("a", "first"))
    with pytest.raises(KaptureError, match="already"):
        folder.save(scenario("a", "second"), replace=False)
    assert folder.load("a").description == "first"


def test_search_wants_every_word_and_every_tag_and_puts_names_first() -> None:
    known = [
        scenario("pay", "leads through the checkout", ["shop"]),
        scenario("checkout", "buy", ["Shop", "daily"]),
        scenario("other", "nothing"),
    ]
    assert [one.name for one in search(known, "CHECKOUT")] == ["checkout", "pay"]
    assert [one.name for one in search(known, "checkout leads")] == ["pay"]
    assert [one.name for one in search(known, tags=["shop", "daily"])] == ["checkout"]
    assert [one.name for one in search(known)] == ["checkout", "other", "pay"]


def test_search_knows_a_step_without_title_by_its_command() -> None:
    steps = [Step(command="reload"), Step(command="click", title="press Pay")]
    known = [msgspec.structs.replace(scenario("pay"), chain=steps), scenario("other")]
    assert [one.name for one in search(known, "reload")] == ["pay"]
    assert [one.name for one in search(known, "press")] == ["pay"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_regular_file_is_refused_instead_of_read(tmp_path: Path) -> None:
    folder = ScenarioFolder(tmp_path)
    folder.save(scenario("good"))
    os.mkfifo(folder.folder / "pipe.json")
    (folder.folder / "endless.json").symlink_to("/dev/zero")
    listing = folder.listing()
    assert [one.name for one in listing.scenarios] == ["good"]
    assert [name for name, _ in listing.unreadable] == ["endless", "pipe"]
    assert all("not a regular file" in error.message for _, error in listing.unreadable)
