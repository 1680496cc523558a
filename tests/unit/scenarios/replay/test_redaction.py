from __future__ import annotations

import re

import pytest

from kapture.scenarios.parameters.placeholders import substitute
from kapture.scenarios.replay.redaction import Redaction


def redaction(**secrets: str) -> Redaction:
    made = Redaction()
    made.add(secrets)
    return made


@pytest.mark.parametrize(
    "text",
    [
        'pä ss&"1"!',
        "https://shop.example/?p=p%C3%A4%20ss%26%221%22%21",
        "https://shop.example/?p=p%C3%A4%20ss%26%221%22!",
        "https://shop.example/?p=p%C3%A4+ss%26%221%22%21",
        '{"p": "pä ss&\\"1\\"!"}',
        '{"p": "p\\u00e4 ss&\\"1\\"!"}',
        '<input value="pä ss&amp;&quot;1&quot;!">',
        '<p>pä ss&amp;"1"!</p>',
    ],
)
def test_a_secret_is_taken_out_however_it_is_written(text: str) -> None:
    taken = redaction(password='pä ss&"1"!')({"of the page": [text]})["of the page"][0]
    assert "{{password}}" in taken
    assert not re.search("ss[^w]", taken)


@pytest.mark.parametrize("placeholder", ["{{password|url}}", "{{password|url|url}}"])
def test_a_secret_is_taken_out_of_an_address_that_a_scenario_opens(placeholder: str) -> None:
    value = "p@{ss} + 1"
    address = substitute(f"https://shop.example/?p={placeholder}", {"password": value})
    assert redaction(password=value)(address) == "https://shop.example/?p={{password}}"


def test_of_two_secrets_the_longer_one_goes_first() -> None:
    assert redaction(pin="1234", password="1234-5678")("1234-5678 and 1234") == "{{password}} and {{pin}}"


def test_a_short_secret_is_taken_out_as_a_word_only() -> None:
    assert redaction(pin="12")("12 of 120") == "{{pin}} of 120"
