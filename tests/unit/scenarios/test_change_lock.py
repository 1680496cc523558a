"""Changes of scenarios and secrets by several processes and threads at once: none is lost, whoever makes it."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.file_lock import open_lock, try_lock
from kapture.scenarios import change_lock as module
from kapture.scenarios.change_lock import LOCK_NAME, change_lock
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

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


def test_a_change_within_a_change_goes_on_and_ends_with_the_outer_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with change_lock(home):
        with change_lock(home):
            pass
        other = open_lock(home / LOCK_NAME)
        assert not try_lock(other)
    assert try_lock(other)


def test_a_lock_that_another_process_keeps_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    with change_lock(home):
        pass
    assert try_lock(open_lock(home / LOCK_NAME))
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    with pytest.raises(KaptureError, match="have been locked by other programs") as refused, change_lock(home):
        pass
    assert refused.value.code is ErrorCode.SCENARIO_FAILED
