"""What a call of a command of scope `hub` is given of the hub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.commands.core.context import HubContext, Progress, TabWish
from kapture.hub.client import Client
from kapture.hub.state import HubState
from kapture.hub.status import StatusReport
from kapture.hub.tab_requests import TabRequests


class HubContexts:
    """Makes the context of each call on one hub."""

    def __init__(self, state: HubState, report: StatusReport) -> None:
        self._report = report
        self._tab_requests = TabRequests(state)

    def of(self, client: Client, timeout_ms: float, progress: Progress) -> HubContext:
        """The context of one call."""

        async def request_tab(wish: TabWish) -> Mapping[str, Any]:
            return self._report.tab_row(await self._tab_requests.request(client, wish, timeout_ms, progress))

        return HubContext(hub=self._report, client_id=client.client_id, progress=progress, request_tab=request_tab)
