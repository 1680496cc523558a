"""What capped a hub caps the one that a client starts after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.policy import Policy
from kapture.policy.kept_caps import FILE_NAME, Caps, caps_of, keep, with_kept
from kapture.settings import Settings

RULES = 'level = "read"\ncommands_denied = ["click"]\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The data folder of a hub that ran with a policy file and in safe mode."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    policy = tmp_path / "policy.toml"
    policy.write_text(RULES)
    policy.chmod(0o600)
    keep(home, caps_of(Policy.load(home, policy, safe_mode=True)))
    return home


def test_without_a_hub_before_nothing_is_added(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert with_kept(settings) == settings


def test_a_hub_that_starts_by_itself_runs_with_what_the_hub_before_ran_with(home: Path) -> None:
    found = with_kept(Settings(home=home))
    assert (found.policy_file, found.safe_mode) == (home.parent / "policy.toml", True)


def test_its_own_settings_may_add_caps_and_take_none_away(home: Path, tmp_path: Path) -> None:
    keep(home, Caps(policy_file=None, sha256=None, safe_mode=False))
    own = Settings(home=home, policy_file=tmp_path / "policy.toml", safe_mode=True)
    assert with_kept(own) == own


def _remove(file: Path) -> None:
    file.unlink()


def _loosen(file: Path) -> None:
    file.write_text('level = "full"\n')


def _open_to_others(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize("happens", [_remove, _loosen, _open_to_others])
def test_a_policy_file_that_is_not_as_it_was_stops_it(home: Path, happens: Callable[[Path], None]) -> None:
    file = home.parent / "policy.toml"
    happens(file)
    with pytest.raises(KaptureError) as refused:
        with_kept(Settings(home=home))
    assert refused.value.code is ErrorCode.POLICY_DENIED
    assert f"kapture serve --background --policy {file} --safe-mode" in refused.value.hint


def test_another_policy_file_does_not_take_its_place(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("")
    with pytest.raises(KaptureError, match=r"other\.toml"):
        with_kept(Settings(home=home, policy_file=other))


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff"])
def test_damaged_caps_stop_it(home: Path, content: bytes) -> None:
    (home / FILE_NAME).write_bytes(content)
    with pytest.raises(KaptureError, match="cannot be read"):
        with_kept(Settings(home=home))


def test_the_policy_file_of_the_data_folder_is_missed_when_it_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(RULES)
    keep(home, caps_of(Policy.load(home)))
    assert with_kept(Settings(home=home)).policy_file == home / "policy.toml"
    (home / "policy.toml").unlink()
    with pytest.raises(KaptureError, match="cannot be used now"):
        with_kept(Settings(home=home))
