"""The index of scenarios agrees with the folder, whatever happens to either, and spares reading what is unchanged."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.scenarios.files.decode import encode
from kapture.scenarios.files.index import INDEX_NAME, Entry, ending_at, entry_of, listed, search
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


@pytest.fixture
def folder(tmp_path: Path) -> ScenarioFolder:
    return ScenarioFolder(tmp_path / "home")


@pytest.fixture
def read(folder: ScenarioFolder, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read, in their order; and all files changed long ago."""
    names: list[str] = []
    load = ScenarioFolder.load

    def noted(self: ScenarioFolder, name: str) -> Scenario:
        names.append(name)
        return load(self, name)

    monkeypatch.setattr(ScenarioFolder, "load", noted)
    later = time.time_ns() + 60_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    return names


def test_only_what_has_changed_is_read_again(folder: ScenarioFolder, read: list[str]) -> None:
    for name in "abc":
        folder.save(scenario(name, "first"))
    first = listed(folder)
    assert (read, [one.description for one in first]) == (["a", "b", "c"], ["first"] * 3)
    read.clear()
    assert listed(folder) == first
    assert read == []
    folder.save(scenario("b", "later"))
    assert [one.description for one in listed(folder)] == ["first", "later", "first"]
    assert read == ["b"]
    assert (folder.home / INDEX_NAME).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format":1}', b"\xff\xfe", b"[" * 100_000, b'{"x":' * 100_000]
)
def test_a_damaged_index_is_made_again(folder: ScenarioFolder, read: list[str], content: bytes) -> None:
    folder.save(scenario("a", "one"))
    right = listed(folder)
    whole = (folder.home / INDEX_NAME).read_bytes()
    (folder.home / INDEX_NAME).write_bytes(content)
    assert listed(folder) == right
    assert (folder.home / INDEX_NAME).read_bytes() == whole


@pytest.mark.parametrize("other", [{"format": 0}, {"kapture": "0.0.0"}])
def test_an_index_of_another_version_is_made_again(
    folder: ScenarioFolder, read: list[str], other: dict[str, object]
) -> None:
    """Another version may read other files as scenarios."""
    folder.save(scenario("a", "one"))
    listed(folder)
    path = folder.home / INDEX_NAME
    path.write_bytes(msgspec.json.encode({**msgspec.json.decode(path.read_bytes()), **other}))
    read.clear()
    listed(folder)
    assert read == ["a"]


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["save", "delete", "write by hand", "break", "lose the index", "list"]),
        st.sampled_from("abc"),
        st.sampled_from(["one", "three"]),  # a size says which: the file's time may be the same
    ),
    max_size=12,
)


@settings(max_examples=examples(60), deadline=None)
@given(changes=CHANGES)
def test_a_list_is_what_the_files_are_after_any_changes(changes: Sequence[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        later = time.time_ns() + 60_000_000_000
        patch.setattr(time, "time_ns", lambda: later)
        folder = ScenarioFolder(Path(home) / "kapture")
        folder.save(scenario("z"))
        for kind, name, text in changes:
            path = folder.path(name)
            match kind:
                case "save":
                    folder.save(scenario(name, text))
                case "delete":
                    path.unlink(missing_ok=True)
                case "write by hand":
                    path.write_bytes(encode(scenario(name, text)))
                case "break":
                    path.write_bytes(b"{")
                case "lose the index":
                    (folder.home / INDEX_NAME).unlink(missing_ok=True)
                case "list":
                    listed(folder)
        shown = listed(folder)
        (folder.home / INDEX_NAME).unlink()
        assert shown == listed(folder)


def _entries(*scenarios: Scenario) -> list[Entry]:
    return [entry_of(one) for one in scenarios]


def test_search_wants_every_word_and_every_tag_and_puts_names_first() -> None:
    known = _entries(
        scenario("pay", "leads through the checkout", ["shop"]),
        scenario("checkout", "buy", ["Shop", "daily"]),
        scenario("other", "nothing"),
    )
    assert [one.name for one in search(known, "CHECKOUT")] == ["checkout", "pay"]
    assert [one.name for one in search(known, "checkout leads")] == ["pay"]
    assert [one.name for one in search(known, tags=["shop", "daily"])] == ["checkout"]
    assert [one.name for one in search(known)] == ["checkout", "other", "pay"]


def test_a_scenario_that_ends_where_another_begins_may_run_before_it() -> None:
    entries = [
        Entry(name="sign_in", url="https://shop.example/login", ends="*/account*"),
        Entry(name="stays", url="https://shop.example/account", ends="*/account*"),
        Entry(name="elsewhere", url="https://shop.example/", ends="*/cart*"),
        Entry(name="nowhere", url="https://shop.example/"),
    ]
    assert ending_at(entries, "https://shop.example/account") == ["sign_in"]
    assert ending_at(entries, "") == []
