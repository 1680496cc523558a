"""The grant of one tab: sites, and a level."""

from __future__ import annotations

import functools
import ipaddress
import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

import attrs
import idna

from kapture.commands.core.registry import Access
from kapture.errors import ErrorCode, KaptureError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):", re.ASCII)
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\x7f#%*/:<>?@\[\\\]^|]")  # the Standard's, and the star
_BLANK = re.compile(r"about:blank(?:[?#].*)?", re.DOTALL)
_SRCDOC = re.compile(r"about:srcdoc(?:[?#].*)?", re.DOTALL)
_MAX_HOST_CHARS = 1_000  # before it is encoded: normalizing takes quadratic time
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+", re.ASCII)
_MAX_URL_CHARS = 2 * 1024 * 1024  # Chromium's own limit
_MAX_KEPT_CHARS = 2_048


@attrs.frozen(kw_only=True)
class Address:
    """The address of a URL. `host` is lower-case ASCII without a trailing dot; IPv6 in brackets; "" for files."""

    scheme: str  # "http", "https" or "file"
    host: str
    port: int | None
    path: str = "/"
    query: str = ""

    @property
    def origin(self) -> str:
        """`https://example.com:8443`, without the scheme's default port; `file://`."""
        if self.scheme == "file":
            return "file://"
        return f"{self.scheme}://{self.site}"

    @property
    def site(self) -> str:
        """`example.com`, or `example.com:8443` if the port is not the scheme's default."""
        own = self.port is None or self.port == _DEFAULT_PORTS.get(self.scheme)
        return self.host if own else f"{self.host}:{self.port}"

    @property
    def numeric(self) -> bool:
        """Whether the host is an IP address."""
        return is_ip(self.host)


def is_ip(host: str) -> bool:
    """Whether a host in its canonical form is an IP address."""
    return host.startswith("[") or (host.rpartition(".")[2].isdigit())


def is_blank(url: str) -> bool:
    """Whether this is `about:blank`, or `""`: a document that was not loaded from anywhere."""
    return url == "" or _BLANK.fullmatch(url) is not None


def inherits(url: str) -> bool:
    """Whether a document with this URL has the origin of its creator, not one of its own."""
    if url.startswith(("http:", "https:")):
        return False  # most are, and every call asks several times
    return is_blank(url) or _SRCDOC.fullmatch(url) is not None or url[:5].lower() == "data:"


def parse(url: str) -> Address | None:
    """The address of an http, https or file URL, or of the origin of a blob; None for any other.

    None for a relative reference too: there is no base URL here.
    """
    if len(url) > _MAX_URL_CHARS:
        return None
    return _parse(url) if len(url) > _MAX_KEPT_CHARS else _parse_kept(url)


@functools.lru_cache(maxsize=1_024)
def _parse_kept(url: str) -> Address | None:
    """Parse, with a cache: every call asks for the same few addresses several times."""
    return _parse(url)


def _parse(url: str) -> Address | None:
    text = url.strip("".join(map(chr, range(0x21)))).translate({0x09: None, 0x0A: None, 0x0D: None})
    found = _SCHEME.match(text)
    if found is None:
        return None
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme == "blob":
        # Only the origin of the URL inside counts, and a blob of a blob has none (URL Standard, "origin").
        inner = _SCHEME.match(rest)
        return parse(rest) if inner is not None and inner[1].lower() in _DEFAULT_PORTS else None
    if scheme == "file":
        return _parse_file(rest)
    if scheme not in _DEFAULT_PORTS:
        return None
    return _parse_web(scheme, rest)


def _parse_web(scheme: str, rest: str) -> Address | None:
    rest, _, _ = rest.partition("#")
    rest, _, query = rest.partition("?")
    rest = rest.replace("\\", "/").lstrip("/")  # any number of slashes, either way, for the web's schemes
    authority, slash, path = rest.partition("/")
    host_port = authority.rpartition("@")[2]
    host_text, port_text = _split_port(host_port)
    if host_text is None:
        return None
    host = parse_host(host_text)
    if host is None:
        return None
    port = _DEFAULT_PORTS[scheme]
    if port_text:
        digits = port_text.lstrip("0") or "0"
        if re.fullmatch(r"[0-9]{1,5}", digits) is None or int(digits) > 65535:
            return None
        port = int(digits)
    return Address(scheme=scheme, host=host, port=port, path=_path(slash + path), query=query)


def _parse_file(rest: str) -> Address | None:
    rest, _, _ = rest.partition("#")
    rest, _, query = rest.partition("?")
    path = rest.replace("\\", "/")
    if path.startswith("//"):
        host, slash, path = path[2:].partition("/")
        path = slash + path
        if host.lower() not in ("", "localhost"):
            return None  # another machine's files: nothing grants those
    if _begins_twice(path):
        return None  # Windows reads \\server\share out of these
    return Address(scheme="file", host="", port=None, path=_path(path), query=query)


