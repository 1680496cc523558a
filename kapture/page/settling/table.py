"""When an action is over, as a table. No other file decides that, and all times are here.

What was changing by itself before the action is neither waited for nor reported: what has changed twice or more, each
time within `BY_ITSELF_S` of the time before, the last within that of the action. A call with `snapshot: none` waits for
the rows down to the requests only. `Watch` (`settle.py`) goes through the rows; docs/SNAPSHOTS.md shows this table.
"""

from __future__ import annotations

from enum import Enum

import attrs

NAVIGATION_S = 15.0
AT_MOST_S = 1.0
NOTHING_S = 0.3
QUIET_S = 0.06
"""The short while without a change after which an action is over: docs/PERFORMANCE.md says how it was chosen."""
BY_ITSELF_S = 2.0
APART_S = 0.1
"""Changes by itself that are nearer to each other than this are one."""

NEEDED = frozenset({"Document", "XHR", "Fetch", "Script", "Stylesheet"})
"""Requests that pages need to show something; of a document that has just opened, only XHR and Fetch."""


class Caused(Enum):
    """Possible effects of an action. The first one that applies decides what is waited for next."""

    END = "a dialog, a file chooser, a download, the tab is closed"
    NAVIGATION = "a navigation of the page, or of the frame acted in"
    TAB = "another tab"
    REQUESTS = "requests that pages need to show something (document, fetch, XHR, script, style)"
    CHANGES = (
        "changes of the page (DOM, attributes, values, scroll position, canvas under the pointer), "
        "finite animations and transitions that began with the action"
    )
    NOTHING = "nothing"


@attrs.frozen
class Row:
    """When the answer comes. `at_most_s` counts from the action, or from the last answer to a request."""

    caused: Caused
    answered: str
    at_most_s: float
    without_snapshot: bool = True


TABLE = (
    Row(Caused.END, "at once", 0),
    Row(Caused.NAVIGATION, "once its document is parsed and has painted", NAVIGATION_S),
    Row(Caused.TAB, "once it is connected", AT_MOST_S),
    Row(Caused.REQUESTS, "once they are answered, then as the next row; it counts those that are open", AT_MOST_S),
    Row(
        Caused.CHANGES,
        f"once nothing has changed for {1000 * QUIET_S:g} ms and they have ended",
        AT_MOST_S,
        without_snapshot=False,
    ),
    Row(Caused.NOTHING, '"no change yet"', NOTHING_S, without_snapshot=False),
)


def agent_times() -> dict[str, float]:
    """The times that the agent needs, in milliseconds."""
    return {"atMost": 1000 * AT_MOST_S, "byItself": 1000 * BY_ITSELF_S, "apart": 1000 * APART_S}


def markdown() -> str:
    """The table as the documentation shows it."""
    heads = ("what the action caused", "the answer comes", "after at most", "with `snapshot: none`")
    lines = [f"| {' | '.join(heads)} |", "| --- | --- | --- | --- |"]
    for row in TABLE:
        latest = f"{row.at_most_s:g} s" if row.at_most_s else ""
        without = "the same" if row.without_snapshot else "not waited for"
        lines.append(f"| {row.caused.value} | {row.answered} | {latest} | {without} |")
    return "\n".join(lines)
