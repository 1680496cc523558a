"""An extension that puts a frame of its own into pages, as password managers do."""

from __future__ import annotations

import json
from pathlib import Path

WORDS = "words of another extension"

_MANIFEST = {
    "manifest_version": 3,
    "name": "Framer",
    "version": "1",
    "content_scripts": [{"matches": ["http://127.0.0.1/*"], "js": ["content.js"], "run_at": "document_end"}],
    "web_accessible_resources": [{"resources": ["inner.html"], "matches": ["<all_urls>"]}],
}


def framing_extension(folder: Path) -> Path:
    """Make it in a new folder. The pages are those at `/framed` on 127.0.0.1, the frame says `WORDS`."""
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(_MANIFEST))
    (folder / "inner.html").write_text(f"<p>{WORDS}</p>")
    (folder / "content.js").write_text(
        "if (location.pathname === '/framed') document.body.append(Object.assign(document.createElement('iframe'),"
        " { src: chrome.runtime.getURL('inner.html') }))"
    )
    return folder
