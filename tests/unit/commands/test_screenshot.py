"""A picture of a page that leaves the grant while it is taken."""

from __future__ import annotations

import json
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kapture.commands.capture import Screenshot, screenshot
from kapture.commands.core.context import TabContext
from kapture.errors import PolicyDenied
from kapture.page.screencast import Screencast
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World

SIZE = {"width": 8, "height": 6, "fullWidth": 8, "fullHeight": 6, "scrollX": 0, "scrollY": 0, "ratio": 1}


class Browser(World):
    """A page whose pictures can be taken."""

    def __init__(self) -> None:
        super().__init__()
        self.run_scripts()
        self.replies["Runtime.evaluate"] = {"result": {"value": json.dumps({"top": 0, "value": SIZE})}}
        self.replies["Page.captureScreenshot"] = {"data": "UE5H"}

    def tab(self, kept: dict[Any, Any]) -> TabContext:
        made: Any = tab_of(
            self,
            highlight=SimpleNamespace(hide=lambda: None),
            widget=SimpleNamespace(unseen=nullcontext),
            screencast=Screencast(self.connection.root),
        )
        made.client = SimpleNamespace(kept=kept)
        return made  # type: ignore[no-any-return]


@pytest.mark.parametrize("measured_before", [False, True])
async def test_it_is_not_answered(measured_before: bool) -> None:
    browser, kept = Browser(), dict[Any, Any]()
    picture = (await screenshot(browser.tab(kept), Screenshot())).image.base64
    assert picture == "UE5H"
    browser.leaving.add("Page.captureScreenshot")
    with pytest.raises(PolicyDenied):
        await screenshot(browser.tab(kept if measured_before else {}), Screenshot())
