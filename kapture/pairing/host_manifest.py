"""Registering the native messaging host with browsers, and taking it away again.

A browser looks for `dev.kapture.hub.json` in a folder of its own (on Windows: for a registry key that names the
file). The manifest names a small script that we write beside it or into the data folder; the script starts
`native_host.py` with this Python, and tells it where the data folder is.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import native_host

HOST_NAME = "dev.kapture.hub"
EXTENSION_ORIGIN = native_host.ORIGIN


@attrs.frozen(kw_only=True)
class Place:
    """Where one browser looks for native messaging hosts, for this user."""

    browser: str
    folder: Path | None = None  # of the manifest: Linux and macOS
    registry_key: str | None = None  # under HKEY_CURRENT_USER: Windows
    profile_root: Path | None = None  # there when the browser has been used

    @property
    def in_use(self) -> bool:
        """Whether this user has the browser."""
        return self.profile_root is not None and self.profile_root.is_dir()


_LINUX = {
    "chrome": "google-chrome",
    "chrome-beta": "google-chrome-beta",
    "chrome-dev": "google-chrome-unstable",
    "chromium": "chromium",
    "edge": "microsoft-edge",
    "brave": "BraveSoftware/Brave-Browser",
}
_MACOS = {
    "chrome": "Google/Chrome",
    "chrome-beta": "Google/Chrome Beta",
    "chrome-dev": "Google/Chrome Dev",
    "chromium": "Chromium",
    "edge": "Microsoft Edge",
    "brave": "BraveSoftware/Brave-Browser",
}
_WINDOWS = {
    "chrome": (r"Software\Google\Chrome", r"Google\Chrome\User Data"),
    "chromium": (r"Software\Chromium", r"Chromium\User Data"),
    "edge": (r"Software\Microsoft\Edge", r"Microsoft\Edge\User Data"),
    "brave": (r"Software\BraveSoftware\Brave-Browser", r"BraveSoftware\Brave-Browser\User Data"),
}


def places(platform: str = sys.platform, environment: Mapping[str, str] | None = None) -> list[Place]:
    """Where each known browser looks, on this platform, for this user."""
    env = os.environ if environment is None else environment
    if platform == "win32":
        local = Path(env.get("LOCALAPPDATA", r"~\AppData\Local"))
        return [
            Place(browser=name, registry_key=rf"{key}\NativeMessagingHosts\{HOST_NAME}", profile_root=local / data)
            for name, (key, data) in _WINDOWS.items()
        ]
    home = Path(env.get("HOME") or Path.home())
    if platform == "darwin":
        roots = {name: home / "Library" / "Application Support" / part for name, part in _MACOS.items()}
    else:
        config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
        roots = {name: config / part for name, part in _LINUX.items()}
    return [
        Place(browser=name, folder=root / "NativeMessagingHosts", profile_root=root) for name, root in roots.items()
    ]


def write_host_manifest(
    folder: Path,
    *,
    home: Path,
    launch_grant: Mapping[str, Any] | None = None,
    script_folder: Path | None = None,
) -> Path:
    """Write the manifest into `folder` (made if need be), and its script into `script_folder` or beside it.

    `launch_grant`, for a throw-away browser that this very grant was started for, makes the extension connect
    every tab by itself. The manifest's path is returned.
    """
    script_folder = script_folder or folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        script_folder.mkdir(parents=True, exist_ok=True)
        script = _write_script(script_folder.absolute(), home.absolute(), launch_grant)
        manifest = folder / f"{HOST_NAME}.json"
        content = {
            "name": HOST_NAME,
            "description": "Gives the Kapture extension the key of the hub on this machine.",
            "path": str(script),
            "type": "stdio",
            "allowed_origins": [EXTENSION_ORIGIN],
        }
        _replace(manifest, json.dumps(content, indent=2) + "\n", 0o644)
    except OSError as error:
        raise KaptureError(
            ErrorCode.UNAUTHORIZED,
            f"The pairing helper could not be registered in {folder}: {error.strerror or error}.",
        ) from error
    return manifest


def install(place: Place, home: Path) -> Path:
    """Register the host with one browser; the manifest's path."""
    script_folder = home / "native-host"
    if place.registry_key is None:
        assert place.folder is not None  # noqa: S101  every place has one or the other
        return write_host_manifest(place.folder, home=home, script_folder=script_folder)
    manifest = write_host_manifest(script_folder, home=home)
    _set_registry(place.registry_key, str(manifest))
    return manifest


def uninstall(place: Place) -> bool:
    """Undo `install` for one browser; whether there was anything to undo."""
    if place.registry_key is not None:
        return _delete_registry(place.registry_key)
    assert place.folder is not None  # noqa: S101  every place has one or the other
    manifest = place.folder / f"{HOST_NAME}.json"
    existed = manifest.is_symlink() or manifest.exists()
    manifest.unlink(missing_ok=True)
    return existed


def installed(place: Place) -> Path | None:
    """The script that the browser's manifest names, or None when there is no readable manifest."""
    if place.registry_key is not None:
        value = _get_registry(place.registry_key)
        manifest = None if value is None else Path(value)
    else:
        manifest = None if place.folder is None else place.folder / f"{HOST_NAME}.json"
    if manifest is None:
        return None
    try:
        content = json.loads(manifest.read_text("utf-8"))
        return Path(content["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_script(folder: Path, home: Path, launch_grant: Mapping[str, Any] | None) -> Path:
    program = Path(native_host.__file__).absolute()
    environment = {"KAPTURE_HOME": str(home)}
    if launch_grant is not None:
        environment["KAPTURE_LAUNCH_GRANT"] = json.dumps(launch_grant)
    command = [sys.executable, "-I", "-S", str(program)]
    if sys.platform == "win32":
        script = folder / f"{HOST_NAME}.bat"
        lines = ["@echo off", *(f'set "{name}={_batch(value)}"' for name, value in environment.items())]
        _replace(script, "\r\n".join([*lines, f"{_batch(subprocess.list2cmdline(command))} %*"]) + "\r\n", 0o700)
        return script
    script = folder / f"{HOST_NAME}.sh"
    lines = ["#!/bin/sh", *(f"export {name}={shlex.quote(value)}" for name, value in environment.items())]
    if launch_grant is None:
        lines.append("unset KAPTURE_LAUNCH_GRANT")  # what the browser was started with must not count as consent
    _replace(script, "\n".join([*lines, f'exec {shlex.join(command)} "$@"']) + "\n", 0o700)
    return script


def _batch(text: str) -> str:
    return text.replace("%", "%%")


def _replace(path: Path, text: str, mode: int) -> None:
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8", newline="") as file:
        file.write(text)
    new.chmod(mode)
    new.replace(path)


if sys.platform == "win32":
    import winreg

    def _set_registry(key: str, value: str) -> None:
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, key) as opened:
            winreg.SetValueEx(opened, "", 0, winreg.REG_SZ, value)

    def _get_registry(key: str) -> str | None:
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                return str(winreg.QueryValueEx(opened, "")[0])
        except OSError:
            return None

    def _delete_registry(key: str) -> bool:
        try:
            winreg.DeleteKey(winreg.HKEY_CURRENT_USER, key)
        except FileNotFoundError:
            return False
        return True

else:

    def _no_registry() -> KaptureError:
        return KaptureError(ErrorCode.UNAUTHORIZED, "Only Windows has a registry.")

    def _set_registry(key: str, value: str) -> None:
        raise _no_registry()

    def _get_registry(key: str) -> str | None:
        raise _no_registry()

    def _delete_registry(key: str) -> bool:
        raise _no_registry()
