"""No key is taken from a file that others could have put there: not by the native messaging host, nor by clients."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from kapture.errors import KaptureError
from kapture.pairing import Pairing, key_file, native_host
from kapture.pairing.native_host import HostError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows keeps the folder by its access list")


def code(path: Path) -> str:
    with pytest.raises(HostError) as caught:
        native_host.read_key_file(str(path))
    return str(caught.value.answer["error"]["code"])


def is_open(path: Path) -> bool:
    """Whether this process has a descriptor of it."""
    found = path.stat()
    for entry in Path("/dev/fd").iterdir():
        with suppress(OSError):  # that of the listing itself is closed
            if os.path.samestat(os.fstat(int(entry.name)), found):
                return True
    return False


@pytest.mark.parametrize("opened", ["folder", "above it", "file"])
@pytest.mark.parametrize("bits", [0o777, 0o707, *([0o770] if os.geteuid() == 0 else [])])
def test_a_key_from_where_others_could_put_one_is_not_given_out(tmp_path: Path, opened: str, bits: int) -> None:
    home = tmp_path / "above" / "home"
    path = Pairing(home).write_key_file(1)
    assert native_host.read_key_file(str(path))["port"] == 1
    {"folder": home, "above it": home.parent, "file": path}[opened].chmod(bits)
    assert code(path) == "KEY_FILE"


def test_a_folder_that_others_can_only_read_is_not_private_either(tmp_path: Path) -> None:
    path = Pairing(tmp_path / "home").write_key_file(1)
    path.parent.chmod(0o750)
    assert code(path) == "KEY_FILE"


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_a_regular_file_is_read(tmp_path: Path, kind: str) -> None:
    path = Pairing(tmp_path / "home").write_key_file(1)
    real = path.rename(path.with_name("real.json"))
    if kind == "link":
        path.symlink_to(real)
    elif kind == "pipe":
        os.mkfifo(path, 0o600)
    else:
        path.mkdir(0o600)
    assert code(path) == "KEY_FILE"
    with pytest.raises(KaptureError):
        key_file.read(path.parent)
    assert not is_open(path)
