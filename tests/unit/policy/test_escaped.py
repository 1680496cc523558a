"""What a person reads before allowing a step: nothing in it is unseen, or in another order than it counts."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.policy.grant import parse
from kapture.policy.shown import escaped, escaped_address


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("let x = 1;\n\treturn 'é 日本 🎉';", "let x = 1;\n\treturn 'é 日本 🎉';"),
        ("/* \u202e } \u2066 if (admin) */", "/* ‹U+202E› } ‹U+2066› if (admin) */"),
        ("let \u3164 = fetch", "let ‹U+3164› = fetch"),  # a Hangul filler is a letter, for JavaScript too
        ("a\u200bb\u00a0c\ufe01\U000e0041", "a‹U+200B›b‹U+00A0›c‹U+FE01›‹U+E0041›"),
        ("one\r\ntwo\rthree\x1b[2J", "one\ntwo‹U+000D›three‹U+001B›[2J"),
        ("\ud800", "‹U+D800›"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, read: str) -> None:
    assert escaped(text) == read


@given(st.text())
def test_nothing_is_left_that_steers_or_hides(text: str) -> None:
    read = escaped(text)
    assert not [char for char in read if char not in "\n\t" and unicodedata.category(char)[0] == "C"]
    assert escaped(read) == read


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("https://shop.example/a?b=c%20d#e", "https://shop.example/a?b=c%20d#e"),
        ("https://\u0430pple.com/pay?x=1#y", "https://xn--pple-43d.com/pay?x=1#y"),  # a Cyrillic a
        ("https://bücher.example:8443/ü", "https://xn--bcher-kva.example:8443/%C3%BC"),
        ("https://shop.example/\u202egnp.exe", "https://shop.example/%E2%80%AEgnp.exe"),
        ("https://shop.example/\ud800", "https://shop.example/?"),
        ("https://shop.example\\pay/ü?sum=1", "https://shop.example/pay/%C3%BC?sum=1"),
        ("https://shop.example\\@bank.example/", "https://shop.example/@bank.example/"),
        ("https://bank.example@shop.example/", "https://shop.example/"),
        ("https:/shop.example/ü#a#b", "https://shop.example/%C3%BC#a#b"),
        ("blob:https://bücher.example/1", "blob:https://xn--bcher-kva.example/1"),
        ("file:///home/ü", "file:///home/%C3%BC"),
        ("data:text/html,\u202eü", "data:text/html,‹U+202E›ü"),
    ],
)
def test_an_address_is_read_as_the_browser_gets_it(url: str, read: str) -> None:
    assert escaped_address(url) == read


@given(st.from_regex(r"https:[/\\]{1,2}([a-z]{1,3}@)?[a-zäøа-я]{1,9}\.example[/\\?#][^\x00-\x20]{0,9}", fullmatch=True))
def test_an_address_that_is_read_leads_where_the_other_does(url: str) -> None:
    address = parse(url)
    if address is not None:
        read = escaped_address(url)
        assert read.isascii()
        shown = parse(read)
        assert shown is not None
        assert shown.origin == address.origin
        assert (unquote(shown.path), unquote(shown.query)) == (unquote(address.path), unquote(address.query))
