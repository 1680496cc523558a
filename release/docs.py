"""`./dev docs`: the documentation as a site, with mkdocs-material. The pages are the Markdown files of the repository,
read where they lie; links between them are checked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from kapture import __about__ as about
from release.manifests import ROOT

SITE = ROOT / "artifacts" / "site"
_NAV = {
    "Start": [
        "README.md",
        "docs/SETUP.md",
        "docs/CLIENTS.md",
        "docs/TOOLS.md",
        "docs/SNAPSHOTS.md",
        "docs/SCENARIOS.md",
    ],
    "More": [
        "docs/CONSOLE.md",
        "docs/CDP.md",
        "docs/BACKENDS.md",
        "docs/REACH.md",
        "docs/RELIABILITY.md",
        "docs/PERFORMANCE.md",
    ],
    "Security": ["docs/SECURITY.md", "SECURITY.md", "docs/STORE.md"],
    "Develop": [
        "docs/ARCHITECTURE.md",
        "docs/PROTOCOL.md",
        "docs/GLOSSARY.md",
        "docs/CONTRIBUTING.md",
        "extension/README.md",
        "CHANGELOG.md",
    ],
}
_TOGGLES = [("default", "slate", "weather-night", "dark"), ("slate", "default", "weather-sunny", "light")]


def pages() -> list[str]:
    """Return every page, in the order of the navigation, then those that it does not name yet."""
    named = [page for section in _NAV.values() for page in section]
    return [
        *named,
        *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md") if f"docs/{page.name}" not in named),
    ]


def configuration(docs: Path) -> dict[str, Any]:
    """Return the site's configuration, for pages that lie in this folder."""
    named = {page for section in _NAV.values() for page in section}
    rest = [page for page in pages() if page not in named]
    return {
        "site_name": about.TITLE,
        "site_description": about.SUMMARY,
        "repo_url": about.REPOSITORY,
        "docs_dir": str(docs),
        "site_dir": str(SITE),
        "nav": [*({title: section} for title, section in _NAV.items()), *([{"Others": rest}] if rest else [])],
        "theme": {
            "name": "material",
            "font": False,  # no request to another server
            "features": ["navigation.sections", "navigation.top", "search.highlight", "content.code.copy"],
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {'light' if scheme == 'default' else 'dark'})",
                    "scheme": scheme,
                    "toggle": {"icon": f"material/{icon}", "name": f"Switch to {name}"},
                }
                for scheme, _, icon, name in _TOGGLES
            ],
        },
        "plugins": ["search"],
        "markdown_extensions": [
            "tables",
            "admonition",
            "md_in_html",
            {"toc": {"permalink": True}},
            "pymdownx.superfences",
        ],
        "validation": {"links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}},
        "strict": True,
    }


def build_site() -> None:
    """Build the site; a link that leads nowhere is an error."""
    with tempfile.TemporaryDirectory() as name:
        docs = Path(name) / "pages"
        for page in [
            *pages(),
            "LICENSE",
            "docs/img",
            *(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.json")),
        ]:
            target = docs / page
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(ROOT / page)
        config = Path(name) / "mkdocs.yml"
        config.write_bytes(msgspec.json.encode(configuration(docs)))  # YAML is a superset of JSON
        shutil.rmtree(SITE, ignore_errors=True)
        quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        built = subprocess.run([sys.executable, "-m", "mkdocs", "build", "-f", str(config)], env=quiet)
        if built.returncode:
            raise SystemExit("The site was not built.")
    print(SITE / "index.html")


if __name__ == "__main__":
    build_site()
