"""What a person allowed on one tab: sites, and a level."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import attrs

from kapture.commands.core.registry import Access
from kapture.errors import ErrorCode, KaptureError
from kapture.policy.address import Address, inherits, is_blank, is_ip, parse, parse_host

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
