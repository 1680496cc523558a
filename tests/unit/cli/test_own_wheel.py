"""The wheel of this Kapture that is copied to another machine."""

from __future__ import annotations

from importlib.metadata import Distribution
from pathlib import Path
from zipfile import ZipFile

from kapture.cli.own_wheel import own_wheel, packed


def content(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_wheel_of_a_checkout_and_of_what_it_installs_are_the_same(tmp_path: Path) -> None:
    built = own_wheel(tmp_path)
    site = tmp_path / "site"
    with ZipFile(built) as opened:
        opened.extractall(site)
    (info,) = site.glob("*.dist-info")
    with (info / "RECORD").open("a") as record:
        for name in ("../bin/kapture", "kapture/__pycache__/x.pyc", f"{info.name}/INSTALLER"):
            path = site / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("made by the installer")
            record.write(f"{name},,\n")
    again = packed(Distribution.at(info), site)
    assert again.name == built.name
    old, new = content(built), content(again)
    records = [sorted(files.pop(f"{info.name}/RECORD").splitlines()) for files in (old, new)]
    assert new == old
    assert records[0] == records[1]
