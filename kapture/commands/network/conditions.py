"""Slowing the network down, or taking the tab offline."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.formatters.network import (
    ConditionsAnswer,
)


@attrs.frozen(kw_only=True)
class NetworkConditions:
    """Slow the tab's network down, or take it offline. Without arguments: back to normal."""

    offline: bool = False
    latency_ms: Annotated[float, Meta(ge=0, description="Added to each request.")] = 0
    download_kbps: Annotated[float, Meta(gt=0, description="Kilobits a second; default unlimited.")] | None = None
    upload_kbps: Annotated[float, Meta(gt=0)] | None = None


@command("network_conditions", access=Access.INTERACT, toolset="network", idempotent=True, reads_page=False)
async def network_conditions(tab: TabContext, params: NetworkConditions) -> ConditionsAnswer:
    """Set the conditions for the page and all its frames."""

    def throughput(kbps: float | None) -> float:
        return -1 if kbps is None else kbps * 1000 / 8

    await tab.page.network_conditions.set(
        {
            "offline": params.offline,
            "latency": params.latency_ms,
            "downloadThroughput": throughput(params.download_kbps),
            "uploadThroughput": throughput(params.upload_kbps),
        }
    )
    parts = ["offline"] if params.offline else []
    parts += [f"{params.latency_ms:g} ms latency"] if params.latency_ms else []
    parts += [f"{params.download_kbps:g} kbit/s down"] if params.download_kbps else []
    parts += [f"{params.upload_kbps:g} kbit/s up"] if params.upload_kbps else []
    return ConditionsAnswer(conditions=", ".join(parts) or "normal")
