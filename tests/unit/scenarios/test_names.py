from __future__ import annotations

import pytest

from kapture.scenarios.likeness import FLOOR
from kapture.scenarios.names import contradicts, name_likeness


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Check out", "checkout"),
        ("Place order", "Place your order"),
        ("Save", "Save changes"),
        ("City", "City *"),
        ("Favorite colour", "Favorite color"),
        ("Order online", "Order on-line"),
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
