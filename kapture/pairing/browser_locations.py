"""Where each browser of this user looks for native messaging hosts: on Linux (Flatpak and snap too), macOS and Windows.

Source: https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging for Chrome and Chromium. Edge has
folders and a key of its own. On Windows Brave, Vivaldi and Opera read Chrome's key; Opera reads Chrome's folder too.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import attrs

from kapture.pairing.native_host import HOST_NAME

Sandbox: TypeAlias = Literal["flatpak", "snap"]


@attrs.frozen(kw_only=True)
class BrowserLocation:
    """One browser of this user, and where it looks for native messaging hosts."""

    browser: str  # its name on the command line
    title: str
    folders: tuple[Path, ...] = ()  # for manifests: Linux and macOS
    registry_key: str | None = None  # Windows: under HKEY_CURRENT_USER; its value is the manifest's path
    profile_root: Path | None = None  # exists if the browser has been used
    programs: tuple[str, ...] = ()  # the browser itself: commands on the PATH, or paths
    sandbox: Sandbox | None = None
    application: str = ""  # its Flatpak id

    @property
    def in_use(self) -> bool:
        """Whether this user has the browser: it has been used, or it is installed."""
        used = self.profile_root is not None and self.profile_root.is_dir()
        return used or any(_is_installed(program) for program in self.programs)

    @property
    def advice(self) -> str:
        """Return the extra steps for a sandboxed browser; empty for most browsers."""
        if self.sandbox == "flatpak":
            talk = "--talk-name=org.freedesktop.Flatpak"
            return (
                f"Let it start the helper outside its sandbox, once: flatpak override --user {talk} {self.application}"
            )
        if self.sandbox == "snap":
            return (
                "A snap may start no program outside it: choose hub.json in the extension's options after each start "
                "of the hub, or install the browser from its maker's package."
            )
        return ""


def _is_installed(program: str) -> bool:
    found = shutil.which(program)
    return found is not None and not found.startswith("/snap/")  # snaps have an entry of their own


@attrs.frozen
class _Browser:
    """One row of the table. Paths are relative to the platform's folder for application data (Windows: the local
    one)."""

    name: str
    title: str
    linux: str
    macos: str
    windows: str
    windows_key: str = r"Software\Google\Chrome"
    programs: tuple[str, ...] = ()
    application: str = ""  # in /Applications
    flatpak: str = ""
    snap: str = ""  # below ~/snap


_BROWSERS = (
    _Browser(
        "chrome",
        "Google Chrome",
        linux="google-chrome",
        macos="Google/Chrome",
        windows=r"Google\Chrome\User Data",
        programs=("google-chrome", "google-chrome-stable"),
        application="Google Chrome.app",
        flatpak="com.google.Chrome",
    ),
    _Browser(
        "chrome-beta",
        "Google Chrome Beta",
        linux="google-chrome-beta",
        macos="Google/Chrome Beta",
        windows=r"Google\Chrome Beta\User Data",
        programs=("google-chrome-beta",),
    ),
    _Browser(
        "chrome-dev",
        "Google Chrome Dev",
        linux="google-chrome-unstable",
        macos="Google/Chrome Dev",
        windows=r"Google\Chrome Dev\User Data",
        programs=("google-chrome-unstable",),
    ),
    _Browser(
        "chromium",
        "Chromium",
        linux="chromium",
        macos="Chromium",
        windows=r"Chromium\User Data",
        windows_key=r"Software\Chromium",
        programs=("chromium", "chromium-browser"),
        application="Chromium.app",
        flatpak="org.chromium.Chromium",
        snap="chromium/common/chromium",
    ),
    _Browser(
        "edge",
        "Microsoft Edge",
        linux="microsoft-edge",
        macos="Microsoft Edge",
        windows=r"Microsoft\Edge\User Data",
        windows_key=r"Software\Microsoft\Edge",
        programs=("microsoft-edge", "microsoft-edge-stable"),
        application="Microsoft Edge.app",
        flatpak="com.microsoft.Edge",
    ),
    _Browser(
        "brave",
        "Brave",
        linux="BraveSoftware/Brave-Browser",
        macos="BraveSoftware/Brave-Browser",
        windows=r"BraveSoftware\Brave-Browser\User Data",
        programs=("brave-browser", "brave-browser-stable", "brave"),
        application="Brave Browser.app",
        flatpak="com.brave.Browser",
        snap="brave/current/.config/BraveSoftware/Brave-Browser",
    ),
    _Browser(
        "vivaldi",
        "Vivaldi",
        linux="vivaldi",
        macos="Vivaldi",
        windows=r"Vivaldi\User Data",
        programs=("vivaldi", "vivaldi-stable"),
        application="Vivaldi.app",
        flatpak="com.vivaldi.Vivaldi",
        snap="vivaldi/current/.config/vivaldi",
    ),
    _Browser(
        "opera",
        "Opera",
        linux="opera",
        macos="com.operasoftware.Opera",
        windows=r"..\Roaming\Opera Software\Opera Stable",
        programs=("opera",),
        application="Opera.app",
        flatpak="com.opera.Opera",
        snap="opera/current/.config/opera",
    ),
)
_READS_CHROMES_FOLDER = ("opera",)

BROWSER_NAMES: Sequence[str] = tuple(browser.name for browser in _BROWSERS)


def browser_locations(
    platform: str = sys.platform, environment: Mapping[str, str] | None = None
) -> list[BrowserLocation]:
    """Every known browser on this platform for this user; several entries for one that can be installed in several
    ways."""
    env = os.environ if environment is None else environment
    if platform == "win32":
        return _on_windows(env)
    home = Path(env.get("HOME") or Path.home())
    if platform == "darwin":
        data = home / "Library" / "Application Support"
        return [
            BrowserLocation(
                browser=browser.name,
                title=browser.title,
                folders=_folders(browser, lambda row: data / row.macos),
                profile_root=data / browser.macos,
                programs=(f"/Applications/{browser.application}/Contents/MacOS/{browser.application[:-4]}",)
                if browser.application
                else (),
            )
            for browser in _BROWSERS
        ]
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    return [location for browser in _BROWSERS for location in _on_linux(browser, home, config)]


def _on_windows(env: Mapping[str, str]) -> list[BrowserLocation]:
    # `Path.home()` would be that of this process, not of the environment given.
    local = Path(env.get("LOCALAPPDATA") or Path(env.get("USERPROFILE", "~")) / "AppData" / "Local")
    return [
        BrowserLocation(
            browser=browser.name,
            title=browser.title,
            registry_key=rf"{browser.windows_key}\NativeMessagingHosts\{HOST_NAME}",
            profile_root=local / browser.windows,
        )
        for browser in _BROWSERS
    ]


def _on_linux(browser: _Browser, home: Path, config: Path) -> list[BrowserLocation]:
    found = [
        BrowserLocation(
            browser=browser.name,
            title=browser.title,
            folders=_folders(browser, lambda row: config / row.linux),
            profile_root=config / browser.linux,
            programs=browser.programs,
        )
    ]
    if browser.flatpak:
        root = home / ".var" / "app" / browser.flatpak / "config" / browser.linux
        found.append(_confined(browser, "flatpak", browser.flatpak, root))
    if browser.snap:
        found.append(_confined(browser, "snap", browser.snap.partition("/")[0], home / "snap" / browser.snap))
    return found


def _confined(browser: _Browser, sandbox: Sandbox, application: str, root: Path) -> BrowserLocation:
    title = f"{browser.title} ({'Flatpak' if sandbox == 'flatpak' else 'snap'})"
    folders = (root / "NativeMessagingHosts",)
    return BrowserLocation(
        browser=browser.name,
        title=title,
        folders=folders,
        profile_root=root,
        sandbox=sandbox,
        application=application,
    )


def _folders(browser: _Browser, root: Callable[[_Browser], Path]) -> tuple[Path, ...]:
    rows = [browser, *([_BROWSERS[0]] if browser.name in _READS_CHROMES_FOLDER else [])]
    return tuple(root(row) / "NativeMessagingHosts" for row in rows)
