"""Cookies: for the document that is granted, also when the tab has gone elsewhere since the call was admitted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from kapture.commands.cookies import Cookies, cookies
from kapture.commands.core.context import TabContext
from kapture.errors import PolicyDenied
from tests.unit.page.frame_world import World

THEME = Cookies(action="set", name="theme", value="dark")


class Browser(World):
    """A browser that takes every cookie."""

    def __init__(self) -> None:
        super().__init__()
        self.replies["Network.setCookie"] = {"success": True}

    def tab(self) -> TabContext:
        page = SimpleNamespace(frames=self.tree, url=self.tree.main.url, connection=self.connection)
        return cast("TabContext", SimpleNamespace(page=page))


async def test_a_cookie_is_set_on_a_granted_page() -> None:
    assert (await cookies(Browser().tab(), THEME)).changed == 1


async def test_no_cookie_is_set_on_a_page_outside_the_grant_that_the_tab_has_gone_to() -> None:
    browser = Browser()
    browser.navigate("M", "https://secret.example/", None)
    with pytest.raises(PolicyDenied):
        await cookies(browser.tab(), THEME)
