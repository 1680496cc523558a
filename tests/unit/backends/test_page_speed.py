"""A page that was slowed down runs again as its client wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.backends.page_speed import FLOODING_RATE, PageSpeed
from kapture.cdp import CdpCommand, CdpError, PendingReply
from tests.support.cdp_transports import SilentTransport

RATE = "Emulation.setCPUThrottlingRate"


class Transport(SilentTransport):
    def __init__(self) -> None:
        self.rates: list[Any] = []
        self.to_worker: list[str] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = super().submit(method, params, session_id)
        if session_id == "worker":
            self.to_worker.append(method)
            if method == RATE:
                reply.fail(CdpError(method, "'Emulation.setCPUThrottlingRate' wasn't found", -32601))
        elif method == RATE:
            self.rates.append(params["rate"])
        return reply


async def test_after_a_flood_a_page_runs_at_full_speed_again() -> None:
    transport = Transport()
    speed = PageSpeed(transport)
    speed.slow_down(True, None)
    speed.slow_down(False, None)
    assert transport.rates == [FLOODING_RATE, 1]


async def test_after_a_flood_a_page_is_as_slow_as_its_client_wants_it() -> None:
    transport = Transport()
    speed = PageSpeed(transport)
    speed.submit(RATE, {"rate": 4}, None)
    speed.slow_down(True, None)
    speed.submit_all([CdpCommand(RATE, {"rate": 6})])
    speed.slow_down(False, None)
    assert transport.rates == [4, FLOODING_RATE, 6, 6]


async def test_a_worker_which_cannot_be_slowed_down_reports_nothing_until_its_flood_is_over() -> None:
    transport = Transport()
    speed = PageSpeed(transport)
    speed.slow_down(True, "worker")
    assert transport.to_worker == [RATE, "Runtime.disable", "Log.disable"]
    transport.to_worker.clear()
    speed.slow_down(False, "worker")
    assert transport.to_worker == [RATE, "Runtime.enable", "Log.enable"]
    assert transport.rates == []
