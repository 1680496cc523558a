"""What a browser is started with."""

from __future__ import annotations

import sys
from pathlib import Path

from kapture.backends.chromium.launch import Launch


def enabled(*extra: str) -> list[str]:
    launch = Launch(profile=Path("profile"), browser=sys.executable, extra=extra)
    return [flag for flag in launch.arguments() if flag.startswith("--enable-features=")]


def test_pages_may_declare_tools() -> None:
    assert enabled() == ["--enable-features=WebMCP"]


def test_features_that_are_asked_for_are_enabled_as_well() -> None:
    asked = ("--enable-features=One,Two", "--mute-audio", "--enable-features=Three")
    assert enabled(*asked) == ["--enable-features=WebMCP,One,Two,Three"]
