"""Registering the native messaging host with browsers, and unregistering it.

A browser looks for `dev.kapture.hub.json` in a folder of its own (on Windows: for a registry key that names the
file). The manifest names a small script, which is written beside it or into the data folder; the script starts
`native_host.py` with this Python, and passes it the path of the data folder. For a browser in a sandbox the script is
written into the browser's own folder, the only one that it can read.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kapture.__about__ import EXTENSION_IDS
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import native_host
from kapture.pairing.browser_locations import BrowserLocation
from kapture.pairing.native_host import HOST_NAME
from kapture.settings import Settings

EXTENSION_ORIGIN = native_host.ORIGIN


def write_host_manifest(
    folder: Path,
    *,
    home: Path,
    launch_grant: Mapping[str, Any] | None = None,
    script_folder: Path | None = None,
    flatpak: bool = False,
) -> Path:
    """Write the manifest into `folder` (created if necessary), and its script into `script_folder` or beside it.

    `launch_grant`, for a temporary browser that was launched with this grant, makes the extension connect every tab
    by itself. `flatpak`: the script leaves the browser's sandbox. Returns the manifest's path.
    """
    script_folder = script_folder or folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        script_folder.mkdir(parents=True, exist_ok=True)
        script = _write_script(script_folder.absolute(), home.absolute(), launch_grant, flatpak=flatpak)
        manifest = folder / f"{HOST_NAME}.json"
        content = {
            "name": HOST_NAME,
            "description": "Gives the Kapture extension the key of the hub on this machine.",
            "path": str(script),
            "type": "stdio",
            "allowed_origins": [EXTENSION_ORIGIN, *(f"chrome-extension://{other}/" for other in _other_builds(home))],
        }
        _replace(manifest, json.dumps(content, indent=2) + "\n", 0o644)
    except OSError as error:
        raise KaptureError(
            ErrorCode.UNAUTHORIZED,
            f"The pairing helper could not be registered in {folder}: {error.strerror or error}.",
        ) from error
    return manifest


def install(location: BrowserLocation, home: Path) -> Path:
    """Register the host with one browser; returns the path of its first manifest."""
    script_folder = home / "native-host"
    if location.registry_key is not None:
        manifest = write_host_manifest(script_folder, home=home)
        _set_registry(location.registry_key, str(manifest))
        return manifest
    manifests = [
        write_host_manifest(
            folder,
            home=home,
            script_folder=None if location.sandbox else script_folder,
            flatpak=location.sandbox == "flatpak",
        )
        for folder in location.folders
    ]
    return manifests[0]


def uninstall(location: BrowserLocation) -> bool:
    """Undo `install` for one browser; returns whether there was anything to undo."""
    if location.registry_key is not None:
        return _delete_registry(location.registry_key)
    existed = False
    for folder in location.folders:
        # A script in the data folder stays: other browsers may use it.
        for path in (folder / f"{HOST_NAME}.json", folder / f"{HOST_NAME}.sh"):
            existed |= path.is_symlink() or path.exists()
            path.unlink(missing_ok=True)
    return existed


def installed(location: BrowserLocation) -> Path | None:
    """The script that the browser's manifest names; None if there is no readable manifest."""
    if location.registry_key is not None:
        value = _get_registry(location.registry_key)
        manifest = None if value is None else Path(value)
    else:
        manifest = location.folders[0] / f"{HOST_NAME}.json" if location.folders else None
    if manifest is None:
        return None
    try:
        content = json.loads(manifest.read_text("utf-8"))
        return Path(content["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def data_folder_of(script: Path) -> Path | None:
    """The data folder that a script of ours names, without links; None if it names none."""
    try:
        text = script.read_text("utf-8")
        if script.suffix == ".bat":
            words = [_from_batch(quoted) for quoted in re.findall(r'^set "(.*)"$', text, re.MULTILINE)]
        else:
            words = [word.removeprefix("--env=") for word in shlex.split(text, comments=True)]
    except (OSError, ValueError):
        return None
    setting = "KAPTURE_HOME="
    return next((Path(word.removeprefix(setting)).resolve() for word in words if word.startswith(setting)), None)


def version_of(script: Path) -> str | None:
    """Return the version of the Kapture whose host a script starts; None if that is gone, "" if it says none."""
    try:
        text = script.read_text("utf-8")
        if script.suffix == ".bat":
            words = [_from_batch(quoted or bare) for quoted, bare in re.findall(r'"([^"]+)"|(\S+)', text)]
        else:
            words = shlex.split(text, comments=True)
        host = next((Path(word) for word in words if word.endswith(Path(native_host.__file__).name)), None)
        if host is None or not host.exists():
            return None
        for name in ("__about__.py", "__init__.py"):  # 0.1.0 has the second only
            file = host.parents[1] / name
            if file.is_file() and (said := re.search(r'__version__ = "([^"]+)"', file.read_text("utf-8"))):
                return said[1]
    except (OSError, ValueError):
        return ""
    return ""


def host_script(
    command: Sequence[str], environment: Mapping[str, str], *, platform: str, flatpak: bool = False
) -> tuple[str, str]:
    """Name and text of the script that starts the host. `environment` is what it sets; the rest is inherited."""
    if platform == "win32":
        lines = ["@echo off", *(f'set "{name}={_batch(value)}"' for name, value in environment.items())]
        lines.append(f"{_batch(subprocess.list2cmdline(command))} %*")
        return f"{HOST_NAME}.bat", "\r\n".join([*lines, ""])
    if flatpak:
        given = [f"--env={name}={value}" for name, value in environment.items()]
        lines = [f'exec {shlex.join(["flatpak-spawn", "--host", *given, *command])} "$@"']
    else:
        lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
        if "KAPTURE_LAUNCH_GRANT" not in environment:
            # The environment that the browser was started with must not count as consent.
            lines.append("unset KAPTURE_LAUNCH_GRANT")
        if "KAPTURE_EXTENSION_ID" not in environment:
            lines.append("unset KAPTURE_EXTENSION_ID")
        lines.append(f'exec {shlex.join(command)} "$@"')
    return f"{HOST_NAME}.sh", "\n".join(["#!/bin/sh", *lines, ""])


def _other_builds(home: Path) -> tuple[str, ...]:
    """Return the ids of further builds of the extension: the store's, and those that the settings name."""
    return (*EXTENSION_IDS[1:], *Settings.load({"home": home}).extension_ids)


def _write_script(folder: Path, home: Path, launch_grant: Mapping[str, Any] | None, *, flatpak: bool) -> Path:
    program = Path(native_host.__file__).absolute()
    environment = {"KAPTURE_HOME": str(home)}
    if port := os.environ.get("KAPTURE_PORT"):
        environment["KAPTURE_PORT"] = port  # for a hub that the host starts
    if others := _other_builds(home):
        environment["KAPTURE_EXTENSION_ID"] = ",".join(others)
    if launch_grant is not None:
        environment["KAPTURE_LAUNCH_GRANT"] = json.dumps(launch_grant)
    command = [sys.executable, "-I", "-S", str(program)]
    name, text = host_script(command, environment, platform=sys.platform, flatpak=flatpak)
    _replace(folder / name, text, 0o700)
    return folder / name


def _batch(text: str) -> str:
    return text.replace("%", "%%")


def _from_batch(text: str) -> str:
    return text.replace("%%", "%")


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
