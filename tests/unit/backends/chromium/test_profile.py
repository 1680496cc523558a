"""Tests of profile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
import trio
import trio.testing

from kapture.backends.chromium.find import find_browser
from kapture.backends.chromium.profile import lock_profile, named_profile, recover_profile, throw_away_profile
from kapture.errors import ErrorCode, KaptureError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


async def test_a_profile_that_stays_in_use_is_locked(home: Path, autojump_clock: trio.testing.MockClock) -> None:
    profile = named_profile(home, "work")
    handle = await lock_profile(profile)
    with pytest.raises(KaptureError, match="profile work is in use") as caught:
        await lock_profile(profile)
    assert caught.value.code is ErrorCode.LAUNCH_FAILED
    os.close(handle)
    os.close(await lock_profile(profile))


async def test_a_browser_that_is_just_ending_is_waited_for(home: Path, autojump_clock: trio.testing.MockClock) -> None:
    profile = named_profile(home, "work")
    handle = await lock_profile(profile)

    async def end() -> None:
        await trio.sleep(1)
        os.close(handle)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(end)
        os.close(await lock_profile(profile))


@pytest.mark.parametrize("name", ["", "..", "a/b", "../x", "-x", ".hidden", "ä", "a" * 65])
def test_a_profiles_name_names_a_folder_of_ours(home: Path, name: str) -> None:
    with pytest.raises(KaptureError, match="cannot be the name of a profile"):
        named_profile(home, name)


async def test_folders_that_nobody_locks_are_removed_and_others_stay(home: Path) -> None:
    left, used = throw_away_profile(home), throw_away_profile(home)
    assert not left.exists()  # nobody had locked it when the next was made
    handle = await lock_profile(used)
    try:
        assert throw_away_profile(home).exists()
        assert used.exists()
    finally:
        os.close(handle)


async def test_the_lock_of_a_dead_browser_is_taken_away(home: Path) -> None:
    profile = named_profile(home, "work")
    dead = subprocess.Popen([sys.executable, "-c", ""])  # noqa: ASYNC220
    dead.wait()
    for name, target in {
        "SingletonLock": f"{os.uname().nodename}-{dead.pid}",
        "SingletonSocket": "/nowhere/socket",
        "SingletonCookie": "123",
    }.items():
        (profile / name).symlink_to(target)
    await recover_profile(profile)
    assert not [path.name for path in profile.iterdir() if path.name.startswith("Singleton")]


async def test_the_port_of_an_earlier_browser_is_not_taken_for_the_next_ones(home: Path) -> None:
    profile = named_profile(home, "work")
    (profile / "DevToolsActivePort").write_text("9222\n/devtools/browser/earlier")
    await recover_profile(profile)
    assert not (profile / "DevToolsActivePort").exists()


@pytest.mark.parametrize("living", [True, False])
async def test_the_lock_of_a_browser_that_may_live_stays(home: Path, living: bool, autojump_clock: object) -> None:
    profile = named_profile(home, "work")
    script = "import sys; sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", script, str(profile)], stdin=subprocess.PIPE) as process:  # noqa: ASYNC220
        owner = f"{os.uname().nodename}-{process.pid}" if living else "elsewhere-1"
        (profile / "SingletonLock").symlink_to(owner)
        with pytest.raises(KaptureError, match=f"process {process.pid}" if living else "on the machine elsewhere"):
            await recover_profile(profile)
        assert (profile / "SingletonLock").is_symlink()


def left_socket(folder: Path, profile: Path) -> Path:
    """Create Chromium's files in the folder for temporary files during a run on the profile; returns its folder
    there."""
    made = folder / "org.chromium.Chromium.abc123"
    made.mkdir()
    (made / "SingletonSocket").touch()
    (made / "SingletonCookie").symlink_to("4711")
    (profile / "SingletonSocket").symlink_to(made / "SingletonSocket")
    return made


async def test_the_socket_that_a_killed_browser_has_left_is_removed_with_its_lock(home: Path, tmp_path: Path) -> None:
    profile = named_profile(home, "work")
    made = left_socket(tmp_path, profile)
    await recover_profile(profile)
    assert not made.exists()
    assert list(profile.iterdir()) == []


@pytest.mark.parametrize("target", ["SingletonSocket", "/tmp", "../work/kept"])
async def test_only_a_browsers_socket_is_removed(home: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    profile = named_profile(home, "work")
    (profile / "kept").touch()
    monkeypatch.chdir(profile)
    (profile / "SingletonSocket").symlink_to(target)
    await recover_profile(profile)
    assert [one.name for one in profile.iterdir()] == ["kept"]


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


WINDOWS = {
    "ProgramFiles": r"C:\Program Files",
    "ProgramFiles(x86)": r"C:\Program Files (x86)",
    "LOCALAPPDATA": r"C:\Users\me\AppData\Local",
}


@attrs.frozen
class Registry:
    """Record the questions to Windows' registry."""

    values: dict[tuple[str, str], str]
    HKEY_CURRENT_USER: str = "user"
    HKEY_LOCAL_MACHINE: str = "machine"

    def QueryValue(self, root: str, key: str) -> str:
        try:
            return self.values[root, key.rpartition("\\")[2]]
        except KeyError:
            raise FileNotFoundError(key) from None


def test_a_browser_that_was_installed_elsewhere_is_found_by_windows_registry(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = program(path, "brave.exe")
    monkeypatch.setitem(sys.modules, "winreg", Registry({("machine", "brave.exe"): f'"{elsewhere}"'}))
    assert find_browser("brave", platform="win32", environment=WINDOWS) == str(elsewhere)
    with pytest.raises(KaptureError, match="names edge, which is not installed"):
        find_browser("edge", platform="win32", environment=WINDOWS)
