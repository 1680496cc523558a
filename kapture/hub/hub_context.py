"""The context that the hub gives to a command of scope `hub`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kapture.commands.core.context import HubContext, Progress, TabWish
from kapture.commands.core.result import CallResult
from kapture.hub.client import Client
from kapture.hub.state import HubState
from kapture.hub.status import StatusReport
from kapture.hub.tab_requests import TabRequests


class RunCall(Protocol):
    """Runs one call for a client (`kapture.hub.calls.Calls.run`)."""

    async def __call__(
        self,
        client: Client,
        name: str,
        arguments: Mapping[str, Any],
        progress: Progress | None,
        *,
        shown: Mapping[str, Any] | None = None,
    ) -> CallResult:
        """Its answer; raises `KaptureError`."""


class HubContexts:
    """Makes the context of each call on one hub."""

    def __init__(self, state: HubState, report: StatusReport, run_call: RunCall) -> None:
        self._state = state
        self._report = report
        self._run_call = run_call
        self._tab_requests = TabRequests(state)

    def of(self, client: Client, timeout_ms: float, progress: Progress) -> HubContext:
        """The context of one call."""

        async def request_tab(wish: TabWish) -> Mapping[str, Any]:
            return self._report.tab_row(await self._tab_requests.request(client, wish, timeout_ms, progress))

        inner = Client(name=client.name, version=client.version, kind=client.kind, elicit=client.elicit)

        async def call(
            name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
        ) -> CallResult:
            return await self._run_call(inner, name, arguments, None, shown=shown)

        return HubContext(
            hub=self._report,
            client_id=client.client_id,
            progress=progress,
            request_tab=request_tab,
            call=call,
            scenarios=self._state.scenarios,
        )
