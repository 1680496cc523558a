"""The script that finds out, in the page's own world, what its frameworks listen for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def listeners_script() -> str:
    """The script made from kapture/page/agent/dom/listeners.main.js."""
    return files("kapture.page").joinpath("listeners.bundle.js").read_text("utf-8").strip()
