"""Accessibility problems that axe-core finds in a page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

_AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
_LOOK = """
axe.run(document, OPTIONS).then(({ violations, passes }) => [passes.length, violations.flatMap(({ id, nodes }) =>
  nodes.map(({ target, html, failureSummary }) =>
    `${id}: ${target.flat(9).join(' ')} ${html.slice(0, 200)} ${failureSummary}`))])
"""
_WCAG_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_COLOURS = ["color-contrast", "link-in-text-block"]


async def violations(
    js: Callable[[str], Awaitable[Any]], *, wcag_only: bool = False, colours_only: bool = False
) -> list[str]:
    """The violations in the page in which `js` evaluates, a line each.

    `wcag_only`: of WCAG's levels A and AA, not of what axe-core thinks good besides. `colours_only`: those that another
    theme of a page that has been looked at can bring.
    """
    if not await js("'axe' in window"):
        await js(_AXE.read_text() + ";0")
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if colours_only:
        options["runOnly"] = _COLOURS
    elif wcag_only:
        options["runOnly"] = _WCAG_AA
    passes, found = await js(_LOOK.replace("OPTIONS", json.dumps(options)))
    assert colours_only or passes > 5, "axe-core has looked at nothing"
    return [str(line) for line in found]
