"""What a person is asked to allow, in words."""

from __future__ import annotations

import pytest

from kapture.commands.core.registry import Access
from kapture.policy.policy import Ask


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (Ask(kind="site", site="bank.example"), "work on bank.example"),
        (Ask(kind="site", site="*"), "work on any site"),
        (Ask(kind="site", site="file://"), "work on files of this computer"),
        (Ask(kind="level", level=Access.READ), "read this tab"),
        (Ask(kind="level", level=Access.INTERACT), "interact with this tab"),
        (Ask(kind="level", level=Access.FULL), "have full access to this tab"),
    ],
)
def test_a_question_says_in_plain_words_what_the_client_wants_to_do(ask: Ask, words: str) -> None:
    assert str(ask) == words
