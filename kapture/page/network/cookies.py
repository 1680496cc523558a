"""Whose a cookie is. `extension/worker/gate/cookies.js` decides the same, by the same examples."""

from __future__ import annotations

from collections.abc import Callable

from kapture.page.documents.read_gate import names_no_site


def domain_granted(domain: object, covers: Callable[[str], bool]) -> bool:
    """Whether cookies of a domain belong to a granted site: those of the domain above it are every subdomain's. This
    holds for every way to read, set and delete one. Cookies are shared by the ports of a host."""
    bare = domain.removeprefix(".") if isinstance(domain, str) else ""
    urls = (f"{scheme}://{bare}/" for scheme in ("https", "http"))
    return bare != "" and any(not names_no_site(url) and covers(url) for url in urls)


def set_cookie_granted(line: str, covers: Callable[[str], bool]) -> bool:
    """Whether a `Set-Cookie` of a granted response is for a granted site."""
    pairs = (part.partition("=") for part in line.split(";")[1:])
    domains = [value.strip() for name, _, value in pairs if name.strip().lower() == "domain"]
    return all(domain_granted(domain, covers) for domain in domains if domain)
