"""Key rotation: new secrets replace the old ones, which stop working."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.errors import Unauthorized
from kapture.pairing import Pairing, TabProof, key_file
from kapture.pairing.proof import decode
from kapture.pairing.ticket import make_ticket


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
    session = pairing.redeem_ticket(make_ticket(old.key))
    assert pairing.client_allowed(old.clientToken)
    assert pairing.client_allowed(session)
    pairing.rotate()
    assert not pairing.client_allowed(old.clientToken)
    assert not pairing.client_allowed(session)
    hub, tab = pairing.tab_proof(), TabProof(decode(old.key) or b"")
    with pytest.raises(Unauthorized):
        hub.verify(*tab.answer(hub.challenge()))
    new = key_file.read(home)
    hub, tab = pairing.tab_proof(), TabProof(decode(new.key) or b"")
    tab.verify(hub.verify(*tab.answer(hub.challenge())))
