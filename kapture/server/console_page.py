"""The Console's HTML page, made so that its first paint needs this one response and no script.

Its style sheets are put into it, allowed by their hashes. The modules that `console.js` imports itself and the bundles,
which are large and come deep in the tree of imports, are announced, so that the browser requests them at once. To
announce all hundred would delay the first paint: each is a request that begins while the page is parsed.
"""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import attrs

_STYLESHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_ENTRY = re.compile(r'<script type="module" src="([^"]+)"></script>')
_IMPORT = re.compile(r"""^(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*"([^"]+)";$""", re.MULTILINE)
_BUNDLES = "vendor"
"""The folders of bundles, which import nothing."""


@attrs.frozen
class ConsolePage:
    """The page, and the sources of styles that its content security policy allows besides its own origin."""

    html: str
    style_sources: tuple[str, ...]


def console_page(template: Path, file_of: Callable[[str], Path]) -> ConsolePage:
    """The page of a template that links to its style sheets and its script.

    `file_of` is the file at a URL relative to the page.
    """
    hashes = []

    def inlined(link: re.Match[str]) -> str:
        css = file_of(link[1]).read_text("utf-8")
        hashes.append(f"'sha256-{b64encode(sha256(css.encode()).digest()).decode()}'")
        return f"<style>{css}</style>"

    def preloaded(script: re.Match[str]) -> str:
        links = [f'<link rel="modulepreload" href="{url}">' for url in _announced(script[1], file_of)]
        return "\n".join([script[0], *links])

    html = _ENTRY.sub(preloaded, _STYLESHEET.sub(inlined, template.read_text("utf-8")))
    return ConsolePage(html, tuple(hashes))


def _announced(entry: str, file_of: Callable[[str], Path]) -> list[str]:
    """URLs of the modules that a module imports itself, and of all bundles that it needs before it runs."""
    found = [entry]
    direct = _imports(entry, file_of)
    for url in found:  # grows
        if not _is_bundle(url):
            found += [imported for imported in _imports(url, file_of) if imported not in found]
    return [url for url in found[1:] if url in direct or _is_bundle(url)]


def _imports(url: str, file_of: Callable[[str], Path]) -> list[str]:
    specifiers = _IMPORT.findall(file_of(url).read_text("utf-8"))
    return [posixpath.normpath(posixpath.join(posixpath.dirname(url), specifier)) for specifier in specifiers]


def _is_bundle(url: str) -> bool:
    return _BUNDLES in url.split("/")
