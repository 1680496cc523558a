"""Demo pages of popular widget libraries, bundled from npm when a test asks for them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.site import Page, Site, serving

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "pages" / "widgets"
_NOT_PAGES = ("page.js", "jquery_global.js")
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


@contextmanager
def serving_widgets(folder: Path) -> Iterator[Site]:
    """Bundle every page into this folder, and serve it at `/NAME`: `/quill`, `/leaflet` …"""
    entries = sorted(path for path in SOURCES.glob("*.js") if path.name not in _NOT_PAGES)
    subprocess.run(
        [
            ROOT / "node_modules" / ".bin" / "esbuild",
            *entries,
            "--bundle",
            "--format=iife",
            "--log-level=warning",
            '--define:process.env.NODE_ENV="production"',
            *(f"--loader:.{kind}=dataurl" for kind in ("png", "svg", "gif")),
            f"--outdir={folder}",
        ],
        check=True,
    )
    pages: dict[str, Page | str] = {}
    for entry in entries:
        style = folder / f"{entry.stem}.css"
        link = f"<link rel=stylesheet href=/{style.name}>" if style.exists() else ""
        pages[f"/{entry.stem}"] = f"<!doctype html><meta charset=utf-8>{link}<body><script src=/{entry.name}></script>"
    for made in folder.iterdir():
        pages[f"/{made.name}"] = Page(made.read_bytes(), headers={"Content-Type": _TYPES[made.suffix]})
    with serving(pages) as site:
        yield site
