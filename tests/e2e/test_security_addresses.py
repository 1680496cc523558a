"""Policy and the browser agree about where an address leads: Chromium's own URL parser is the oracle.

A policy that reads an address otherwise than the browser lets a page be opened that nobody granted. Where they
differ policy must be the stricter one: no address at all, never another host.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kapture.cdp import CdpConnection
from kapture.page.documents.read_gate import shown_address
from kapture.policy.grant import Address, Grant, parse
from kapture.split_url import join_url
from tests.support.direct import direct_page

pytestmark = pytest.mark.e2e

READ = """(urls, base) => urls.map(text => {
  try {
    const url = new URL(text, base);
    const inner = url.protocol === "blob:" ? new URL(url.origin) : url;
    return { protocol: inner.protocol, host: inner.hostname, port: inner.port, origin: url.origin };
  } catch {
    return null;
  }
})"""

SCHEMES = (
    "https:",
    "http:",
    "HtTp:",
    "\thttps:",
    "ht\ntps:",
    "blob:https:",
    "file:",
    "javascript:",
    "data:",
    "about:",
    "x:",
    "",
)
SLASHES = (
    "//",
    "/",
    "",
    "\\\\",
    "\\",
    "///",
    "/\\",
    "//\t",
    "//@",
    "//:@",
    "//a@",
    "//a:b@",
    "//a@b@",
    "//example.com@",
)
HOSTS = (
    *("example.com", "EXAMPLE.com", "example.com.", "example.com..", ".example.com", "evil.test", "ex%61mple.com"),
    *(
        "ex%2Eample.com",
        "exa%20mple.com",
        "example.com%00",
        "example.com%2f",
        "example.com%40evil.test",
        "ex_ample.com",
    ),
    *(
        "ｅｘａｍｐｌｅ.com",
        "example。com",
        "exam\u00adple.com",
        "exa\u200dmple.com",
        "straße.test",
        "faß.de",
        "xn--fa-hia.de",
    ),
    *("xn--", "xn--a", "☃.net", "ex ample.com", "ex\tample.com", "127.0.0.1", "127.1", "0x7f.1", "2130706433"),
    *(
        "0177.0.0.1",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.08",
        "0x",
        "1.2.3.",
        "foo.0",
        "foo.0x1",
        "１２７.0.0.1",
        "4294967296",
    ),
    *("[::1]", "[0:0::1]", "[::ffff:1.2.3.4]", "[1::2::3]", "[::1%25a]", "[::1", "::1]", "[]", "", "a*b.test", "*"),
    *("a|b", "a^b", "a<b", "a\\b", "a`b", "a{b", "a'b", "a!b", "a$b", "a&b", "a,b", "a;b", "a=b", "a~b", "a(b)"),
)
ENDS = (
    "",
    "/",
    ":80",
    ":443",
    ":8443/",
    ":",
    ":0",
    ":00080",
    ":99999",
    ":x",
    "@evil.test",
    "\\@evil.test",
    "?@evil.test",
)
TAILS = ("", "#@evil.test", "/../..//x", "\\..\\x", " ", "\x01")


def hostile() -> list[str]:
    """The same list every time: each scheme, slashes, host and end with each other's common ones, and a mix."""
    usual = ("https:", "//", "example.com", "/", "")
    found = []
    for position, choices in enumerate((SCHEMES, SLASHES, HOSTS, ENDS, TAILS)):
        for other, more in enumerate((SCHEMES, SLASHES, HOSTS, ENDS, TAILS)):
            if other <= position:
                continue
            for one, two in itertools.product(choices, more):
                parts = list(usual)
                parts[position], parts[other] = one, two
                found.append("".join(parts))
    mixed = random.Random(6)
    alphabet = "examplE.com:@/\\?#[]%20x17\t。ß "
    for _ in range(3_000):
        found.append("".join(mixed.choice(choices) for choices in (SCHEMES, SLASHES, HOSTS, ENDS, TAILS)))
        found.append("https://" + "".join(mixed.choice(alphabet) for _ in range(mixed.randrange(1, 25))))
    return list(dict.fromkeys(found))


@pytest.fixture
async def page(browser: int) -> AsyncIterator[CdpConnection]:
    async with direct_page(browser) as connection:
        yield connection


async def as_chromium_reads(
    page: CdpConnection, urls: list[str], base: str | None = None
) -> list[dict[str, str] | None]:
    arguments = ",".join(json.dumps(one) for one in (urls, base) if one is not None)
    answer = await page.root.send("Runtime.evaluate", {"expression": f"({READ})({arguments})", "returnByValue": True})
    found: list[dict[str, str] | None] = answer["result"]["value"]
    return found


