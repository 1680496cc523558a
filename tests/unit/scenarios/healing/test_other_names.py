"""Elements with another name than the recorded one: by what they are the same, or something else, in any language."""

from __future__ import annotations

import pytest

from kapture.scenarios.healing.likeness import FLOOR, Seen, score
from kapture.scenarios.model import Appearance


def seen(**changes: object) -> Seen:
    return Seen(**{"ref": "e1", "role": "button", "name": "", **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "now", "fits"),
    [
        ("Save", "Save changes", True),
        ("Approve selected", "Approve selected employees", True),
        ("Save", "Save and publish", False),
        ("Save", "Save & publish", False),
        ("Save", "Save or employ", False),
        ("Request appointment", "Request cancellation of appointment", False),
        ("Kaydet", "Kaydet ve kapat", False),
        ("Kaydet", "Taslak olarak kaydet", False),
        ("Gönder", "Gönderme", False),
        ("Gönder", "Gönderilmesin", False),
        ("저장", "저장 후 인쇄", False),
        ("저장", "저장하기", True),
        ("결제하기", "결제하세요", True),
        ("저장하기", "저장하지 않기", False),
        ("저장", "임시저장하기", False),
        ("保存", "保存する", True),
        ("保存する", "保存しない", False),
        ("บันทึก", "บันทึกและเผยแพร่", False),
        ("सहेजें", "सहेजें और भेजें", False),
    ],
)
def test_a_word_more_is_something_else_unless_it_was_known_of_it(name: str, now: str, fits: bool) -> None:
    """In whichever language: the id is the same, and it says the name."""
    button = Appearance(
        role="button", name=name, attributes={"id": name.casefold()}, neighbours=["Total"], within=["form Employees"]
    )
    page = seen(name=now, attributes={"id": name.casefold()}, neighbours=["Total"], within=["form Employees"])
    assert (score(button, page) >= FLOOR) is fits


@pytest.mark.parametrize(
    ("name", "now", "fits"),
    [
        ("Street", "Street and number", True),
        ("Email", "E-Mail-Adresse", True),
        ("Ad", "Soyad", False),
        ("이름", "보호자 이름", False),
        ("Name", "Guardian name", False),
    ],
)
def test_a_field_of_another_thing_does_not_fit_by_its_id(name: str, now: str, fits: bool) -> None:
    field = {"role": "textbox", "tag": "input", "attributes": {"id": name.casefold()}}
    recorded = Appearance(name=name, neighbours=["City"], **field)  # type: ignore[arg-type]
    assert (score(recorded, seen(**field, name=now, neighbours=["City"])) >= FLOOR) is fits


@pytest.mark.parametrize(
    ("name", "identifier", "fits"),
    [("Save", "save", False), ("Save profile", "saveProfile", True), ("Sign in", "sign-in", True)],
)
def test_an_id_of_one_word_may_have_stayed_where_something_else_is_done(name: str, identifier: str, fits: bool) -> None:
    button = Appearance(role="button", name=name, attributes={"id": identifier}, neighbours=["Total"])
    page = seen(name="Publish", attributes={"id": identifier}, neighbours=["Total"])
    assert (score(button, page) >= FLOOR) is fits


@pytest.mark.parametrize(
    ("text", "now", "fits"),
    [("20.00 €", "21.50 €", True), ("09:14", "Mon", True), ("•••• 7744", "•••• 9913", False), ("#218", "#219", False)],
)
def test_a_number_that_says_which_row_it_is_is_no_amount(text: str, now: str, fits: bool) -> None:
    use = Appearance(role="button", name="Use", neighbours=["Savings", text])
    row = seen(name="Use", attributes={}, neighbours=["Savings", now])
    assert (score(use, row, was_shared=True) >= FLOOR) is fits


def test_an_id_says_a_name_without_its_accents() -> None:
    send = Appearance(role="button", name="Gönder", attributes={"id": "gonder"}, neighbours=["Şehir"])
    assert score(send, seen(name="Send", attributes={"id": "gonder"}, neighbours=["City"])) >= FLOOR


@pytest.mark.parametrize(("now", "fits"), [("Authorise 25 € now", True), ("Authorise 250 €", False)])
def test_what_pays_another_amount_does_not_fit_by_its_id(now: str, fits: bool) -> None:
    pay = Appearance(role="button", name="Authorise 25 €", attributes={"id": "pay"}, neighbours=["Receipt"])
    assert (score(pay, seen(name=now, attributes={"id": "pay"}, neighbours=["Receipt"])) >= FLOOR) is fits
