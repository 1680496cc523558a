"""What the hub believes: its client token, its proof to a client, and tickets."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.errors import Unauthorized
from kapture.pairing import Pairing, key_file
from kapture.pairing.access import Who
from kapture.pairing.proof import CLIENT_LABEL, decode, fresh, mac
from kapture.pairing.ticket import CONSOLE, check_ticket, make_ticket


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.mark.parametrize("token", [None, "", "x", "A" * 43, "é", "\ud800"])
def test_a_client_without_the_token_is_not_allowed(home: Path, token: str | None) -> None:
    assert Pairing(home).holder(token) is None


def test_the_hub_proves_itself_to_a_client_over_the_clients_nonce(home: Path) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)
    nonce = fresh()
    assert pairing.client_proof(nonce) == mac(decode(key_file.read(home).key) or b"", CLIENT_LABEL, nonce)
    with pytest.raises(Unauthorized):
        pairing.client_proof("kapture-tab-v1\nforged")


def test_no_secret_is_in_a_repr_or_an_error(home: Path) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)
    content = key_file.read(home)
    with pytest.raises(Unauthorized) as refused:
        pairing.spend_ticket(CONSOLE, "x.1.y")
    shown = repr(content) + repr(pairing) + repr(pairing.tab_proof()) + str(refused.value)
    assert content.key not in shown
    assert content.clientToken not in shown


def test_a_console_ticket_opens_once(home: Path) -> None:
    pairing = Pairing(home)
    pairing.write_key_file(1)
    ticket = make_ticket(key_file.read(home).key)
    pairing.spend_ticket(CONSOLE, ticket)
    assert pairing.holder(pairing.open_session()) is Who.SESSION
    with pytest.raises(Unauthorized, match="before"):
        pairing.spend_ticket(CONSOLE, ticket)
    assert pairing.holder(ticket) is None


def test_a_console_ticket_lives_a_minute() -> None:
    key = fresh()
    ticket = make_ticket(key, now=1000.0)
    raw = decode(key) or b""
    check_ticket(raw, CONSOLE, ticket, 1059)
    with pytest.raises(Unauthorized):
        check_ticket(raw, CONSOLE, ticket, 1060)
    nonce, _, signature = ticket.split(".")
    with pytest.raises(Unauthorized):
        check_ticket(raw, CONSOLE, f"{nonce}.9999.{signature}", 1059)
    # One made for later, by somebody with the key, is not kept for later either.
    with pytest.raises(Unauthorized):
        check_ticket(raw, CONSOLE, make_ticket(key, now=5000), 1000)


@pytest.mark.parametrize("ticket", ["", "..", "a.b.c", "é.1.x", "x" * 500, None, 3, "A" * 43 + ".-1." + "A" * 43])
def test_a_forged_ticket_is_refused(ticket: object) -> None:
    with pytest.raises(Unauthorized):
        check_ticket(bytes(32), CONSOLE, ticket, 0)
