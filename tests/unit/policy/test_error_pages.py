"""What the browser's error page passes on."""

from __future__ import annotations

from types import SimpleNamespace

from tests.unit.policy.deciding import INSIDE, OUTSIDE, decide, grant


def test_from_an_error_page_what_could_not_be_opened_is_loaded_again_where_it_is_granted() -> None:
    error_page = "chrome-error://chromewebdata/"
    assert decide("reload", given_=grant(), url=error_page, inherited=INSIDE).allowed
    assert not decide("reload", given_=grant(), url=error_page, inherited=OUTSIDE).allowed
    assert not decide("reload", given_=grant(), url=error_page).allowed
    assert not decide("click", given_=grant(), url=error_page, inherited=INSIDE).allowed


def test_of_a_page_that_may_be_of_any_site_the_refusal_says_so() -> None:
    decision = decide("get_text", given_=grant(), url="about:blank", inherited="unknown:")
    assert decision.reason == "It is not known which site made this page, and not every site is granted."


def test_a_data_url_belongs_to_the_site_that_an_error_page_is_shown_for() -> None:
    data = SimpleNamespace(url="data:text/html,x")
    for inherited, allowed in ((INSIDE, True), (OUTSIDE, False), (None, False)):
        decision = decide(
            "navigate", given_=grant(), url="chrome-error://chromewebdata/", inherited=inherited, params=data
        )
        assert decision.allowed is allowed
