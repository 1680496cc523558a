"""How many examples the property tests try: a third where every change is tested, all where defects are looked for."""

from __future__ import annotations

import os

SEARCHING = os.environ.get("KAPTURE_HYPOTHESIS", "kapture") == "search"


def examples(full: int) -> int:
    """The number to try: `full` with `KAPTURE_HYPOTHESIS=search`, else a third of it, rounded up."""
    return full if SEARCHING else -(-full // 3)
