"""The key file: private or nothing, new every time, and believed only where no other could have written it."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.pairing import KeyFile, Pairing, TabProof, key_file
from kapture.pairing.proof import decode

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX idea")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data"


def unauthorized(call, *arguments) -> KaptureError:  # type: ignore[no-untyped-def]
    with pytest.raises(KaptureError) as caught:
        call(*arguments)
    assert caught.value.code is ErrorCode.UNAUTHORIZED
    return caught.value


@POSIX
def test_the_key_file_and_its_folder_are_for_their_owner_alone(home: Path) -> None:
    old = os.umask(0)
    try:
        path = Pairing(home).write_key_file(1234)
    finally:
        os.umask(old)
    assert mode(path) == 0o600
    assert mode(home) == 0o700


def test_the_key_file_says_where_the_hub_is(home: Path) -> None:
    pairing = Pairing(home)
    assert not (home / "hub.json").exists()
    pairing.write_key_file(1234)
    content = json.loads((home / "hub.json").read_text())
    assert set(content) == {"version", "port", "pid", "key", "clientToken", "startedAt", "socket", "host"}
    assert content["port"] == 1234
    assert content["pid"] == os.getpid()
    assert len(decode(content["key"]) or b"") == 32
    assert content["key"] != content["clientToken"]
    assert [path.name for path in home.iterdir()] == ["hub.json"]


def test_a_reader_never_sees_half_a_key_file(home: Path) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)
    done = threading.Event()
    failures: list[BaseException] = []

    def read() -> None:
        while not done.is_set():
            try:
                key_file.read(home)
            except KaptureError as error:
                failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    for _ in range(200):
        pairing.rotate()
    done.set()
    thread.join()
    assert failures == []


@POSIX
@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660, 0o666, 0o644, 0o610, 0o601])
def test_a_key_file_that_others_could_touch_is_not_believed(home: Path, bits: int) -> None:
    path = Pairing(home).write_key_file(1)
    path.chmod(bits)
    assert "0600" in unauthorized(key_file.read, home).message


@POSIX
def test_a_key_file_behind_a_link_is_not_believed(home: Path, tmp_path: Path) -> None:
    real = Pairing(home).write_key_file(1)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "hub.json").symlink_to(real)
    unauthorized(key_file.read, elsewhere)


@POSIX
@pytest.mark.parametrize("bits", [0o777, 0o750, 0o711, 0o1777])
def test_a_key_file_in_a_folder_that_others_can_use_is_not_believed(home: Path, bits: int) -> None:
    Pairing(home).write_key_file(1)
    home.chmod(bits)
    assert str(home) in unauthorized(key_file.read, home).message


@POSIX
def test_a_key_file_in_a_folder_that_anyone_can_swap_is_not_believed(tmp_path: Path) -> None:
    above = tmp_path / "above"
    Pairing(above / "data").write_key_file(1)
    above.chmod(0o777)
    assert str(above) in unauthorized(key_file.read, above / "data").message
    if os.geteuid() == 0:
        above.chmod(0o770)
        assert str(above) in unauthorized(key_file.read, above / "data").message
        above.chmod(0o755)
        os.chown(above, 12_345, -1)
        assert str(above) in unauthorized(key_file.read, above / "data").message


@POSIX
def test_a_pipe_in_the_key_files_place_is_not_waited_for(home: Path) -> None:
    home.mkdir(mode=0o700)
    os.mkfifo(home / "hub.json", 0o600)
    assert "regular file" in unauthorized(key_file.read, home).message


@POSIX
def test_a_link_in_the_key_files_place_is_replaced_and_not_followed(home: Path, tmp_path: Path) -> None:
    home.mkdir(mode=0o700)
    trap = tmp_path / "trap"
    trap.write_text("untouched")
    (home / "hub.json").symlink_to(trap)
    path = Pairing(home).write_key_file(1)
    assert trap.read_text() == "untouched"
    assert not path.is_symlink()


@POSIX
def test_a_hub_does_not_start_over_a_folder_that_anyone_can_swap(tmp_path: Path) -> None:
    public = tmp_path / "public"
    public.mkdir()
    public.chmod(0o777)
    error = unauthorized(Pairing(public / "data").write_key_file, 1)
    assert str(public) in error.message
    assert not (public / "data" / "hub.json").exists()


@POSIX
def test_a_folder_of_others_things_is_not_taken_over(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "letters.txt").write_text("mine")
    unauthorized(Pairing(shared).write_key_file, 1)
    assert mode(shared) == 0o755


@POSIX
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_or_file_of_another_user_is_refused(home: Path) -> None:
    path = Pairing(home).write_key_file(1)
    os.chown(path, 12345, 12345)
    unauthorized(key_file.read, home)
    os.chown(home, 12345, 12345)
    unauthorized(Pairing(home).write_key_file, 1)


@POSIX
def test_a_disk_that_does_not_keep_modes_leaves_no_key_behind(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = Pairing(home)
    private.write_key_file(1)
    monkeypatch.setattr("kapture.private_files.stat.S_IMODE", lambda mode: (mode & 0o7777) | 0o044)
    with pytest.raises(KaptureError):
        private.write_key_file(1)
    monkeypatch.undo()
    assert [path.name for path in home.iterdir()] in ([], ["hub.json"])  # never a temporary file with a key


def test_a_missing_or_broken_key_file_is_a_plain_error(home: Path) -> None:
    assert "kapture serve" in unauthorized(key_file.read, home).hint
    path = Pairing(home).write_key_file(1)
    for text in (
        "",
        "{}",
        "[1]",
        '{"key": 1}',
        "\x00",
        '{"version":"1","port":1,"pid":1,"key":"x","clientToken":"y","startedAt":""}',
    ):
        path.write_text(text)
        assert "delete the file" in unauthorized(key_file.read, home).hint


def test_the_key_file_goes_with_its_hub_but_not_with_an_older_one(home: Path) -> None:
    older, newer = Pairing(home), Pairing(home)
    older.write_key_file(1)
    newer.write_key_file(2)
    older.remove_key_file()
    assert key_file.read(home).port == 2
    newer.remove_key_file()
    assert not (home / "hub.json").exists()


def test_a_folder_that_cannot_be_looked_into_is_no_crash(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)

    def stale(*_: object, **__: object) -> None:
        raise OSError(errno.ESTALE, "Stale file handle")

    with monkeypatch.context() as there:
        there.setattr(os, "stat", stale)
        unauthorized(pairing.restore_key_file)
    assert not pairing.restore_key_file()


def test_key_files_are_written_by_a_process_of_its_own_with_any_umask(home: Path) -> None:
    code = (
        "import os, sys; os.umask(0)\n"
        "from pathlib import Path\n"
        "from kapture.pairing import Pairing\n"
        "print(Pairing(Path(sys.argv[1])).write_key_file(7))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    content = key_file.read(home)
    assert isinstance(content, KeyFile)
    assert content.key not in done.stdout + done.stderr


# Key rotation: new secrets replace the old ones, which stop working.


def test_every_start_and_every_rotation_makes_new_secrets(home: Path) -> None:
    seen: set[str] = set()
    for _ in range(3):
        pairing = Pairing(home)
        pairing.write_key_file(1)
        for _ in range(3):
            content = key_file.read(home)
            seen |= {content.key, content.clientToken}
            pairing.rotate()
    assert len(seen) == 18


def test_a_rotation_ends_what_the_old_secrets_opened(home: Path) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)
    old = key_file.read(home)
    session = pairing.open_session()
    assert pairing.holder(old.clientToken)
    assert pairing.holder(session)
    pairing.rotate()
    assert pairing.holder(old.clientToken) is None
    assert pairing.holder(session) is None
    hub, tab = pairing.tab_proof(), TabProof(decode(old.key) or b"")
    with pytest.raises(Unauthorized):
        hub.verify(*tab.answer(hub.challenge()))
    new = key_file.read(home)
    hub, tab = pairing.tab_proof(), TabProof(decode(new.key) or b"")
    tab.verify(hub.verify(*tab.answer(hub.challenge())))


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_key_that_cannot_be_written_leaves_the_old_one_in_force(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)
    old = key_file.read(home)
    monkeypatch.setattr("kapture.private_files.os.fsync", no_space)
    with pytest.raises(Unauthorized, match="No space left on device") as refused:
        pairing.rotate()
    assert refused.value.hint == "Make room on its disk."
    assert key_file.read(home) == old
    assert [path.name for path in home.iterdir()] == ["hub.json"]
    assert pairing.holder(old.clientToken)
    monkeypatch.undo()
    pairing.rotate()
    assert pairing.holder(old.clientToken) is None


def test_a_key_file_that_cannot_be_removed_is_an_error_that_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("kapture.pairing.key_file.Path.unlink", read_only)
    with pytest.raises(Unauthorized, match=r"hub.json could not be removed: Read-only file system.") as refused:
        pairing.remove_key_file()
    assert "writable" in refused.value.hint
