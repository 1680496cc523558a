"""Policy sees the host that the browser will go to, however the address is spelled."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.policy.grant import Grant, Site, parse, parse_host, site_of
from kapture.policy.policy_file import Pattern, PatternError


def origin(url: str) -> str | None:
    found = parse(url)
    return None if found is None else found.origin


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/", "https://example.com"),
        ("HTTPS://EXAMPLE.COM:443/x", "https://example.com"),
        ("http://example.com.:8080", "http://example.com:8080"),
        ("https://example.com@evil.test/", "https://evil.test"),
        ("https://example.com:443@evil.test", "https://evil.test"),
        ("https://a@b@evil.test/@example.com", "https://evil.test"),
        ("https://evil.test\\@example.com", "https://evil.test"),
        ("https:\\\\evil.test", "https://evil.test"),
        ("https:evil.test", "https://evil.test"),
        ("https:////evil.test", "https://evil.test"),
        ("https://evil.test?@example.com", "https://evil.test"),
        ("https://evil.test#@example.com", "https://evil.test"),
        ("  \x01https://evil.test", "https://evil.test"),
        ("ht\ntps://ev\til.te\rst", "https://evil.test"),
        ("https://%65vil.test", "https://evil.test"),
        ("https://ｅｖｉｌ。test", "https://evil.test"),
        ("https://straße.test", "https://xn--strae-oqa.test"),
        ("https://xn--strae-oqa.test", "https://xn--strae-oqa.test"),
        ("http://127.1", "http://127.0.0.1"),
        ("http://0x7f000001", "http://127.0.0.1"),
        ("http://2130706433/", "http://127.0.0.1"),
        ("http://0177.0.0.1", "http://127.0.0.1"),
        ("http://１２７.0.0.1", "http://127.0.0.1"),
        ("http://127.0.0.1.", "http://127.0.0.1"),
        ("http://[0:0::1]:8000", "http://[::1]:8000"),
        ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]"),
        ("http://[1:0:0:2:0:0:0:3]", "http://[1:0:0:2::3]"),
        ("file:///etc/passwd", "file://"),
        ("file:/etc/passwd", "file://"),
        ("file://localhost/etc/passwd", "file://"),
        ("blob:https://example.com/8b1e", "https://example.com"),
    ],
)
def test_the_host_is_the_one_the_browser_goes_to(url: str, expected: str) -> None:
    assert origin(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.com", "/path", "//example.com", "javascript:alert(1)", "JaVaScRiPt:1", "data:text/html,x"),
        *(
            "about:blank",
            "about:srcdoc",
            "chrome://settings",
            "devtools://x",
            "chrome-extension://abc/",
            "ftp://a.test",
        ),
        *(
            "view-source:https://example.com",
            "filesystem:https://example.com/x",
            "blob:null/1",
            "blob:blob:https://a.test",
        ),
        *(
            "blob:file:///x",
            "file://server/share",
            "file:////server/share/..",
            "ws://example.com",
            "http://",
            "http://?x",
        ),
        *(
            "https://exa mple.com",
            "https://exa<mple.com",
            "https://a..b",
            "https://.a",
            "https://[::1",
            "https://[::1]x",
        ),
        *(
            "https://[fe80::1%25eth0]",
            "https://1.2.3.4.5",
            "https://256.1.1.1",
            "https://1.2.3.0x1ffff",
            "https://09.1.1.1",
        ),
        *(
            "https://example.com:99999",
            "https://example.com:x",
            "https://a:1:2",
            "https://%00.test",
            "https://%ff.test",
        ),
        *(
            "https://ex%2fample.com",
            "https://example.com%2fevil",
            "https://\u00ad",
            "https://a.test:" + "0" * 5000 + "99999",
        ),
    ],
)
def test_ambiguous_address_is_refused(url: str) -> None:
    assert parse(url) is None


@given(st.text(max_size=100))
def test_no_text_crashes_the_reader_and_no_host_holds_a_separator(text: str) -> None:
    for url in (
        text,
        f"https://{text}",
        f"http://{text}/",
        f"https://user@{text}",
        f"blob:https://{text}",
        f"file:{text}",
    ):
        found = parse(url)
        if found is None:
            continue
        assert found.host == found.host.lower()
        assert found.host.isascii()
        assert not set(found.host.strip("[]")) & set("/\\@?#% \t\n<>|^")
        if found.scheme != "file":
            assert parse(f"{found.origin}/") is not None
            assert parse(f"{found.origin}/").origin == found.origin  # type: ignore[union-attr]


@given(st.text(alphabet="exampl.EXAMPL%@:/\\?#[]0x19é。Ｅ\t", max_size=30))
def test_no_spelling_of_another_host_passes_for_a_granted_one(text: str) -> None:
    grant = Grant.make(["example.com"], "read")
    url = f"https://{text}"
    if grant.covers(url):
        found = parse(url)
        assert found is not None
        assert found.host == "example.com" or found.host.endswith(".example.com")


@given(st.from_regex(r"[a-z0-9]{1,8}(\.[a-z0-9]{1,8}){0,3}", fullmatch=True))
def test_a_host_read_twice_is_the_same(text: str) -> None:
    once = parse_host(text)
    assert once is None or parse_host(once) == once


def covers(sites: list[str], url: str, inherited: str | None = None) -> bool:
    return Grant.make(sites, "interact").covers(url, inherited)


@pytest.mark.parametrize(
    ("site", "url", "covered"),
    [
        ("example.com", "https://example.com/", True),
        ("example.com", "http://example.com:8080/", True),
        ("example.com", "https://a.b.example.com/", True),
        ("example.com", "https://notexample.com/", False),
        ("example.com", "https://example.com.evil.test/", False),
        ("example.com", "https://example.org/", False),
        ("Example.COM.", "https://EXAMPLE.com./", True),
        ("example.com:8443", "https://example.com:8443/", True),
        ("example.com:8443", "https://example.com/", False),
        ("example.com:443", "https://example.com/", True),
        ("example.com:443", "http://example.com/", False),
        ("a.example.com", "https://example.com/", False),
        ("com", "https://example.com/", False),
        ("wiki", "http://wiki/", True),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/", True),
        ("127.0.0.1:8000", "http://127.0.0.1:8001/", False),
        ("127.0.0.1:8000", "http://localhost:8000/", False),
        ("0.0.1", "http://127.0.0.1/", False),
        ("localhost:3000", "http://localhost:3000/", True),
        ("localhost:3000", "http://app.localhost:3000/", True),
        ("[::1]:8000", "http://[0::1]:8000/", True),
        ("*", "https://anything.test/", True),
        ("*", "file:///etc/passwd", False),
        ("*", "chrome://settings/", False),
        ("*", "devtools://devtools/", False),
        ("*", "chrome-extension://abc/page.html", False),
        ("*", "javascript:alert(1)", False),
        ("*", "view-source:https://example.com", False),
        ("*", "data:text/html,x", True),
        ("*", "blob:null/abc", True),
        ("file://", "file:///tmp/x.html", True),
        ("file://", "file://server/x", False),
        ("file://", "https://example.com/", False),
        ("example.com", "blob:https://example.com/1", True),
        ("example.com", "blob:https://evil.test/1", False),
        ("example.com", "blob:null/1", False),
        ("example.com", "data:text/html,x", False),
        ("example.com", "about:blank", True),
        ("example.com", "about:blank#x", True),
        ("example.com", "", True),
        ("example.com", "about:srcdoc", False),
        ("example.com", "about:version", False),
        ("straße.test", "https://xn--strae-oqa.test/", True),
    ],
)
def test_a_site_covers_exactly_what_it_says(site: str, url: str, covered: bool) -> None:
    assert covers([site], url) is covered


@pytest.mark.parametrize("url", ["about:blank", "about:srcdoc", "data:text/html,x", "about:blank?x"])
def test_a_document_without_an_address_is_judged_by_where_it_came_from(url: str) -> None:
    assert covers(["example.com"], url, "https://sub.example.com/")
    assert not covers(["example.com"], url, "https://evil.test/")
    assert not covers(["*"], url, "chrome://settings/")


def test_claimed_origin_does_not_help_document_with_address() -> None:
    assert not covers(["example.com"], "https://evil.test/", "https://example.com/")
    assert not covers(["example.com"], "blob:https://evil.test/x", "https://example.com/")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "*.example.com",
        "https://example.com",
        "a b",
        "a/b",
        "a@b",
        "a:0",
        "a:99999",
        "a:b",
        "*:80",
        "**",
        "file:",
    ],
)
def test_invalid_site_is_refused_by_name(text: str) -> None:
    assert Site.parse(text) is None


@given(st.text(max_size=40))
@example("0:0")
def test_the_site_of_an_address_covers_it(text: str) -> None:
    for url in (f"https://{text}", f"https://{text}:8000/x"):
        site = site_of(url)
        if site is not None:
            assert covers([site], url)


@given(st.lists(st.text(max_size=20), max_size=4), st.sampled_from(["read", "interact", "full"]))
def test_a_grant_survives_its_json(sites: list[str], level: str) -> None:
    try:
        grant = Grant.make(sites, level)
    except KaptureError:
        return
    wire = grant.to_json()
    assert Grant.make(wire["sites"], wire["level"]) == grant


# Patterns of the policy file: hosts are compared as hosts, and what cannot be meant safely is refused.


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
