"""~/Kapture/extension: a copy that stays where it is, is replaced as a whole, and never hides somebody else's files."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kapture.cli.extension_folder import extension_command, publish, update_published, visible_folder
from kapture.package_files import extension_folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def age(folder: Path) -> None:
    """Make a copy look like that of an older version."""
    (folder / "manifest.json").write_text(
        json.dumps({**json.loads((folder / "manifest.json").read_text()), "version": "0.0.1"})
    )
    (folder / "worker" / "gone.js").write_text("// of the older version")


def test_it_prints_the_folder_and_makes_it(home: Path) -> None:
    shown = CliRunner().invoke(extension_command, [])
    assert shown.stdout == f"{home}/Kapture/extension\n"
    assert (home / "Kapture" / "extension" / "manifest.json").read_bytes() == (
        extension_folder() / "manifest.json"
    ).read_bytes()


def test_an_older_copy_is_replaced_whole(home: Path) -> None:
    publish()
    age(visible_folder())
    assert publish()
    assert not (visible_folder() / "worker" / "gone.js").exists()
    assert json.loads((visible_folder() / "manifest.json").read_text())["version"] != "0.0.1"
    assert [entry.name for entry in visible_folder().parent.iterdir()] == ["extension"]


def test_what_is_not_the_extension_is_never_replaced() -> None:
    visible_folder().mkdir(parents=True)
    (visible_folder() / "thesis.txt").write_text("years of work")
    with pytest.raises(click.ClickException, match=r"something other than the extension\. Move that away, or copy"):
        publish()
    assert (visible_folder() / "thesis.txt").read_text() == "years of work"


def test_a_failure_leaves_the_older_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    publish()
    age(visible_folder())

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kapture.cli.extension_folder.shutil.copytree", fails)
    with pytest.raises(click.ClickException, match="No space left"):
        publish()
    assert json.loads((visible_folder() / "manifest.json").read_text())["version"] == "0.0.1"


def test_a_hub_updates_a_copy_that_was_made_and_makes_none() -> None:
    assert not update_published()
    assert not visible_folder().exists()
    publish()
    age(visible_folder())
    assert update_published()


def test_an_older_kapture_does_not_take_a_newer_copy_back() -> None:
    publish()
    manifest = visible_folder() / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": "99.0.0"}))
    assert not update_published()
    assert json.loads(manifest.read_text())["version"] == "99.0.0"
