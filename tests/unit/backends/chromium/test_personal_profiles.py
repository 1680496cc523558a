from __future__ import annotations

from pathlib import Path

import pytest

from kapture.backends.chromium.find import is_personal_profile
from kapture.backends.chromium.profile import chosen_profile
from kapture.errors import ErrorCode, KaptureError


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".config/google-chrome"),
        ("linux", ".config/google-chrome-beta/Default"),
        ("linux", ".config/chromium"),
        ("linux", ".config/microsoft-edge/Profile 2"),
        ("linux", ".config/BraveSoftware/Brave-Browser"),
        ("linux", "snap/chromium/common/chromium"),
        ("linux", ".var/app/com.google.Chrome/config/google-chrome"),
        ("linux", ".config/vivaldi/Default"),
        ("linux", ".config/opera"),
        ("linux", "snap/opera/current"),
        ("linux", ".var/app/com.vivaldi.Vivaldi/config/vivaldi"),
        ("linux", ".config"),
        ("linux", ""),
        ("darwin", "Library/Application Support/Google/Chrome"),
        ("darwin", "Library/Application Support/BraveSoftware/Brave-Browser/Default"),
        ("darwin", "Library/Application Support/Vivaldi"),
        ("darwin", "Library/Application Support/com.operasoftware.Opera/Default"),
        ("darwin", "Library"),
        ("win32", "AppData/Local/Google/Chrome/User Data"),
        ("win32", "AppData/Local/Microsoft/Edge/User Data/Default"),
        ("win32", "AppData/Local/Vivaldi/User Data"),
        ("win32", "AppData/Roaming/Opera Software/Opera Stable"),
    ],
)
def test_a_folder_of_a_persons_browser_is_recognised(tmp_path: Path, platform: str, folder: str) -> None:
    assert is_personal_profile(tmp_path / folder, platform=platform, environment={}, home=tmp_path)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("folder", [".chrome-mcp/cdp-profile", "work", ".local/share/kapture/x"])
def test_other_folders_are_nobodys(tmp_path: Path, platform: str, folder: str) -> None:
    assert not is_personal_profile(tmp_path / folder, platform=platform, environment={}, home=tmp_path)


def test_the_folders_that_the_environment_names_count(tmp_path: Path) -> None:
    def is_own(folder: str, platform: str, variable: str) -> bool:
        environment = {variable: str(tmp_path / "moved")}
        return is_personal_profile(
            tmp_path / folder, platform=platform, environment=environment, home=tmp_path / "home"
        )

    assert is_own("moved/chromium", "linux", "XDG_CONFIG_HOME")
    assert is_own("moved/Chromium/User Data", "win32", "LOCALAPPDATA")
    assert is_own("moved/google-chrome", "linux", "CHROME_CONFIG_HOME")
    assert is_own("moved/Default", "linux", "CHROME_USER_DATA_DIR")
    assert not is_own("moved/other", "linux", "XDG_CONFIG_HOME")
    assert not is_own("moved", "darwin", "CHROME_USER_DATA_DIR")


def test_no_link_leads_to_a_persons_own_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    own = tmp_path / ".config" / "chromium"
    own.mkdir(parents=True)
    (tmp_path / "innocent").symlink_to(own)
    with pytest.raises(KaptureError, match="it could be your own profile") as caught:
        chosen_profile(tmp_path / "innocent")
    assert caught.value.code is ErrorCode.LAUNCH_FAILED
    assert not list(own.iterdir())
    assert chosen_profile(tmp_path / "kept" / "profile").is_dir()


def test_a_profile_that_is_only_linked_to_from_its_place_is_recognised_where_it_is(tmp_path: Path) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / "large" / "chrome").mkdir(parents=True)
    (tmp_path / ".config" / "google-chrome").symlink_to(tmp_path / "large" / "chrome")

    def is_own(folder: str) -> bool:
        return is_personal_profile(tmp_path / folder, platform="linux", environment={}, home=tmp_path)

    assert is_own("large/chrome")
    assert is_own("large/chrome/Default")
    assert is_own("large")
    assert not is_own("large/other")


@pytest.mark.parametrize("folder", ["Google/Chrome", "Google/Not yet there", "Google", ""])
def test_a_persons_own_profile_is_recognised_by_every_name_that_its_folder_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    # As on macOS, where `resolve` leaves names in the case in which they were given.
    (tmp_path / "Library" / "Application Support" / "Google" / "Chrome").mkdir(parents=True)
    (tmp_path / "Library" / "application support").symlink_to(tmp_path / "Library" / "Application Support")
    monkeypatch.setattr(Path, "resolve", lambda self: self)

    def is_own(folder: str) -> bool:
        return is_personal_profile(tmp_path / folder, platform="darwin", environment={}, home=tmp_path)

    assert is_own(f"Library/application support/{folder}")
    assert not is_own("Library/application support/Kapture")
