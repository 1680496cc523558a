"""Find Chrome, Chromium, Edge or Brave on this machine."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import attrs

from kapture.errors import ErrorCode, KaptureError

NAMES = ("chrome", "chromium", "edge", "brave")

# Packages in a sandbox (Snap, Flatpak) come last: they may not be let into the folder of the profile.
_FLATPAKS = ("/var/lib/flatpak/exports/bin/", "~/.local/share/flatpak/exports/bin/")
_MAC_FOLDERS = ("/Applications/", "~/Applications/")
_PROGRAMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "linux": {
        "chrome": (
            "google-chrome-stable",
            "google-chrome",
            "/opt/google/chrome/chrome",
            *(f"{folder}com.google.Chrome" for folder in _FLATPAKS),
        ),
        "chromium": (
            "chromium",
            "chromium-browser",
            "/snap/bin/chromium",
            *(f"{folder}org.chromium.Chromium" for folder in _FLATPAKS),
        ),
        "edge": (
            "microsoft-edge-stable",
            "microsoft-edge",
            "/opt/microsoft/msedge/msedge",
            *(f"{folder}com.microsoft.Edge" for folder in _FLATPAKS),
        ),
        "brave": (
            "brave-browser-stable",
            "brave-browser",
            "brave",
            "/opt/brave.com/brave/brave",
            "/snap/bin/brave",
            *(f"{folder}com.brave.Browser" for folder in _FLATPAKS),
        ),
    },
    "darwin": {
        "chrome": tuple(f"{folder}Google Chrome.app/Contents/MacOS/Google Chrome" for folder in _MAC_FOLDERS),
        "chromium": (*(f"{folder}Chromium.app/Contents/MacOS/Chromium" for folder in _MAC_FOLDERS), "chromium"),
        "edge": tuple(f"{folder}Microsoft Edge.app/Contents/MacOS/Microsoft Edge" for folder in _MAC_FOLDERS),
        "brave": tuple(f"{folder}Brave Browser.app/Contents/MacOS/Brave Browser" for folder in _MAC_FOLDERS),
    },
    "win32": {
        "chrome": (
            r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
            r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
            r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
        ),
        "chromium": (
            r"%LocalAppData%\Chromium\Application\chrome.exe",
            r"%ProgramFiles%\Chromium\Application\chrome.exe",
        ),
        "edge": (
            r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
            r"%ProgramFiles%\Microsoft\Edge\Application\msedge.exe",
            r"%LocalAppData%\Microsoft\Edge\Application\msedge.exe",
        ),
        "brave": (
            r"%ProgramFiles%\BraveSoftware\Brave-Browser\Application\brave.exe",
            r"%ProgramFiles(x86)%\BraveSoftware\Brave-Browser\Application\brave.exe",
            r"%LocalAppData%\BraveSoftware\Brave-Browser\Application\brave.exe",
        ),
    },
}
_APP_PATHS = r"SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths"
_REGISTERED = {
    "chrome": "chrome.exe",
    "edge": "msedge.exe",
    "brave": "brave.exe",
}  # Chromium calls itself chrome.exe too


def usual_programs(name: str, platform: str, environment: Mapping[str, str]) -> list[str]:
    """Where a browser of this name may be installed, most likely first: commands on the PATH, and absolute paths.

    Paths that need an unset variable are left out: not every Windows has all of these folders.
    """
    values = {key.upper(): value for key, value in environment.items()}  # case-insensitive on Windows
    return [
        re.sub(r"%(.+?)%", lambda variable: values[variable[1].upper()], program)
        for program in _PROGRAMS.get(platform, _PROGRAMS["linux"])[name]
        if all(variable.upper() in values for variable in re.findall(r"%(.+?)%", program))
    ]


def registered_programs(name: str, platform: str) -> list[str]:
    """Where Windows knows a browser of this name to be installed, in whatever folder, for this user or for all."""
    if platform != "win32" or name not in _REGISTERED:
        return []
    import winreg  # of Windows alone

    found: list[str] = []
    for root in (winreg.HKEY_CURRENT_USER, winreg.HKEY_LOCAL_MACHINE):  # type: ignore[attr-defined,unused-ignore]
        with suppress(OSError):  # it is not registered there
            path = winreg.QueryValue(root, rf"{_APP_PATHS}\{_REGISTERED[name]}")  # type: ignore[attr-defined,unused-ignore]
            found.append(path.strip('"'))
    return found


def find_browser(
    named: str | None = None, *, platform: str = sys.platform, environment: Mapping[str, str] | None = None
) -> str:
    """The path of a browser: the one named (`chrome`, `chromium`, `edge`, `brave`, or a path), else `KAPTURE_BROWSER`,
    else the first that is installed; `LAUNCH_FAILED` if there is none."""
    environment = os.environ if environment is None else environment
    source = "--browser" if named else "KAPTURE_BROWSER"
    named = named or environment.get("KAPTURE_BROWSER")
    if named is None:
        candidates = [program for name in NAMES for program in _programs(name, platform, environment)]
    else:
        candidates = _programs(named, platform, environment) if named in NAMES else [named]
    for candidate in candidates:
        if found := shutil.which(os.path.expanduser(candidate)):  # noqa: PTH111
            return os.path.abspath(found)  # noqa: PTH100
    if named is None:
        problem = "No Chrome, Chromium, Edge or Brave was found."
    elif named in NAMES:
        problem = f"{source} names {named}, which is not installed in any of the usual places."
    else:
        problem = f"{source} names {named!r}, which is not a program."
    raise KaptureError(
        ErrorCode.LAUNCH_FAILED,
        problem,
        hint="Install one (Debian, Ubuntu: apt-get install chromium), or give its path with --browser.",
    )


def _programs(name: str, platform: str, environment: Mapping[str, str]) -> list[str]:
    return [*usual_programs(name, platform, environment), *registered_programs(name, platform)]


@attrs.frozen(kw_only=True)
class BrowserKind:
    """A way in which a browser is connected. `owned`: Kapture started it and ends it.

    `unsupported`: commands that cannot be done, each with the reason. `limited`: the limits of other commands.
    """

    name: str
    owned: bool
    unsupported: Mapping[str, str] = attrs.field(factory=dict)
    limited: Mapping[str, str] = attrs.field(factory=dict)


LAUNCHED = BrowserKind(name="launch", owned=True)
_OWN_TABS = {"tab_close": "only tabs that Kapture opened"}
ATTACHED = BrowserKind(name="attach", owned=False, limited=_OWN_TABS)
ATTACHED_ELSEWHERE = BrowserKind(
    name="attach",
    owned=False,
    limited={**_OWN_TABS, "download_file": "by `url` only: other files stay on the browser's machine"},
    unsupported={
        "upload": "The browser runs on another machine and cannot read this machine's files. Put the file where the "
        "page can fetch it, or attach to a browser on this machine."
    },
)


# Where browsers keep the profiles of the persons who use them: Kapture starts no browser on one of those.
#
# The places are those of Chromium's `docs/user_data_dir.md` and of the other vendors.

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