def _begins_twice(path: str) -> bool:
    """Whether a path begins with two slashes once the browser has taken out its dot segments: it keeps empty ones."""
    kept: list[str] = []
    for segment in path.removeprefix("/").split("/"):
        match re.sub("%2e", ".", segment, flags=re.IGNORECASE):
            case "..":
                del kept[-1:]
            case ".":
                continue
            case _:
                kept.append(segment)
    return len(kept) > 1 and kept[0] == ""


def _split_port(host_port: str) -> tuple[str | None, str]:
    if host_port.startswith("["):
        host, bracket, after = host_port.partition("]")
        if not bracket or (after and not after.startswith(":")):
            return None, ""
        return host + "]", after[1:]
    host, _, port = host_port.partition(":")
    return (None, "") if ":" in port else (host, port)


def parse_host(text: str) -> str | None:
    """The canonical host, from the URL Standard's host parser, without a trailing dot; None if it is invalid."""
    if text.startswith("["):
        return _ipv6(text[1:-1]) if text.endswith("]") else None
    try:
        decoded = unquote_to_bytes(text).decode("utf-8")
    except UnicodeError:
        return None
    ascii_host = _to_ascii(decoded) if len(decoded) <= _MAX_HOST_CHARS else None
    if ascii_host is None:
        return None
    last = ascii_host.rstrip(".").rpartition(".")[2] if ascii_host.endswith(".") else ascii_host.rpartition(".")[2]
    if last.isdigit() or re.fullmatch(r"0[xX][0-9A-Fa-f]*", last):
        return _ipv4(ascii_host)
    host = ascii_host.removesuffix(".")
    return host if host and not host.startswith(".") and ".." not in host and len(host) <= 253 else None


def _to_ascii(host: str) -> str | None:
    if host.isascii():
        lowered = host.lower()
        return lowered if lowered and not _FORBIDDEN_IN_HOST.search(lowered) else None
    encoded = _idna(host)
    return None if encoded is None or _FORBIDDEN_IN_HOST.search(encoded) else encoded


def _idna(host: str) -> str | None:
    try:
        return idna.encode(host, uts46=True, transitional=False).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        return None


def _ipv4(host: str) -> str | None:
    parts = host.removesuffix(".").split(".")
    if len(parts) > 4:
        return None
    numbers = []
    for part in parts:
        if not part.isascii() or not _NUMBER.fullmatch(part) or len(part) > 64:
            return None
        if part[:2] in ("0x", "0X"):
            numbers.append(int(part[2:] or "0", 16))
        elif len(part) > 1 and part[0] == "0":
            if not set(part) <= set("01234567"):
                return None
            numbers.append(int(part, 8))
        else:
            numbers.append(int(part))
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    value = numbers[-1]
    for index, number in enumerate(numbers[:-1]):
        value += number * 256 ** (3 - index)
    return str(ipaddress.IPv4Address(value))


def _ipv6(text: str) -> str | None:
    if "%" in text:
        return None
    try:
        value = int(ipaddress.IPv6Address(text))
    except ValueError:
        return None
    groups = [f"{value >> shift & 0xFFFF:x}" for shift in range(112, -16, -16)]
    runs = re.finditer(r"\b0(?::0)+\b", ":".join(groups))
    longest = max(runs, key=lambda run: len(run[0]), default=None)
    full = ":".join(groups)
    if longest is None:
        return f"[{full}]"
    return f"[{full[: longest.start()].removesuffix(':')}::{full[longest.end() :].removeprefix(':')}]"


def _path(path: str) -> str:
    """The path with dot segments resolved and unreserved letters decoded, as a server will see it."""
    decoded = re.sub(
        r"%([0-9A-Fa-f]{2})",
        lambda found: char if (char := chr(int(found[1], 16))) in _UNRESERVED else found[0].upper(),
        path,
    )
    if not decoded.startswith("/"):
        decoded = "/" + decoded
    resolved = posixpath.normpath(decoded)
    if decoded.endswith(("/", "/.", "/..")) and not resolved.endswith("/"):
        resolved += "/"
    return "/" + resolved.lstrip("/")


_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


ANY_SITE = "*"
FILES = "file://"
LEVELS = {"read": Access.READ, "interact": Access.INTERACT, "full": Access.FULL}
_SITE_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_MAX_SITES = 200


def level_name(access: Access) -> str:
    """`read`, `interact` or `full`; `none` below them."""
    return access.name.lower()


