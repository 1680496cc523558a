"""What a command's answer adds about the page: all of it, or what is different since the last snapshot."""

from __future__ import annotations

from contextlib import suppress

import trio

from kapture.commands.core.context import TabContext
from kapture.commands.core.params import SnapshotMode
from kapture.errors import KaptureError
from kapture.snapshot import Options, take
from kapture.snapshot.cover import remembering
from kapture.snapshot.render import outline
from kapture.snapshot.view import changes_since, transient_lines

TIMEOUT_MS = 5_000
"""An action that is done is answered even if the page it led to cannot be read."""


async def look_before(tab: TabContext, mode: SnapshotMode | None) -> None:
    """Take a snapshot to compare with, where changes are asked for and this client has seen nothing of the tab.

    One that cannot be taken is none: the answer then shows the whole page, and what was asked is done all the same.
    """
    if mode != "diff" or tab.client.last_snapshot is not None or tab.page.dialogs.current is not None:
        return
    with suppress(KaptureError), trio.move_on_after(TIMEOUT_MS / 1000):
        tab.client.last_snapshot = await take(tab.page)


async def page_after(tab: TabContext, mode: SnapshotMode | None) -> str:
    """The page after an action; "" when it was not asked for. Never fails: what was done is done.

    `mode` None: changes, once this client has a snapshot to compare the page with.
    """
    if mode is None:
        mode = "diff" if tab.client.last_snapshot is not None else "none"
    if mode == "none" or tab.page.dialogs.current is not None:
        return ""
    try:
        with trio.fail_after(TIMEOUT_MS / 1000):
            tree = await take(tab.page)
    except trio.TooSlowError:
        return f"The page is not shown: it did not answer within {TIMEOUT_MS} ms."
    except KaptureError as error:
        return f"The page is not shown: {error.message} {error.hint}".rstrip()
    last = tab.client.last_snapshot
    tab.client.last_snapshot = remembering(last, tree)
    options = Options(known_furniture=tab.client.furniture)
    messages = transient_lines([text for outcome in tab.outcomes for text in outcome.transients], tree)
    if mode == "full" or last is None:
        rendering = outline(tree, options)
        tab.client.remember_furniture(rendering.furniture)
        return "\n".join([*messages, rendering.text])
    view = changes_since(last, tree, options)
    tab.client.remember_furniture(view.furniture)
    return "\n".join([*messages, *view.lines()])
