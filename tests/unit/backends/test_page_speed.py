"""A page that was slowed down runs again as its client wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.backends.page_speed import FLOODING_RATE, PageSpeed
from kapture.cdp import CdpCommand, PendingReply
from tests.support.cdp_transports import SilentTransport

RATE = "Emulation.setCPUThrottlingRate"


class Transport(SilentTransport):
    def __init__(self) -> None:
        self.rates: list[Any] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == RATE:
            self.rates.append(params["rate"])
        return super().submit(method, params, session_id)


async def test_after_a_flood_a_page_runs_at_full_speed_again() -> None:
    transport = Transport()
    speed = PageSpeed(transport)
    speed.slow_down(True)
    speed.slow_down(False)
    assert transport.rates == [FLOODING_RATE, 1]


async def test_after_a_flood_a_page_is_as_slow_as_its_client_wants_it() -> None:
    transport = Transport()
    speed = PageSpeed(transport)
    speed.submit(RATE, {"rate": 4}, None)
    speed.slow_down(True)
    speed.submit_all([CdpCommand(RATE, {"rate": 6})])
    speed.slow_down(False)
    assert transport.rates == [4, FLOODING_RATE, 6, 6]
