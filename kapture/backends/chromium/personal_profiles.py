"""Where browsers keep the profiles of the persons who use them: Kapture starts no browser on one of those.

The places are those of Chromium's `docs/user_data_dir.md` and of the other vendors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

# By platform: a folder, and how the names in it begin (lower case) that are browsers' folders of profiles.
_PLACES: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "linux": (
        ("{config}", ("google-chrome", "chromium", "microsoft-edge", "bravesoftware", "vivaldi", "opera")),
        ("{chrome}", ("google-chrome", "chromium", "microsoft-edge", "bravesoftware", "vivaldi")),
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


def is_personal_profile(
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
    for place, beginnings in _places(platform, environment, home):
        if _within(place, folder):
            return True
        if any(_same(each.parent, place) and _begins(each, beginnings) for each in (folder, *folder.parents)):
            return True
        for own in _folders_in(place, beginnings):  # which may be links that lead elsewhere
            if _within(folder, own) or _within(own, folder):
                return True
    named = environment.get("CHROME_USER_DATA_DIR", "") if platform not in ("darwin", "win32") else ""
    return bool(named) and (_within(folder, Path(named).resolve()) or _within(Path(named).resolve(), folder))


def _places(platform: str, environment: Mapping[str, str], home: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    config = environment.get("XDG_CONFIG_HOME") or home / ".config"
    folders = {
        "home": home,
        "config": config,
        "chrome": environment.get("CHROME_CONFIG_HOME") or config,
        "local": environment.get("LOCALAPPDATA") or home / "AppData" / "Local",
        "roaming": environment.get("APPDATA") or home / "AppData" / "Roaming",
    }
    for pattern, beginnings in _PLACES.get(platform, _PLACES["linux"]):
        yield Path(pattern.format_map(folders)).resolve(), beginnings


def _folders_in(place: Path, beginnings: tuple[str, ...]) -> list[Path]:
    try:
        return [own.resolve() for own in place.iterdir() if _begins(own, beginnings)]
    except OSError:
        return []


def _begins(folder: Path, beginnings: tuple[str, ...]) -> bool:
    return folder.name.lower().startswith(beginnings)


def _within(folder: Path, other: Path) -> bool:
    return any(_same(each, other) for each in (folder, *folder.parents))


def _same(one: Path, other: Path) -> bool:
    """Whether both name one folder: it may be mounted twice, and macOS takes names in any case."""
    with suppress(OSError):
        return one == other or one.samefile(other)
    return False
