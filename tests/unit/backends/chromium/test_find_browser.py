from __future__ import annotations

import sys
from pathlib import Path

import attrs
import pytest

from kapture.backends.chromium.find import find_browser, usual_programs
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


WINDOWS = {
    "ProgramFiles": r"C:\Program Files",
    "ProgramFiles(x86)": r"C:\Program Files (x86)",
    "LOCALAPPDATA": r"C:\Users\me\AppData\Local",
}


@pytest.mark.parametrize(
    ("platform", "name", "programs"),
    [
        (
            "win32",
            "chrome",
            [
                r"C:\Program Files\Google\Chrome\Application\chrome.exe",
                r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
                r"C:\Users\me\AppData\Local\Google\Chrome\Application\chrome.exe",
            ],
        ),
        (
            "win32",
            "chromium",
            [
                r"C:\Users\me\AppData\Local\Chromium\Application\chrome.exe",
                r"C:\Program Files\Chromium\Application\chrome.exe",
            ],
        ),
        (
            "win32",
            "edge",
            [
                r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
                r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
                r"C:\Users\me\AppData\Local\Microsoft\Edge\Application\msedge.exe",
            ],
        ),
        (
            "win32",
            "brave",
            [
                r"C:\Program Files\BraveSoftware\Brave-Browser\Application\brave.exe",
                r"C:\Program Files (x86)\BraveSoftware\Brave-Browser\Application\brave.exe",
                r"C:\Users\me\AppData\Local\BraveSoftware\Brave-Browser\Application\brave.exe",
            ],
        ),
        (
            "darwin",
            "chrome",
            [
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
                "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            ],
        ),
        (
            "darwin",
            "chromium",
            [
                "/Applications/Chromium.app/Contents/MacOS/Chromium",
                "~/Applications/Chromium.app/Contents/MacOS/Chromium",
                "chromium",
            ],
        ),
        (
            "darwin",
            "edge",
            [
                "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
                "~/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
            ],
        ),
        (
            "darwin",
            "brave",
            [
                "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
                "~/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
            ],
        ),
        (
            "linux",
            "brave",
            [
                "brave-browser-stable",
                "brave-browser",
                "brave",
                "/opt/brave.com/brave/brave",
                "/snap/bin/brave",
                "/var/lib/flatpak/exports/bin/com.brave.Browser",
                "~/.local/share/flatpak/exports/bin/com.brave.Browser",
            ],
        ),
    ],
)
def test_each_platform_has_its_usual_programs(platform: str, name: str, programs: list[str]) -> None:
    assert usual_programs(name, platform, WINDOWS) == programs


@attrs.frozen
class Registry:
    """What of Windows' registry is asked for."""

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
