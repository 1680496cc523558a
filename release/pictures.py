"""The store's screenshots (1280 × 800), composed of the pictures in docs/img: run by `./dev pictures`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from kapture.backends.chromium.find import find_browser
from release.manifests import ROOT

_IMAGES = ROOT / "docs" / "img"
_SHOTS = {
    "connect": (
        "popup-light.png",
        "Your browser,<br>your tabs",
        "Press Connect on a tab, and choose the sites and the level.",
    ),
    "panel": (
        "panel-light.png",
        "See every step",
        "What an agent does in the tab, as it does it. Stop it at any time.",
    ),
    "request": ("request-dark.png", "You decide", "An agent asks for a tab, and says why. You choose, or say no."),
    "console": ("console-dark.png", "", ""),
}
_PAGE = """<!doctype html><meta charset="utf-8"><style>
  body {{ margin: 0; width: 1280px; height: 800px; overflow: hidden; font: 24px/1.5 system-ui, sans-serif;
    color: #1c2333; background: #e6ecf8; display: flex; align-items: center }}
  div {{ flex: 1; padding: 0 40px 0 96px }}
  h1 {{ font-size: 56px; line-height: 1.15; margin: 0 0 24px }} p {{ margin: 0 }}
  .beside {{ margin-right: 120px; max-height: 704px; border-radius: 12px; box-shadow: 0 12px 48px #1c233340 }}
  .whole {{ width: 1280px; height: 800px }}
</style>{content}"""


def main() -> None:
    """Compose every screenshot."""
    (_IMAGES / "store").mkdir(exist_ok=True)
    for name, (picture, title, text) in _SHOTS.items():
        source = (_IMAGES / picture).as_uri()
        shown = f'<div><h1>{title}</h1><p>{text}</p></div><img class="beside" src="{source}">'
        content = shown if title else f'<img class="whole" src="{source}">'
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "shot.html"
            page.write_text(_PAGE.format(content=content), "utf-8")
            command = [
                str(find_browser()),
                "--headless=new",
                f"--user-data-dir={folder}/profile",
                "--window-size=1280,800",
            ]
            command += [
                "--hide-scrollbars",
                "--no-first-run",
                f"--screenshot={_IMAGES / 'store' / name}.png",
                page.as_uri(),
            ]
            if os.geteuid() == 0:
                command.insert(1, "--no-sandbox")  # Chromium refuses to run as root with it
            subprocess.run(command, check=True, capture_output=True, timeout=60)


if __name__ == "__main__":
    main()
