"""Where browsers look for native messaging hosts: data for every platform, tried on none but this one."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from kapture.pairing.browser_locations import BrowserLocation, browser_locations

LINUX = {"HOME": "/h"}
WINDOWS = {"LOCALAPPDATA": r"C:\Users\me\AppData\Local"}


def located(platform: str, browser: str, sandbox: str | None = None) -> BrowserLocation:
    environment = WINDOWS if platform == "win32" else LINUX
    (found,) = [
        location
        for location in browser_locations(platform, environment)
        if (location.browser, location.sandbox) == (browser, sandbox)
    ]
    return found


@pytest.mark.parametrize(
    ("platform", "browser", "sandbox", "where"),
    [
        ("linux", "chrome", None, "/h/.config/google-chrome"),
        ("linux", "chromium", None, "/h/.config/chromium"),
        ("linux", "edge", None, "/h/.config/microsoft-edge"),
        ("linux", "brave", None, "/h/.config/BraveSoftware/Brave-Browser"),
        ("linux", "vivaldi", None, "/h/.config/vivaldi"),
        ("linux", "opera", None, "/h/.config/opera"),
        ("linux", "chrome", "flatpak", "/h/.var/app/com.google.Chrome/config/google-chrome"),
        ("linux", "brave", "flatpak", "/h/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser"),
        ("linux", "edge", "flatpak", "/h/.var/app/com.microsoft.Edge/config/microsoft-edge"),
        ("linux", "chromium", "snap", "/h/snap/chromium/common/chromium"),
        ("linux", "brave", "snap", "/h/snap/brave/current/.config/BraveSoftware/Brave-Browser"),
        ("darwin", "chrome", None, "/h/Library/Application Support/Google/Chrome"),
        ("darwin", "chromium", None, "/h/Library/Application Support/Chromium"),
        ("darwin", "edge", None, "/h/Library/Application Support/Microsoft Edge"),
        ("darwin", "brave", None, "/h/Library/Application Support/BraveSoftware/Brave-Browser"),
        ("darwin", "vivaldi", None, "/h/Library/Application Support/Vivaldi"),
        ("darwin", "opera", None, "/h/Library/Application Support/com.operasoftware.Opera"),
    ],
)
def test_manifests_lie_in_the_folder_of_the_browser(
    platform: str, browser: str, sandbox: str | None, where: str
) -> None:
    location = located(platform, browser, sandbox)
    assert location.profile_root == Path(where)
    assert location.folders[0] == Path(where) / "NativeMessagingHosts"


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_opera_is_registered_where_it_reads_chromes_hosts_too(platform: str) -> None:
    assert located(platform, "opera").folders[1:] == located(platform, "chrome").folders


@pytest.mark.parametrize(
    ("browser", "key"),
    [
        ("chrome", r"Software\Google\Chrome"),
        ("chromium", r"Software\Chromium"),
        ("edge", r"Software\Microsoft\Edge"),
        ("brave", r"Software\Google\Chrome"),
        ("vivaldi", r"Software\Google\Chrome"),
        ("opera", r"Software\Google\Chrome"),
    ],
)
def test_on_windows_the_registry_names_the_manifest(browser: str, key: str) -> None:
    assert located("win32", browser).registry_key == rf"{key}\NativeMessagingHosts\dev.kapture.hub"


@pytest.mark.parametrize(
    ("browser", "below"),
    [
        ("chrome", r"Google\Chrome\User Data"),
        ("chromium", r"Chromium\User Data"),
        ("edge", r"Microsoft\Edge\User Data"),
        ("brave", r"BraveSoftware\Brave-Browser\User Data"),
        ("vivaldi", r"Vivaldi\User Data"),
        ("opera", r"..\Roaming\Opera Software\Opera Stable"),
    ],
)
def test_on_windows_a_used_browser_is_known_by_its_profiles(browser: str, below: str) -> None:
    root = PureWindowsPath(str(located("win32", browser).profile_root).replace("/", "\\"))
    assert root == PureWindowsPath(WINDOWS["LOCALAPPDATA"]) / below


@pytest.mark.parametrize("browser", ["chrome", "chromium", "edge", "brave", "vivaldi", "opera"])
def test_on_macos_an_installed_browser_is_known_by_its_application(browser: str) -> None:
    (program,) = located("darwin", browser).programs
    assert program.startswith("/Applications/")
    assert program.endswith(f".app/Contents/MacOS/{PurePosixPath(program).parts[2].removesuffix('.app')}")


def test_a_browser_is_in_use_when_it_is_installed_and_was_never_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {location.browser for location in browser_locations("linux", {"HOME": str(tmp_path)}) if location.in_use}
    assert found == {"chrome"}


def test_a_sandboxed_browser_comes_with_the_step_that_only_the_person_can_do() -> None:
    assert "flatpak override --user" in located("linux", "chrome", "flatpak").advice
    assert "com.google.Chrome" in located("linux", "chrome", "flatpak").advice
    assert "options" in located("linux", "chromium", "snap").advice
    assert located("linux", "chrome").advice == ""
