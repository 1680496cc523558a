"""Additions of a script's own session to that of the browser: closing within bounds, and pictures of hidden tabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from kapture.backends.chromium.script_transport import ScriptTransport
from kapture.cdp import CdpConnection, CdpTransport, PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.screencast import Screencast


class Session:
    """A session of a hidden tab: its picture is drawn once the tab's other session, the hub's, has a screencast."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.pictures: list[PendingReply] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append(method)
        reply = PendingReply()
        if method == "Page.captureScreenshot":
            self.pictures.append(reply)
            return reply
        reply.resolve({})
        for picture in self.pictures if method == "Page.startScreencast" else ():
            picture.resolve({"data": "picture"})
        return reply


async def test_a_hidden_tab_is_drawn_for_a_scripts_picture(autojump_clock: MockClock) -> None:
    session = Session()
    screencast = Screencast(CdpConnection(cast("CdpTransport", session)).root)
    async with trio.open_nursery() as nursery:
        transport = ScriptTransport(cast("CdpTransport", session), nursery, lambda: None, lambda: screencast)
        picture = await transport.submit("Page.captureScreenshot", {}, None).wait()
        assert picture == {"data": "picture"}
    assert session.sent == ["Page.captureScreenshot", "Page.startScreencast", "Page.stopScreencast"]


async def test_a_tab_that_may_not_be_closed_is_not_closed_by_a_script() -> None:
    def refuse() -> None:
        raise KaptureError(ErrorCode.UNSUPPORTED, "Not opened by Kapture.")

    session = Session()
    async with trio.open_nursery() as nursery:
        transport = ScriptTransport(cast("CdpTransport", session), nursery, refuse, lambda: None)
        with pytest.raises(KaptureError, match="Not opened by Kapture"):
            transport.submit("Page.close", {}, None)
    assert session.sent == []


async def test_the_size_that_a_script_has_given_the_page_ends_with_its_session() -> None:
    session = Session()
    async with trio.open_nursery() as nursery:
        transport = ScriptTransport(cast("CdpTransport", session), nursery, lambda: None, lambda: None)
        for method in ("Emulation.setDeviceMetricsOverride", "Emulation.setTouchEmulationEnabled"):
            transport.submit(method, {"width": 400}, None)
        transport.leave()
    assert session.sent[2:] == ["Emulation.clearDeviceMetricsOverride"]
