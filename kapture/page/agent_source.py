"""The agent's bundle: the script that runs in every document, in an isolated world."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from kapture.page.settling.table import agent_times


@cache
def agent_source() -> str:
    """The text of `agent.bundle.js`, after the times that it needs. Evaluating it twice in one document is harmless."""
    bundle = (Path(__file__).parent / "agent.bundle.js").read_text(encoding="utf-8")
    return f"globalThis.kaptureTimes={json.dumps(agent_times())};{bundle}"
