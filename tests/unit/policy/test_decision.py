"""What a person is asked to allow, in words."""

from __future__ import annotations

import pytest

from kapture.commands.core.registry import Access
from kapture.policy.policy import Ask


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (Ask(site="bank.example"), "work on bank.example"),
        (Ask(site="*"), "work on any site"),
        (Ask(site="file://"), "work on files of this computer"),
        (Ask(level=Access.READ), "read this tab"),
        (Ask(level=Access.INTERACT), "interact with this tab"),
        (Ask(level=Access.FULL), "have full access to this tab"),
        (Ask(level=Access.FULL, site="a.example"), "have full access to this tab and work on a.example"),
    ],
)
def test_a_question_says_in_plain_words_what_the_client_wants_to_do(ask: Ask, words: str) -> None:
    assert str(ask) == words
