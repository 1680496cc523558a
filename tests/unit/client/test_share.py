"""The other machine of a share: what it may have `ssh` forward, and how Kapture is installed there."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from kapture.cli.share import _kept_up
from kapture.client.share import Destination, Ssh, SshError, There, given_to, install
from kapture.errors import KaptureError, Unsupported
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


PYTHON = """#!/bin/sh
for last; do :; done
case "$1 $2" in
"-c "*) exit %d;;
"-m venv") mkdir -p "$last/bin" && cp "$0" "$last/bin/python";;
"-m pip") cp "$last" "${0%%/*}/installed" && echo "$*" >>"${0%%/*}/calls";;
esac
"""
SSH = '#!/bin/sh\nfor last; do :; done\ncase "$*" in *"-O forward"*) exit;; esac\nexec sh -c "$last"\n'


def machine(folder: Path, monkeypatch: pytest.MonkeyPatch, *, too_old: bool = False) -> Destination:
    """A machine with nothing but a shell and a Python, which has no packages."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("sh", "cat", "chmod", "cp", "grep", "mkdir", "mv", "rm", "uname"):
        (tools / name).symlink_to(shutil.which(name) or name)
    for name, text in (("python3", PYTHON % too_old), ("ssh", SSH)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o700)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("HOME", str(folder))
    return Destination(name="devhost", program=str(tools / "ssh"))


async def test_kapture_is_installed_there_once_from_the_wheel_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devhost, home, wheel = machine(tmp_path, monkeypatch), tmp_path / "its home", tmp_path / "kapture_mcp-1.whl"
    wheel.write_bytes(bytes(range(256)) * 1_000)
    async with given_to(devhost, SHARED, "laptop", str(home)) as (ssh, there):
        assert there == There(kapture="", own=f"{home}/venv/bin/kapture")
        for _ in range(2):
            await install(ssh, wheel, str(home))
    venv = home / "venv" / "bin"
    assert (venv / "installed").read_bytes() == wheel.read_bytes()
    assert len((venv / "calls").read_text().splitlines()) == 2  # with its dependencies, and then anew
    assert not list(home.glob("*.whl"))


async def test_machine_without_a_usable_python_gets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devhost, home, wheel = machine(tmp_path, monkeypatch, too_old=True), tmp_path / "home", tmp_path / "kapture.whl"
    wheel.write_text("")
    async with given_to(devhost, SHARED, "laptop", str(home)) as (ssh, _):
        with pytest.raises(Unsupported):
            await install(ssh, wheel, str(home))
    assert not (home / "venv").exists()


async def test_ssh_that_ctrl_c_ends_is_no_lost_connection(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    @asynccontextmanager
    async def connected() -> AsyncIterator[tuple[Ssh, There]]:
        raise SshError
        yield

    async def say(_: Ssh, __: There) -> None: ...

    with trio.move_on_after(0.1) as ctrl_c:
        await _kept_up(connected, Destination(name="devhost"), say)
    assert ctrl_c.cancelled_caught
    assert capsys.readouterr().err == ""
    with pytest.raises(KaptureError, match="`ssh devhost true` has to work by itself"):
        await _kept_up(connected, Destination(name="devhost"), say)
