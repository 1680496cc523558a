from __future__ import annotations

import pytest

from kapture.scenarios.healing.likeness import FLOOR
from kapture.scenarios.healing.names import (
    SAME,
    asked_again,
    contradicts,
    destroys,
    equal_texts,
    name_likeness,
    of_another_amount,
    says,
    without_count,
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Check out", "checkout"),
        ("Place order", "Place your order"),
        ("Save", "Save changes"),
        ("City", "City *"),
        ("Favorite colour", "Favorite color"),
        ("Order online", "Order on-line"),
        ("Tea · Coffee", "Tea, coffee"),
    ],
)
def test_names_are_alike_that_differ_in_spelling_or_in_words_without_weight(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        assert name_likeness(one, other) >= FLOOR
        assert not contradicts(one, other)


@pytest.mark.parametrize(("first", "second"), [("Email", "E-mail address"), ("Phone", "Phone number")])
def test_a_field_may_say_more_precisely_what_it_takes(first: str, second: str) -> None:
    assert name_likeness(first, second, of_field=True) >= FLOOR
    assert name_likeness(first, second) < FLOOR


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Sign in", "Sign in with Google"),
        ("Add to cart", "Add to wishlist"),
        ("Street", "City"),
        ("Delete", "Delete account"),
        ("Order", "Order history"),
        ("Card number", "Card code"),
        ("Password", "New password"),
        ("Invoice 1023", "Invoice 1024"),
        ("I am over 18 years old", "I am over 21 years old"),
        ("Download the annual report", "Download the monthly report"),
        ("More tickets", "More child tickets"),
    ],
)
def test_names_with_other_words_are_not_alike(first: str, second: str) -> None:
    assert name_likeness(first, second) < FLOOR
    assert name_likeness(second, first) < FLOOR


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(
            ("Follow", "Unfollow"),
            ("Like", "Dislike"),
            ("Activate", "Deactivate"),
            ("Send", "Resend"),
            ("Pin", "Unpin"),
        ),
        *(
            ("Increase", "Decrease"),
            ("Attach", "Detach"),
            ("Einblenden", "Ausblenden"),
            ("Mark as read", "Mark as unread"),
        ),
        *(
            ("Follow", "Following"),
            ("Subscribe", "Subscribed"),
            ("Save", "Saved"),
            ("Save", "Saving"),
            ("Stop", "Stopped"),
        ),
        *(
            ("Show details", "Hide details"),
            ("Turn on alerts", "Turn off alerts"),
            ("Sign in", "Sign up"),
            ("Yes", "No"),
        ),
        *(("Send me offers", "Do not send me offers"), ("Send me offers", "Don't send me offers")),
        *(("Archive", "Archive all"), ("Email", "Confirm email"), ("Name", "First name"), ("Send", "Send later")),
        *(("신청하기", "초안 신청하기"), ("שמור", "שמור הכל")),
        *(("关注", "取消关注"), ("フォロー", "フォロー解除"), ("Aceptar", "Rechazar"), ("Name", "Vorname")),
    ],
)
def test_names_contradict_each_other_that_say_the_opposite_or_more_or_less(first: str, second: str) -> None:
    assert contradicts(first, second)
    assert contradicts(second, first)


def test_only_a_name_that_has_got_a_word_such_as_delete_contradicts() -> None:
    assert contradicts("Place order", "Delete order")
    assert not contradicts("Remove the item", "Take the item away")


@pytest.mark.parametrize(
    ("first", "second"), [("Save", "Speichern"), ("First name", "Prénom"), ("All items", "Artikel")]
)
def test_a_translation_is_no_contradiction(first: str, second: str) -> None:
    assert not contradicts(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Log in", "Sign in"),
        ("Add to cart", "Add to basket"),
        ("Add to cart", "Put into basket"),
        ("Last name", "Surname"),
        ("ZIP code", "Postcode"),
        ("In den Warenkorb", "In den Einkaufswagen"),
        ("Cart (2)", "Cart (3)"),
        ("Inbox (12)", "Inbox"),
    ],
)
def test_names_in_other_words_or_with_another_count_are_alike_but_not_equal(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        assert FLOOR <= name_likeness(one, other) < SAME
        assert not contradicts(one, other)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Log in", "Register"), ("Log in", "Sign out"), ("Continue", "Previous"), ("Log in", "Sign in with Google")],
)
def test_synonyms_contradict_each_other_as_the_words_that_they_stand_for(first: str, second: str) -> None:
    assert contradicts(first, second)
    assert contradicts(second, first)


