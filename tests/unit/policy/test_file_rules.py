"""Files: uploads from allowed folders only, downloads into a private one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.policy.file_rules import PolicyFileRules
from kapture.policy.policy_file import Downloads, Uploads


def rules(home: Path, *, uploads: Uploads = Uploads(), downloads: Downloads = Downloads()) -> PolicyFileRules:  # noqa: B008
    return PolicyFileRules(home=home, uploads=uploads, downloads=downloads)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "uploads").mkdir(parents=True)
    home.chmod(0o700)
    return home


def code_of(call, *arguments) -> ErrorCode:  # type: ignore[no-untyped-def]
    with pytest.raises(KaptureError) as caught:
        call(*arguments)
    return caught.value.code


def test_a_file_in_an_allowed_folder_may_be_uploaded(home: Path, tmp_path: Path) -> None:
    (home / "uploads" / "a.txt").write_text("x")
    assert rules(home).check_upload(home / "uploads" / "a.txt") == (home / "uploads" / "a.txt").resolve()
    docs = tmp_path / "docs" / "deep"
    docs.mkdir(parents=True)
    (docs / "b.txt").write_text("x")
    allowed = rules(home, uploads=Uploads(folders=(str(tmp_path / "docs"),)))
    assert allowed.check_upload(docs / "b.txt").name == "b.txt"


def test_a_file_anywhere_else_may_not(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "home" / "uploads2").mkdir()
    (tmp_path / "home" / "uploads2" / "x").write_text("x")
    check = rules(home).check_upload
    for path in (
        tmp_path / "secret",
        home / "uploads" / ".." / ".." / "secret",
        home / "uploads2" / "x",
        Path("/etc/passwd"),
        Path("/etc/does-not-exist"),
        Path("secret"),
        home / "uploads",
        Path("a\0b"),
        Path("~nobody-here/x"),
    ):
        assert code_of(check, path) is ErrorCode.POLICY_DENIED, path


def test_a_link_out_of_an_allowed_folder_is_not_followed_to_an_upload(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (home / "uploads" / "innocent.txt").symlink_to(tmp_path / "secret")
    (home / "uploads" / "folder").symlink_to(tmp_path)
    check = rules(home).check_upload
    assert code_of(check, home / "uploads" / "innocent.txt") is ErrorCode.POLICY_DENIED
    assert code_of(check, home / "uploads" / "folder" / "secret") is ErrorCode.POLICY_DENIED


def test_kaptures_own_secrets_are_never_uploaded_even_from_an_allowed_folder(home: Path, tmp_path: Path) -> None:
    (home / "hub.json").write_text("key")
    allowed = rules(home, uploads=Uploads(folders=(str(tmp_path), str(home))))
    assert code_of(allowed.check_upload, home / "hub.json") is ErrorCode.POLICY_DENIED


def test_what_is_missing_or_no_file_in_an_allowed_folder_is_reported(home: Path) -> None:
    (home / "uploads" / "dir").mkdir()
    os.mkfifo(home / "uploads" / "pipe")
    check = rules(home).check_upload
    assert code_of(check, home / "uploads" / "none.txt") is ErrorCode.UPLOAD_FAILED
    assert code_of(check, home / "uploads" / "dir") is ErrorCode.UPLOAD_FAILED
    assert code_of(check, home / "uploads" / "pipe") is ErrorCode.UPLOAD_FAILED


def test_a_policy_can_turn_both_off(home: Path) -> None:
    off = rules(home, uploads=Uploads(enabled=False), downloads=Downloads(enabled=False))
    (home / "uploads" / "a.txt").write_text("x")
    assert code_of(off.check_upload, home / "uploads" / "a.txt") is ErrorCode.POLICY_DENIED
    assert code_of(off.download_folder) is ErrorCode.POLICY_DENIED
    assert code_of(off.download_path, "a.txt") is ErrorCode.POLICY_DENIED


def test_downloads_land_in_a_private_folder_as_private_files_that_cannot_run(home: Path) -> None:
    path = rules(home).download_path("report.pdf")
    assert path == home / "downloads" / "report.pdf"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_download_never_overwrites_the_first(home: Path) -> None:
    allowed = rules(home)
    names = [allowed.download_path("a.txt").name for _ in range(3)]
    assert names == ["a.txt", "a (2).txt", "a (3).txt"]


def test_a_link_planted_in_the_download_folder_is_not_written_through(home: Path, tmp_path: Path) -> None:
    allowed = rules(home)
    victim = tmp_path / "victim"
    (allowed.download_folder() / "a.txt").symlink_to(victim)
    path = allowed.download_path("a.txt")
    path.write_text("downloaded")
    assert not victim.exists()
