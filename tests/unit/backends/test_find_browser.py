from __future__ import annotations

from pathlib import Path

import pytest

from kapture.backends.chromium.find import find_browser
from kapture.errors import ErrorCode, KaptureError


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "installed"),
    [
        ("chrome", "google-chrome-stable"),
        ("chromium", "chromium-browser"),
        ("edge", "microsoft-edge"),
        ("brave", "brave-browser"),
    ],
)
def test_a_browser_is_found_by_its_name(path: Path, name: str, installed: str) -> None:
    for every in ("google-chrome-stable", "chromium-browser", "microsoft-edge", "brave-browser"):
        program(path, every)
    assert find_browser(name, platform="linux", environment={}) == str(path / installed)


def test_a_named_path_comes_before_the_environment_and_that_before_what_is_installed(path: Path) -> None:
    mine, theirs = program(path, "mine"), program(path, "theirs")
    program(path, "chromium")
    environment = {"KAPTURE_BROWSER": str(theirs)}
    assert find_browser(str(mine), platform="linux", environment=environment) == str(mine)
    assert find_browser(platform="linux", environment=environment) == str(theirs)


def test_a_browser_that_is_not_installed_is_named_in_the_error(path: Path) -> None:
    with pytest.raises(KaptureError, match="--browser names edge, which is not installed") as caught:
        find_browser("edge", platform="darwin", environment={})
    assert caught.value.code is ErrorCode.LAUNCH_FAILED


def test_a_wrong_path_in_the_environment_is_reported(path: Path) -> None:
    with pytest.raises(KaptureError, match="KAPTURE_BROWSER names '/no/such', which is not a program"):
        find_browser(platform="linux", environment={"KAPTURE_BROWSER": "/no/such"})
