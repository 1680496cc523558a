"""What a browser is started with."""

from __future__ import annotations

import sys
from pathlib import Path

from kapture.backends.chromium.launch import Launch


def lists(kind: str, *extra: str) -> list[str]:
    """The flags that enable, or disable, features."""
    launch = Launch(profile=Path("profile"), browser=sys.executable, extra=extra)
    return [flag for flag in launch.arguments() if flag.startswith(f"--{kind}-features=")]


def test_pages_may_declare_tools() -> None:
    assert lists("enable") == ["--enable-features=WebMCP"]


def test_features_that_are_asked_for_are_enabled_as_well() -> None:
    asked = ("--enable-features=One,Two", "--mute-audio", "--enable-features=Three")
    assert lists("enable", *asked) == ["--enable-features=WebMCP,One,Two,Three"]


def test_features_that_are_asked_for_are_disabled_as_well() -> None:
    (own,) = lists("disable")
    assert "DisableLoadExtensionCommandLineSwitch" in own
    assert lists("disable", "--disable-features=One,Two") == [f"{own},One,Two"]


def test_nobody_but_the_page_is_asked_about_forms_searches_or_the_time() -> None:
    (disabled,) = lists("disable")
    asking = {
        "AutofillServerCommunication",
        "PreconnectToSearch",
        "AimEnabled",
        "NetworkTimeServiceQuerying",
    }
    assert asking <= set(disabled.removeprefix("--disable-features=").split(","))


def test_only_a_window_that_nobody_sees_has_neither_animations_nor_thumbnails() -> None:
    def flags(*, headless: bool) -> str:
        return " ".join(Launch(profile=Path("profile"), browser=sys.executable, headless=headless).arguments())

    for flag in ("--animation-duration-scale=0", "TabHoverCardImages"):
        assert flag in flags(headless=True)
        assert flag not in flags(headless=False)
