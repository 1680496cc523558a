"""The script that a browser starts as native messaging host: what it sets, how it is quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.pairing.host_manifest import data_folder_of, host_script


def test_the_script_for_windows_sets_what_the_host_needs_and_quotes_it() -> None:
    name, text = host_script(
        [r"C:\Program Files\python.exe", "-I", "x.py"], {"KAPTURE_HOME": r"C:\50% off"}, platform="win32"
    )
    assert name == "dev.kapture.hub.bat"
    assert text.split("\r\n") == [
        "@echo off",
        r'set "KAPTURE_HOME=C:\50%% off"',
        r'"C:\Program Files\python.exe" -I x.py %*',
        "",
    ]


def test_the_script_for_flatpak_leaves_the_sandbox_with_the_environment_it_needs() -> None:
    _, text = host_script(["/usr/bin/python3", "x.py"], {"KAPTURE_HOME": "/h/my data"}, platform="linux", flatpak=True)
    assert text.splitlines()[1] == (
        "exec flatpak-spawn --host '--env=KAPTURE_HOME=/h/my data' /usr/bin/python3 x.py \"$@\""
    )


@pytest.mark.parametrize(("platform", "flatpak"), [("linux", False), ("linux", True), ("win32", False)])
@pytest.mark.parametrize("folder", ["plain", "o'brien", 'a "b" $c', "50% off"])
def test_the_data_folder_can_be_read_back_from_the_script(
    tmp_path: Path, platform: str, flatpak: bool, folder: str
) -> None:
    home = tmp_path / folder
    name, text = host_script(["python", "x.py"], {"KAPTURE_HOME": str(home)}, platform=platform, flatpak=flatpak)
    (tmp_path / name).write_bytes(text.encode())
    assert data_folder_of(tmp_path / name) == home
    (tmp_path / name).write_text("#!/bin/sh\n'")
    assert data_folder_of(tmp_path / name) is None
