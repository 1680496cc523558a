"""The mutual proof: who holds the key is believed, nobody else, and never twice."""

from __future__ import annotations

import base64
import hashlib
import hmac
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.pairing import Pairing, key_file
from kapture.pairing.access import Who
from kapture.pairing.proof import CLIENT_LABEL, HubProof, TabProof, decode, encode, fresh, mac, same
from kapture.pairing.ticket import CONSOLE, check_ticket, make_ticket

KEY = bytes(range(32))


def both(key: bytes = KEY) -> tuple[HubProof, TabProof]:
    return HubProof(key), TabProof(key)


def refused(call, *arguments) -> bool:  # type: ignore[no-untyped-def]
    with pytest.raises(KaptureError) as caught:
        call(*arguments)
    return caught.value.code is ErrorCode.UNAUTHORIZED


def test_both_sides_with_the_key_believe_each_other() -> None:
    hub, tab = both()
    tab.verify(hub.verify(*tab.answer(hub.challenge())))


def test_the_macs_are_those_of_the_documented_formula() -> None:
    hub, tab = both()
    hub_nonce = hub.challenge()
    tab_nonce, tab_mac = tab.answer(hub_nonce)

    def by_hand(text: str) -> str:
        return base64.urlsafe_b64encode(hmac.new(KEY, text.encode(), hashlib.sha256).digest()).decode().rstrip("=")

    assert tab_mac == by_hand(f"kapture-tab-v1\n{hub_nonce}\n{tab_nonce}")
    assert hub.verify(tab_nonce, tab_mac) == by_hand(f"kapture-hub-v1\n{tab_nonce}\n{hub_nonce}")


def test_a_tab_with_another_key_is_refused() -> None:
    hub, tab = HubProof(KEY), TabProof(bytes(32))
    assert refused(hub.verify, *tab.answer(hub.challenge()))


def test_a_hub_with_another_key_is_refused_by_the_tab() -> None:
    tab = TabProof(KEY)
    squatter = HubProof(bytes(32))
    nonce, _ = tab.answer(squatter.challenge())
    forged = mac(bytes(32), "kapture-hub-v1", nonce, fresh())
    assert refused(tab.verify, forged)


@pytest.mark.parametrize("proof", [None, "", "A" * 43, 7, {}, [], "é" * 43, "\ud800" * 43])
def test_a_missing_or_malformed_mac_is_refused(proof: object) -> None:
    hub, tab = both()
    nonce, _ = tab.answer(hub.challenge())
    assert refused(hub.verify, nonce, proof)
    tab.answer(hub.challenge())
    assert refused(tab.verify, proof)


def test_a_proof_recorded_on_one_socket_is_refused_on_the_next() -> None:
    first, tab = both()
    recorded = tab.answer(first.challenge())
    first.verify(*recorded)
    second = HubProof(KEY)
    second.challenge()
    assert refused(second.verify, *recorded)


def test_a_proof_counts_once_on_its_own_socket() -> None:
    hub, tab = both()
    proof = tab.answer(hub.challenge())
    hub.verify(*proof)
    assert refused(hub.verify, *proof)


def test_a_second_guess_is_not_allowed_on_the_same_socket() -> None:
    hub, tab = both()
    nonce, right = tab.answer(hub.challenge())
    assert refused(hub.verify, nonce, fresh())
    assert refused(hub.verify, nonce, right)
    hub.challenge()
    assert refused(hub.verify, *tab.answer(hub.challenge()))


def test_a_proof_before_the_challenge_is_refused() -> None:
    hub, tab = both()
    assert refused(hub.verify, *tab.answer(fresh()))


def test_the_hubs_own_words_sent_back_prove_nothing() -> None:
    # One who has no key opens two sockets and lets the hub answer itself.
    victim, oracle = HubProof(KEY), HubProof(KEY)
    challenge = victim.challenge()
    assert refused(oracle.verify, challenge, challenge)
    oracle_nonce = oracle.challenge()
    assert refused(victim.verify, oracle_nonce, mac(bytes(32), "kapture-hub-v1", challenge, oracle_nonce))


def test_the_tabs_own_mac_sent_back_does_not_make_a_hub() -> None:
    tab = TabProof(KEY)
    _, tab_mac = tab.answer(fresh())
    assert refused(tab.verify, tab_mac)


def test_a_tab_that_was_not_challenged_believes_nobody() -> None:
    assert refused(TabProof(KEY).verify, fresh())
    assert refused(TabProof(KEY).answer, "short")


@given(st.one_of(st.text(max_size=60), st.binary(max_size=40).map(encode), st.none(), st.integers()))
def test_only_the_one_spelling_of_32_bytes_is_a_nonce(text: object) -> None:
    data = decode(text)
    if data is None:
        return
    assert len(data) == 32
    assert encode(data) == text


@given(st.binary(min_size=32, max_size=32))
def test_every_32_bytes_survive_their_spelling(data: bytes) -> None:
    assert decode(encode(data)) == data


@given(st.binary(min_size=32, max_size=32), st.integers(0, 42), st.sampled_from("ABCxyz019-_=+/ \n"))
def test_a_nonce_with_any_letter_changed_is_another_one_or_none(data: bytes, at: int, letter: str) -> None:
    text = encode(data)
    changed = text[:at] + letter + text[at + 1 :]
    assert changed == text or decode(changed) != data


@given(st.text(max_size=50), st.text(max_size=50))
def test_secrets_compare_as_texts_do(one: str, other: str) -> None:
    assert same(one, other) == (one == other)
    assert not same(one, None)


def test_challenges_are_never_the_same() -> None:
    assert len({HubProof(KEY).challenge() for _ in range(1000)}) == 1000


# What the hub believes: its client token, its proof to a client, and tickets.


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
