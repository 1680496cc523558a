"""Patterns of the policy file: hosts are compared as hosts, and what cannot be meant safely is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.policy.grant import parse
from kapture.policy.policy_file import Pattern, PatternError


def matches(pattern: str, url: str, *, any_case: bool = False) -> bool:
    address = parse(url)
    return address is not None and Pattern.compile(pattern).matches(address, any_case=any_case)


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("example.com", "https://example.com/x", True),
        ("example.com", "http://a.example.com:99/", True),
        ("example.com", "https://example.com.evil.test/", False),
        ("example.com", "https://evil.test/example.com", False),
        ("example.com", "https://example.com@evil.test/", False),
        ("example.com", "file:///example.com", False),
        ("example.com:8443", "https://a.example.com:8443/", True),
        ("example.com:8443", "https://example.com/", False),
        ("https://example.com/*", "https://example.com/", True),
        ("https://example.com/*", "http://example.com/", False),
        ("https://example.com/*", "https://a.example.com/", False),
        ("https://example.com/*", "https://example.com:8443/", False),
        ("https://example.com", "https://example.com/anything?x=1", True),
        ("https://example.com:*/", "https://example.com:8443/", True),
        ("https://*.example.com/*", "https://example.com/", True),
        ("https://*.example.com/*", "https://a.b.example.com/", True),
        ("https://*.example.com/*", "https://badexample.com/", False),
        ("*://example.com/*", "http://example.com/", True),
        ("*", "https://anything.test/", True),
        ("*", "file:///x", False),
        ("*/admin*", "https://a.test/admin/users", True),
        ("*/admin*", "https://a.test/x/admin", False),
        ("*/*admin*", "https://a.test/x/admin", True),
        ("*:8080", "http://a.test:8080/", True),
        ("*:8080", "http://a.test/", False),
        ("https://a.test/x", "https://a.test/x?secret=1", True),
        ("https://a.test/x?y=*", "https://a.test/x?y=1", True),
        ("https://a.test/x?y=*", "https://a.test/x", False),
        ("https://a.test/admin/*", "https://a.test/%61dmin/x", True),
        ("https://a.test/admin/*", "https://a.test/b/../admin/x", True),
        ("https://a.test/admin/*", "https://a.test/b/%2e%2e/admin/x", True),
        ("https://a.test/admin/*", "https://a.test//admin//x", True),
        ("https://a.test/admin/*", "https://a.test\\admin\\x", True),
        ("https://a.test/open/*", "https://a.test/open/../admin", False),
        ("http://[::1]:8000/*", "http://[0:0::1]:8000/x", True),
        ("http://127.0.0.1:*/*", "http://2130706433:81/x", True),
        ("file:///home/me/*", "file:///home/me/x.html", True),
        ("file:///home/me/*", "file:///home/me/../you/x.html", False),
        ("file:///home/me/*", "https://home/me/x", False),
        ("https://a.test/a+b(c)[d]", "https://a.test/a+b(c)[d]", True),
        ("https://a.test/a.b", "https://a.test/axb", False),
    ],
)
def test_a_pattern_matches_exactly_what_its_table_says(pattern: str, url: str, expected: bool) -> None:
    assert matches(pattern, url) is expected


def test_denying_ignores_the_case_of_paths_and_allowing_does_not() -> None:
    assert matches("https://a.test/Admin/*", "https://a.test/admin/x", any_case=True)
    assert not matches("https://a.test/Admin/*", "https://a.test/admin/x")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            " example.com",
            "example.com*",
            "https://example.com*",
            "https://ex*mple.com/*",
            "exam*.com",
            "*.*.com",
        ),
        *(
            "example.*",
            "https://*example.com/",
            "javascript:*",
            "chrome://*",
            "ftp://a.test",
            "https://",
            "://x",
            "https:///x",
        ),
        *(
            "https://user@a.test/",
            "a.test:0",
            "a.test:99999",
            "*.127.0.0.1",
            "https://*.[::1]/",
            "file://host/x",
            "a b.test",
        ),
        *("?x", "#", "https://a.test?x", "https://*.*/"),
    ],
)
def test_a_pattern_that_could_mean_more_than_it_says_is_refused(text: str) -> None:
    with pytest.raises(PatternError):
        Pattern.compile(text)


@given(st.text(max_size=40))
def test_no_text_crashes_the_compiler(text: str) -> None:
    try:
        pattern = Pattern.compile(text)
    except PatternError:
        return
    address = parse("https://example.com/x")
    assert address is not None
    pattern.matches(address)


@given(st.from_regex(r"(https?://|\*://|)(\*\.)?example\.com(:[0-9]{1,4}|:\*)?(/[a-z*]{0,8})?", fullmatch=True))
def test_no_pattern_for_one_host_lets_another_in(text: str) -> None:
    try:
        pattern = Pattern.compile(text)
    except PatternError:
        return
    for url in (
        "https://example.com.evil.test/",
        "https://evil.test/example.com",
        "https://evilexample.com/",
        "https://com/",
    ):
        address = parse(url)
        assert address is not None
        assert not pattern.matches(address, any_case=True)


def test_a_pattern_of_many_stars_is_matched_in_time() -> None:
    assert not matches("https://a.test/" + "*a" * 30 + "b", "https://a.test/" + "a" * 5_000)
