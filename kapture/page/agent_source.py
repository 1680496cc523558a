"""The agent's bundle: the script that runs in every document, in an isolated world."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def agent_source() -> str:
    """The text of `agent.bundle.js`. Evaluating it twice in one document is harmless."""
    return (Path(__file__).parent / "agent.bundle.js").read_text(encoding="utf-8")
