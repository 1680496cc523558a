"""Key rotation: new secrets replace the old ones, which stop working."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from kapture.errors import Unauthorized
from kapture.pairing import Pairing, TabProof, key_file
from kapture.pairing.proof import decode


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data"


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
