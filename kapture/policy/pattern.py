"""The address patterns of a policy file's `allow` and `deny` lists.

| pattern | matches |
| --- | --- |
| `example.com` | this host and its subdomains, every port, http and https |
| `example.com:8443` | the same, on this port |
| `https://example.com/*` | exactly this host, https on its own port |
| `https://*.example.com/app/*` | this host and its subdomains, these paths |
| `*://*/admin*` | any host, http or https, these paths |
| `file:///home/me/pages/*` | files |
| `*` | every http and https address |

A host is compared as a host, never as text, so that `https://example.com*` cannot be taken to mean
`https://example.com.evil.test`: a star is allowed only as the whole first label, and other patterns with one are
refused. In a path `*` is any text; a path without `?` is compared with the path only, one with `?` with path and
query. Denying ignores the case of paths, allowing does not: each errs on the side of no.
"""

from __future__ import annotations

import re

import attrs

from kapture.glob import matches_pieces
from kapture.policy.address import Address, is_ip, parse_host

_PATTERN = re.compile(
    r"(?:(?P<scheme>\*|https?|file)://)?(?P<host>\[[^\]]*\]|[^/:?#@]*)(?::(?P<port>\*|[0-9]{1,5}))?(?P<path>/.*)?",
    re.DOTALL | re.IGNORECASE,
)
_NOT_HOSTS = frozenset({"about", "blob", "chrome", "data", "devtools", "file", "ftp", "http", "https", "javascript"})
_OWN_PORTS = {"http": 80, "https": 443}


class PatternError(ValueError):
    """The text is not a pattern; the message says why."""


@attrs.frozen
class Pattern:
    """One compiled pattern."""

    text: str
    schemes: frozenset[str]
    host: str  # "" any
    subdomains: bool
    port: int | None
    own_port: bool
    path: tuple[str, ...] | None  # the texts between stars
    with_query: bool

    @classmethod
    def compile(cls, text: str) -> Pattern:
        """Compile a pattern; raises `PatternError`."""
        if text != text.strip() or not text:
            raise PatternError("a pattern must not be empty or begin or end with a space")
        found = _PATTERN.fullmatch(text)
        if found is None:
            raise PatternError(f"{text!r} is not [scheme://]host[:port][/path]")
        scheme, path_text = (found["scheme"] or "").lower(), found["path"]
        bare = not scheme and path_text is None
        host, subdomains = _host(text, found["host"], scheme, bare)
        port = None if found["port"] in (None, "*") else int(found["port"])
        if port is not None and not 0 < port <= 65535:
            raise PatternError(f"{text!r} names port {port}")
        return cls(
            text=text,
            schemes=frozenset({"http", "https"} if scheme in ("", "*") else {scheme}),
            host=host,
            subdomains=subdomains,
            port=port,
            own_port=bool(scheme) and scheme != "*" and found["port"] is None and bool(host),
            path=None if path_text is None else tuple(path_text.split("*")),
            with_query=path_text is not None and "?" in path_text,
        )

    @property
    def names_web_sites(self) -> bool:
        """Whether it matches any address of the web, rather than files."""
        return self.schemes != {"file"}

    def matches(self, address: Address, *, any_case: bool = False) -> bool:
        """Whether the pattern covers this address. `any_case` compares paths without regard to case."""
        if address.scheme not in self.schemes or not self._matches_host(address):
            return False
        if self.port is not None and address.port != self.port:
            return False
        if self.own_port and address.port != _OWN_PORTS.get(address.scheme):
            return False
        if self.path is None:
            return True
        text = f"{address.path}?{address.query}" if self.with_query else address.path
        if any_case:
            return matches_pieces(text.lower(), [piece.lower() for piece in self.path])
        return matches_pieces(text, self.path)

    def _matches_host(self, address: Address) -> bool:
        if not self.host or address.host == self.host:
            return True
        return self.subdomains and address.host.endswith(f".{self.host}")


def _host(text: str, host: str, scheme: str, bare: bool) -> tuple[str, bool]:
    if scheme == "file":
        if host not in ("", "*"):
            raise PatternError(f"{text!r}: file patterns name no host (file:///path)")
        return "", False
    if host == "*":
        return "", False
    wild = host.startswith("*.")
    name = parse_host(host[2:] if wild else host)
    if name is None or "*" in name:
        raise PatternError(
            f"{text!r}: {host!r} is not a host; a star stands alone or as the first label (*.example.com)"
        )
    if not scheme and name in _NOT_HOSTS:
        raise PatternError(f"{text!r}: patterns are for http, https and file addresses")
    if wild and is_ip(name):
        raise PatternError(f"{text!r}: an IP address has no subdomains")
    return name, wild or (bare and not is_ip(name) and ("." in name or name == "localhost"))
