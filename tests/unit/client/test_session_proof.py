"""The proof of session: the same for all servers of one program, and known to nobody without the hub's key."""

from __future__ import annotations

from pathlib import Path

from kapture.client.session_proof import SessionProof, session_key, started_by
from kapture.hub.client import session_of
from kapture.pairing.proof import fresh

KEY = fresh()


def test_servers_of_one_program_have_one_session_for_each_name() -> None:
    one, again, other = started_by("shop"), started_by("shop"), started_by("site")
    assert one.with_key(KEY) == again.with_key(KEY)
    assert one.with_key(KEY) != other.with_key(KEY)
    assert session_of(one.with_key(KEY), "claude") != session_of(one.with_key(KEY), "cursor")


def test_proof_needs_the_key_and_stays_for_the_next_hub() -> None:
    one = started_by("shop")
    assert one.with_key(KEY) != started_by("shop").with_key(fresh())
    assert one.with_key(fresh()) == started_by("shop").with_key(KEY)


def test_server_whose_program_is_unknown_has_its_own_session() -> None:
    assert SessionProof().with_key(KEY) != SessionProof().with_key(KEY)


def test_secret_of_the_data_folder_is_private_and_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    key = session_key(home)
    assert session_key(home) == key
    assert session_key(tmp_path / "other") != key
    assert (home / "session.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home.iterdir()] == ["session.key"]
