"""What is emulated is undone when it is refused, and when its grant ends, also while it is being set."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import attrs
import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import PendingReply
from kapture.commands.emulation import Emulate, Viewport, emulate, end_emulation
from kapture.page import Page
from kapture.page.capture import viewport
from tests.support.one_document import OneDocument

METRICS = {"width": 800, "height": 600, "scrollX": 0, "scrollY": 0, "fullWidth": 800, "fullHeight": 600, "ratio": 1}
SHOWN = {"viewport": [800, 600], "deviceScale": 1}


class Document(OneDocument):
    """One that keeps what is emulated, by method. Methods in `unanswered` get no answer."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {"userAgent": "Own", "documentState": SHOWN, "metrics": METRICS}
        self.emulated: dict[str, Mapping[str, Any]] = {}
        self.unanswered: set[str] = set()

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method.startswith("Emulation.clear"):
            self.emulated.pop(method.replace("clear", "set"), None)
        elif method.startswith("Emulation."):
            self.emulated[method] = params
        return PendingReply() if method in self.unanswered else super()._reply(method, params, session_id)


@attrs.frozen
class Tab:
    """The part of a command's context that the command uses."""

    document: Document
    page: Page

    async def emulate(self, **wanted: Any) -> None:
        await emulate(SimpleNamespace(page=self.page), Emulate(**wanted))  # type: ignore[arg-type]


@pytest.fixture
async def tab(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> Tab:
    monkeypatch.setattr(Page, "sessions", property(lambda page: (page.connection.root,)))
    document = Document()
    return Tab(document, document.page(nursery))


async def test_what_a_cancelled_call_has_sent_is_undone_when_the_grant_ends(tab: Tab, nursery: trio.Nursery) -> None:
    tab.document.unanswered = {"Emulation.setTouchEmulationEnabled"}
    with trio.CancelScope() as call:
        nursery.start_soon(_when_waiting, call.cancel)
        await tab.emulate(touch=True, viewport=Viewport(width=390, height=844))
    assert tab.document.emulated["Emulation.setTouchEmulationEnabled"] == {"enabled": True}
    end_emulation(tab.page)
    assert tab.document.emulated == {"Emulation.setTouchEmulationEnabled": {"enabled": False}}
    assert tab.page.device_metrics is None


async def test_a_viewport_for_a_picture_is_undone_if_the_call_is_cancelled(tab: Tab, nursery: trio.Nursery) -> None:
    tab.document.unanswered = {"Emulation.setDeviceMetricsOverride"}
    with trio.CancelScope() as call:
        nursery.start_soon(_when_waiting, call.cancel)
        async with viewport(tab.page, 390, None):
            pytest.fail("It was not answered.")
    assert "Emulation.setDeviceMetricsOverride" not in tab.document.emulated


async def _when_waiting(do: Any) -> None:
    await wait_all_tasks_blocked()
    do()


@pytest.mark.parametrize("parameter", ["locale", "timezone", "user_agent"])
def test_what_a_tab_keeps_of_its_emulation_has_a_bound(parameter: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="length"):
        msgspec.convert({parameter: "a" * 2_001}, Emulate)
