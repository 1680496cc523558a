"""Which hub a program uses: the named one, this machine's, or the only one that is shared with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kapture.client.hubs import hub_folder, is_shared
from kapture.errors import InvalidParams, NoBackend, Unauthorized
from kapture.pairing import key_file


def share(home: Path, *names: str) -> None:
    for name in names:
        folder = home / "remote" / name
        folder.mkdir(parents=True)
        (folder / "hub.json").write_text("{}")


def chosen(home: Path, named: str | None = None, **environment: str) -> Path:
    return hub_folder(named, {"KAPTURE_HOME": str(home), **environment})


def test_own_hub_is_used_where_none_is_shared(tmp_path: Path) -> None:
    assert chosen(tmp_path) == tmp_path
    assert not is_shared(tmp_path, {"KAPTURE_HOME": str(tmp_path)})


def test_only_shared_hub_is_used_where_none_runs(tmp_path: Path) -> None:
    share(tmp_path, "laptop")
    assert chosen(tmp_path) == tmp_path / "remote" / "laptop"
    assert is_shared(chosen(tmp_path), {"KAPTURE_HOME": str(tmp_path)})


def test_own_hub_is_used_where_it_runs(tmp_path: Path) -> None:
    share(tmp_path, "laptop")
    (tmp_path / "hub.json").write_text("{}")
    assert chosen(tmp_path) == tmp_path
    assert chosen(tmp_path, "laptop") == tmp_path / "remote" / "laptop"


def test_several_shared_hubs_need_a_name(tmp_path: Path) -> None:
    share(tmp_path, "laptop", "desk")
    with pytest.raises(InvalidParams, match="desk, laptop"):
        chosen(tmp_path)
    assert chosen(tmp_path, KAPTURE_HUB="desk") == tmp_path / "remote" / "desk"
    assert chosen(tmp_path, "local", KAPTURE_HUB="desk") == tmp_path


def test_unknown_hub_is_an_error(tmp_path: Path) -> None:
    share(tmp_path, "laptop")
    for name in ("desk", "../laptop", "."):
        with pytest.raises(InvalidParams, match="laptop"):
            chosen(tmp_path, name)


def test_named_hub_may_be_shared_later_where_the_program_waits_for_it(tmp_path: Path) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path)}
    assert hub_folder("laptop", environment, may_come=True) == tmp_path / "remote" / "laptop"
    with pytest.raises(InvalidParams):
        hub_folder("../laptop", environment, may_come=True)


def test_path_without_key_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    for path in ("unix:{}/hub.sock", "file:{}/hub.json", "file:{}/other.json"):
        with pytest.raises(NoBackend, match=r"hub\.json"):
            chosen(tmp_path, path.format(tmp_path))
    assert hub_folder(f"unix:{tmp_path}/hub.sock", {}, may_come=True) == tmp_path


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can be another user")
def test_mounted_folder_of_another_user_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "hub.json").write_text("{}")
    os.seteuid(12345)
    try:
        folder = chosen(Path("/"), f"unix:{tmp_path}/hub.sock")
        with pytest.raises(Unauthorized, match="Permission denied"):
            key_file.read(folder)
    finally:
        os.seteuid(0)


def test_hub_of_a_mounted_folder_is_not_started_from_here(tmp_path: Path) -> None:
    """Its key file may go while a client runs."""
    mounted = tmp_path / "kapture"
    mounted.mkdir()
    (mounted / "hub.json").write_text("{}")
    for path in ("hub.sock", "hub.json"):
        kind = "unix" if path.endswith("sock") else "file"
        found = chosen(tmp_path, f"{kind}:{mounted}/{path}")
        assert found == mounted
        assert is_shared(found, {"KAPTURE_HOME": str(tmp_path)})


@pytest.mark.parametrize(
    ("named", "reason"),
    [("unix:{}/hub.sock", "the share has ended"), ("file:{}/copy.json", "is not named hub.json")],
)
def test_reason_why_a_mounted_or_copied_file_cannot_be_used(tmp_path: Path, named: str, reason: str) -> None:
    with pytest.raises(NoBackend, match=reason):
        chosen(tmp_path, named.format(tmp_path))
