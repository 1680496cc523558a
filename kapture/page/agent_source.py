"""The agent's bundle: the script that runs in every document, in a world of its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def agent_source() -> str:
    """The text of `agent.bundle.js`. Running it twice in one document does no harm."""
    return (Path(__file__).parent / "agent.bundle.js").read_text(encoding="utf-8")
