"""Where browsers keep the profiles of the persons who use them: Kapture starts no browser on one of those."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

# By platform: a folder, and how the names in it begin (lower case) that are browsers' folders of profiles.
_PLACES: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "linux": (
        ("{config}", ("google-chrome", "chromium", "microsoft-edge", "bravesoftware", "vivaldi", "opera")),
        ("{home}/snap", ("chromium", "brave", "vivaldi", "opera")),
        (
            "{home}/.var/app",
            ("com.google.", "org.chromium.", "com.microsoft.", "com.brave.", "com.vivaldi.", "com.opera."),
        ),
    ),
    "darwin": (
        (
            "{home}/Library/Application Support",
            ("google", "chromium", "microsoft edge", "bravesoftware", "vivaldi", "com.operasoftware."),
        ),
    ),
    "win32": (
        ("{local}", ("google", "chromium", "microsoft", "bravesoftware", "vivaldi", "opera software")),
        ("{roaming}", ("opera software",)),
    ),
}


def is_own_profile(
    folder: Path,
    *,
    platform: str = sys.platform,
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
) -> bool:
    """Whether a person's browser may keep a profile in this folder, below it or above it."""
    environment = os.environ if environment is None else environment
    home = Path.home() if home is None else home
    folder = folder.resolve()
    for pattern, beginnings in _PLACES.get(platform, _PLACES["linux"]):
        place = Path(
            pattern.format(
                home=home,
                config=environment.get("XDG_CONFIG_HOME") or home / ".config",
                local=environment.get("LOCALAPPDATA") or home / "AppData" / "Local",
                roaming=environment.get("APPDATA") or home / "AppData" / "Roaming",
            )
        ).resolve()
        if place.is_relative_to(folder):
            return True
        if folder.is_relative_to(place) and folder.relative_to(place).parts[0].lower().startswith(beginnings):
            return True
        if any(_overlap(folder, linked) for linked in _linked(place, beginnings)):
            return True
    return False


def _linked(place: Path, beginnings: tuple[str, ...]) -> list[Path]:
    """Where the folders of profiles are that are only linked to from their place."""
    try:
        return [
            own.resolve() for own in place.iterdir() if own.is_symlink() and own.name.lower().startswith(beginnings)
        ]
    except OSError:
        return []


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
