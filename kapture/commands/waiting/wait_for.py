"""Waiting for a state of the page: element, text, URL, network, download."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.commands.core.targets import Targeted
from kapture.commands.formatters.waiting import Waited
from kapture.commands.waiting.condition import State, WaitCondition, address_of
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.read_gate import ReadGate, shown_address
from kapture.page.downloads import Download, shown_download
from kapture.page.target import as_spec


@attrs.frozen(kw_only=True)
class WaitFor(Targeted):
    """Wait until all that is given holds."""

    state: Annotated[State, Meta(description="hidden: none is visible; gone: none exists.")] = "visible"
    text: Annotated[str, Meta(min_length=1, description="Visible text.")] | None = None
    text_gone: Annotated[str, Meta(min_length=1, description="Text no longer visible.")] | None = None
    url: Annotated[str | None, Meta(description="Glob for the URL: */done*.")] = None
    network_idle: Annotated[bool, Meta(description="No request for half a second.")] = False
    download: Annotated[bool, Meta(description="A download has ended.")] = False


@command("wait_for", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, shows_page=True, idempotent=True)
async def wait_for(tab: TabContext, params: WaitFor) -> Waited:
    """Wait, and answer with what was found; `COMMAND_TIMEOUT` says what was found instead."""
    condition = _condition(tab, params)
    began = trio.current_time()
    with before_timeout():
        met = await condition.until_met()
        return Waited(
            seen=[seen for _, seen in met],
            waited_ms=round((trio.current_time() - began) * 1000),
            element=condition.element.as_json() if condition.element else None,
            download=_download_facts(condition.download, tab.page.gate) if condition.download else None,
        )
    unmet = condition.unmet()
    url = address_of(tab.page)
    waited_ms = round((trio.current_time() - began) * 1000)
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"Timed out after {waited_ms} ms: {'; '.join(unmet)}."
        + (f" The page is at {url}." if params.url is None else ""),
        hint=Wording("{Look} to see the page.", "Or wait longer with {timeout}."),
        data={"seen": [seen for _, seen in condition.last], "unmet": unmet, "url": url, "waitedMs": waited_ms},
    )


def _condition(tab: TabContext, params: WaitFor) -> WaitCondition:
    target = params.element
    condition = WaitCondition(
        page=tab.page,
        spec=None if target is None else as_spec(target),
        state=params.state,
        text=params.text,
        text_gone=params.text_gone,
        url=params.url,
        network_idle=params.network_idle,
        awaits_download=params.download,
        reported_downloads=tab.client.kept.setdefault("reported downloads", set()),
    )
    if not (condition.asks_page() or params.network_idle):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "There is nothing to wait for.",
            hint="Give a target or selector, text, text_gone, url, network_idle or download.",
        )
    return condition


def _download_facts(download: Download, gate: ReadGate) -> dict[str, Any]:
    return {
        "filename": shown_download(download, gate),
        "url": shown_address(download.url, gate),
        "state": download.state,
        "bytes": int(download.received_bytes),
    }