def port_of(read: dict[str, Any]) -> int | None:
    own = {"http:": 80, "https:": 443}.get(read["protocol"])
    return int(read["port"]) if read["port"] else own


def agrees(ours: Address, theirs: dict[str, Any]) -> bool:
    if ours.scheme == "file":
        return bool(theirs["protocol"] == "file:" and theirs["host"] == "")
    same_host = ours.host == theirs["host"].removesuffix(".")
    return bool(same_host and theirs["protocol"] == f"{ours.scheme}:" and ours.port == port_of(theirs))


async def test_policy_never_sees_another_host_than_the_browser(page: CdpConnection) -> None:
    urls = hostile()
    assert len(urls) > 8_000
    wrong, read = [], 0
    for url, theirs in zip(urls, await as_chromium_reads(page, urls), strict=True):
        ours = parse(url)
        read += ours is not None
        if ours is not None and (theirs is None or not agrees(ours, theirs)):
            wrong.append((url, ours, theirs))
    assert wrong == []
    assert read > len(urls) / 4  # a reader that refuses everything would be right about nothing


async def test_ordinary_addresses_are_not_refused_by_being_strict(page: CdpConnection) -> None:
    urls = [
        *(
            "https://example.com",
            "http://example.com:8080/a/b?c=d#e",
            "https://user:pass@example.com/",
            "http://localhost/",
        ),
        *("http://127.0.0.1:3000/x", "http://[::1]:8080/", "https://straße.test/ü?ö#ä", "https://xn--strae-oqa.test/"),
        *(
            "https://sub_domain.example.com/",
            "https://a--b.test/",
            "https://example.com./",
            "file:///home/me/x%20y.html",
        ),
        *(
            "https://例え.jp/",
            "https://xn--r8jz45g.jp/",
            "https://пример.рф/",
            "http://intranet/",
            "https://1and1.example/",
        ),
        *("https://xn--i-7iq.ws/", "blob:https://example.com/8b1e5b8e"),
    ]
    for url, theirs in zip(urls, await as_chromium_reads(page, urls), strict=True):
        ours = parse(url)
        assert ours is not None, url
        assert theirs is not None, url
        assert agrees(ours, theirs), url


async def test_no_hostile_spelling_gets_from_a_granted_site_to_another(page: CdpConnection) -> None:
    grant = Grant.make(["example.com"], "full")
    urls = hostile()
    for url, theirs in zip(urls, await as_chromium_reads(page, urls), strict=True):
        if not grant.covers(url) or url.strip().lower().startswith("about:blank"):
            continue
        assert theirs is not None, url
        host = theirs["host"].removesuffix(".")
        assert host == "example.com" or host.endswith(".example.com"), url


async def test_a_page_that_refers_elsewhere_is_never_seen_to_refer_to_its_own_site(page: CdpConnection) -> None:
    """As `Location` headers do: they are shown if they stay in the grant, else their origin is."""
    base, secret = "https://example.com/a/b?c", "code-of-the-other-site"
    grant = Grant.make(["example.com"], "full")
    ends = ("", "/", "/..", "?", "#", "\\", "\\..", "@", "/@", "\\@evil.test/")
    urls = [
        f"{scheme}{slashes}{host}{end}{secret}"
        for scheme in ("", "https:", "HTTPS:", "http:", "ht\ntps:", "wss:", "file:", "x:")
        for slashes in (*SLASHES, "\\/", "\\\\\\", "////", "/\t/", " //", "\x01//", "//a[@", "//]@")
        for host in ("evil.test", "example.com", "127.1", "[::1]", "a\u2100b", "")
        for end in ends
    ]
    outside = 0
    for url, theirs in zip(urls, await as_chromium_reads(page, urls, base), strict=True):
        if theirs is None or theirs["protocol"] not in ("https:", "http:") or secret in theirs["host"]:
            continue
        leaves = not grant.covers(f"{theirs['protocol']}//{theirs['host']}:{theirs['port']}/")
        outside += leaves
        if leaves:
            assert secret not in shown_address(join_url(base, url), grant.covers), url
    assert outside > 2_000


async def test_ordinary_references_lead_where_the_browser_goes(page: CdpConnection) -> None:
    for base in ("https://example.com/a/b?c", "http://127.0.0.1:8000/"):
        for url in (
            "x",
            "/x",
            "../x?y#z",
            "?y",
            "#z",
            "",
            "//other.test/x",
            "https://other.test:81/x?y",
            "/x:y",
        ):
            answer = await page.root.send(
                "Runtime.evaluate", {"expression": f"new URL({json.dumps(url)}, {json.dumps(base)}).href"}
            )
            assert join_url(base, url) == answer["result"]["value"], url
