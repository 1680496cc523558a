"""What the other machine of a share may have `ssh` forward."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.client.share import Destination, given_to
from kapture.errors import Unsupported
from kapture.wire.share import Shared

SHARED = Shared(port=9_999, folder="", key="k", token="t", version="1")


def ssh_that_prints(home: Path, folder: str, socket: str) -> Destination:
    """An `ssh` to a machine whose script names this socket. It notes what it is asked to forward."""
    program, said, forwarded = home / "ssh", home / "said", home / "forwarded"
    said.write_text(f"yes\n{folder}\n{socket}\n")
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *"-O forward"*) echo "$*" >>{forwarded}; exit;; esac\n'
        f"cat {said}; read -r content; echo ready; cat >/dev/null\n"
    )
    program.chmod(0o700)
    return Destination(name="devhost", program=str(program))


@pytest.mark.parametrize(
    ("folder", "socket"),
    [
        ("/tmp", "x\\"),  # `ssh` takes this for a SOCKS proxy into this machine's network
        ("/tmp/${SECRET}", "hub-1.sock"),  # a variable of this process
        ("/tmp/%h", "hub-1.sock"),
        ("0.0.0.0:22:/tmp", "hub-1.sock"),
        ("[::]:22:/tmp", "hub-1.sock"),
        ("tmp", "hub-1.sock"),
        ("/tmp", "../hub.sock"),
        ("/tmp", "hub-1.sock:10.0.0.1"),
    ],
)
async def test_other_machine_cannot_have_anything_else_forwarded(tmp_path: Path, folder: str, socket: str) -> None:
    with pytest.raises(Unsupported):
        async with given_to(ssh_that_prints(tmp_path, folder, socket), SHARED, "laptop", ""):
            pass
    assert not (tmp_path / "forwarded").exists()


@pytest.mark.parametrize("folder", ["/home/ann/.local/share/kapture/remote/laptop", "/Users/Zoë/Application Support/k"])
async def test_socket_in_the_data_folder_there_is_forwarded(tmp_path: Path, folder: str) -> None:
    async with given_to(ssh_that_prints(tmp_path, folder, "hub-12.sock"), SHARED, "laptop", ""):
        assert f"-R {folder}/hub-12.sock:127.0.0.1:9999 " in (tmp_path / "forwarded").read_text()