def test_a_number_that_is_no_count_is_part_of_the_name() -> None:
    assert name_likeness("Invoice 7", "Invoice 8") < FLOOR
    assert without_count("Inbox (12)") == "Inbox"
    assert without_count("Report (1).pdf") == "Report (1).pdf"


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [("Authorise 25 €", "Authorise 250 €"), ("Buy 2 tickets", "Buy 5"), ("Delete 3 files", "Delete 9")],
)
def test_of_what_costs_or_loses_something_another_number_is_another_thing(wanted: str, seen: str) -> None:
    assert of_another_amount(wanted, seen)
    assert not of_another_amount(wanted, wanted.split()[0])
    assert not of_another_amount(wanted.split()[0], seen)
    assert not of_another_amount("Inbox 2", "Inbox 5")


def test_a_new_password_is_another_field_but_a_new_article_the_same_button() -> None:
    assert contradicts("Password", "New password", of_field=True)
    assert not contradicts("Add article", "Add new article")


def test_a_negation_contradicts_in_another_language_too() -> None:
    assert contradicts("Follow", "Nicht mehr folgen")


def test_an_identifier_says_a_name_whose_word_it_has() -> None:
    assert says("save-profile", "Save")
    assert says("loginButton", "Sign in")
    assert not says("primary", "Save")


def test_what_deletes_is_known_by_a_word() -> None:
    assert destroys("Delete account")
    assert not destroys("Undelete")
    assert destroys("계정 삭제하기")
    assert destroys("注文を削除しますか?")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("휴가 신청", "휴가 신청취소"),
        ("팀장에게 알림", "팀장에게 알리지 않음"),
        ("注文", "注文をキャンセル"),
        ("שיתוף רשימה", "ביטול שיתוף רשימה"),
    ],
)
def test_what_undoes_is_known_by_a_part_of_a_word_where_words_are_joined(name: str, other: str) -> None:
    assert contradicts(name, other)
    assert not contradicts(other, other)


@pytest.mark.parametrize(
    ("question", "other", "same"),
    [
        ("Order 2 lamps?", "Do you really want to order 3 lamps now?", True),
        ("Order a lamp?", "Order a chair?", True),
        ("Order a lamp?", "Order a table?", False),
        ("Order a lamp?", "Order?", False),
        ("Withdraw the order of a lamp?", "Order of a chair?", False),
        ("휴가를 신청할까요?", "휴가를 신청할까요? (1일)", True),
        ("휴가를 신청할까요?", "휴가를 마칠까요?", False),
    ],
)
def test_a_question_is_the_same_in_the_same_words_or_with_a_value_of_the_run(
    question: str, other: str, same: bool
) -> None:
    assert asked_again(question, other, {"chair"}) is same


@pytest.mark.parametrize(
    ("first", "second"), [("Pay € 1.50", "Pay € 150"), ("Pay 1,000,000", "Pay 1,000"), ("Days 3-7", "Days 37")]
)
def test_numbers_are_compared_whole(first: str, second: str) -> None:
    assert not equal_texts(first, second)
    assert name_likeness(first, second) < FLOOR
    assert name_likeness(second, first) < FLOOR


def test_a_number_may_be_written_with_another_separator() -> None:
    assert equal_texts("Pay 1,000.50", "Pay 1.000,50")


@pytest.mark.parametrize(
    ("first", "second"), [("+", "−"), ("Zoom +", "Zoom −"), ("◀", "▶"), ("Copy A to B", "Copy B to A")]
)
def test_signs_and_directions_make_opposites(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        assert contradicts(one, other)
        assert not equal_texts(one, other)


@pytest.mark.parametrize(("first", "second"), [("+ Add", "Add"), ("Next →", "Next"), ("Place order", "Order: place")])
def test_signs_and_order_say_nothing_else(first: str, second: str) -> None:
    assert not contradicts(first, second)
    assert name_likeness(first, second) >= FLOOR