@attrs.frozen
class Site:
    """One entry of a grant: a host with its subdomains, on one port or on all ports."""

    host: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Site | None:
        """Parse `example.com`, `example.com:8443`, `127.0.0.1:8000`, `[::1]:3000`; None for anything else."""
        found = _SITE_PORT.fullmatch(text.strip().lower())
        if found is None:
            return None
        host = parse_host(found["host"])
        port = None if found["port"] is None else int(found["port"])
        if host is None or "*" in host or (port is not None and not 0 < port <= 65535):
            return None
        return cls(host, port)

    def covers(self, address: Address) -> bool:
        """Whether this address belongs to this site."""
        if address.scheme not in ("http", "https") or (self.port is not None and address.port != self.port):
            return False
        return self._has_host(address.host)

    def contains(self, other: Site) -> bool:
        """Whether it covers every address that the other one covers."""
        return (self.port is None or self.port == other.port) and self._has_host(other.host)

    def _has_host(self, host: str) -> bool:
        if host == self.host:
            return True
        # `com` would be every company's site, and an IP address has no subdomains: those match only themselves.
        has_subdomains = not is_ip(self.host) and ("." in self.host or self.host == "localhost")
        return has_subdomains and host.endswith(f".{self.host}")

    def __str__(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"


_site = lru_cache(maxsize=4096)(Site.parse)
"""Every call asks whether the same few sites cover an address."""


@attrs.frozen
class Grant:
    """Sites and a level. `sites` holds canonical texts: hosts, `*` for every site, `file://` for files."""

    sites: tuple[str, ...]
    level: Access

    @classmethod
    def make(cls, sites: Iterable[str], level: str | Access) -> Grant:
        """Make a grant from texts; `INVALID_PARAMS`, saying what is wrong, if they are invalid."""
        texts = tuple(sites)
        if len(texts) > _MAX_SITES:
            raise _invalid(f"A grant has at most {_MAX_SITES} sites; this one has {len(texts)}.")
        canonical = dict.fromkeys(_canonical(text) for text in texts)
        if isinstance(level, str):
            if level not in LEVELS:
                raise _invalid(f"{level!r} is not a level: use one of {', '.join(LEVELS)}.")
            level = LEVELS[level]
        return cls(tuple(canonical), level)

    def to_json(self) -> dict[str, Any]:
        """The grant as a wire object."""
        return {"sites": list(self.sites), "level": level_name(self.level)}

    def covers(self, url: str, inherited: str | None = None) -> bool:
        """Whether a document with this URL is on one of the grant's sites.

        `inherited` is the URL of the frame or tab that created an `about:blank`, `about:srcdoc` or `data:` document; an
        empty new tab was created by none and is covered.
        """
        if inherits(url):
            if inherited is not None:
                return self.covers(inherited)
            return is_blank(url) or (ANY_SITE in self.sites and url[:5].lower() == "data:")
        address = parse(url)
        if address is None:
            return url[:10].lower() == "blob:null/" and ANY_SITE in self.sites
        if address.scheme == "file":
            return FILES in self.sites
        if ANY_SITE in self.sites:
            return True
        return any(site.covers(address) for text in self.sites if (site := _site(text)) is not None)

    def within(self, other: Grant) -> bool:
        """Whether it allows nothing that the other one does not."""
        return self.level <= other.level and all(other._contains(text) for text in self.sites)

    def _contains(self, text: str) -> bool:
        if text in self.sites or (site := _site(text)) is None:
            return text in self.sites
        return ANY_SITE in self.sites or any(
            mine.contains(site) for one in self.sites if (mine := _site(one)) is not None
        )

    def with_site(self, site: str) -> Grant:
        """This grant with one more site."""
        return Grant.make((*self.sites, site), self.level)

    def with_level(self, level: Access) -> Grant:
        """This grant with at least this level."""
        return attrs.evolve(self, level=max(level, self.level))

    def __str__(self) -> str:
        sites = "any site" if ANY_SITE in self.sites else ", ".join(self.sites) or "no site"
        return f"{level_name(self.level)} on {sites}"


def is_narrower(after: Grant | None, before: Grant | None) -> bool:
    """Whether a tab's grant before allowed something that the one after it does not."""
    return before is not None and (after is None or not before.within(after))


def site_of(url: str) -> str | None:
    """The entry that a grant needs to cover this URL: its host, with its port for IP addresses and localhost.

    None for a URL that no grant covers, such as one with port 0.
    """
    address = parse(url)
    if address is None or address.port == 0:
        return None
    if address.scheme == "file":
        return FILES
    if address.numeric or address.host == "localhost":
        return f"{address.host}:{address.port}"
    return address.site


def _canonical(text: str) -> str:
    stripped = text.strip()
    if stripped in (ANY_SITE, FILES):
        return stripped
    site = Site.parse(stripped)
    if site is None:
        raise _invalid(
            f"{text!r} is not a site: write a host (example.com), a host with a port (127.0.0.1:8000), "
            f"{ANY_SITE!r} for any site or {FILES!r} for files."
        )
    return str(site)


def _invalid(message: str) -> KaptureError:
    return KaptureError(ErrorCode.INVALID_PARAMS, message)
