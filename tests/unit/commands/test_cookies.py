"""Cookies: for the document that is granted, also when the tab has gone elsewhere since the call was admitted."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest

from kapture.cdp import PendingReply
from kapture.commands.cookies import Cookies, cookies
from kapture.commands.core.context import TabContext
from kapture.errors import PolicyDenied
from tests.unit.page.frame_world import World

THEME = Cookies(action="set", name="theme", value="dark")


def allowed(url: str) -> bool:
    return url.startswith(("https://a.example/", "http://a.example/"))


class Browser(World):
    """A browser that takes every cookie."""

    def __init__(self) -> None:
        super().__init__()
        self.replies["Network.setCookie"] = {"success": True}
        self.replies["Network.deleteCookies"] = {}
        self.asked: list[list[str]] = []
        self.deleted: list[str] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == "Network.getCookies":
            self.asked.append(params["urls"])
        if method == "Network.deleteCookies":
            self.deleted.append(params["name"])
        return super().submit(method, params, session_id)

    def tab(self) -> TabContext:
        page = SimpleNamespace(frames=self.tree, url=self.tree.main.url, connection=self.connection, gate=allowed)
        return cast("TabContext", SimpleNamespace(page=page))


async def test_no_cookie_is_set_on_a_page_outside_the_grant_that_the_tab_has_gone_to() -> None:
    browser = Browser()
    browser.navigate("M", "https://secret.example/", None)
    with pytest.raises(PolicyDenied):
        await cookies(browser.tab(), THEME)


PARENT = {"name": "session", "value": "1", "domain": ".example", "path": "/", "httpOnly": True}
OWN = {"name": "own", "value": "2", "domain": "a.example", "path": "/"}


@pytest.mark.parametrize("action", ["get", "delete", "clear"])
async def test_no_cookie_of_the_domain_above_is_read_or_removed(action: Literal["get", "delete", "clear"]) -> None:
    browser = Browser()
    browser.replies["Network.getCookies"] = {"cookies": [PARENT, OWN]}
    name = "session" if action == "delete" else None
    jar = await cookies(browser.tab(), Cookies(action=action, name=name))
    assert [cookie["name"] for cookie in jar.cookies] == (["own"] if action == "get" else [])
    assert browser.deleted == (["own"] if action == "clear" else [])


@pytest.mark.parametrize("domain", ["example", ".example", "b.example"])
async def test_no_cookie_is_set_for_a_domain_outside_the_grant(domain: str) -> None:
    with pytest.raises(PolicyDenied):
        await cookies(Browser().tab(), Cookies(action="set", name="theme", value="dark", domain=domain))


async def test_cookies_are_listed_for_granted_documents_only() -> None:
    browser = Browser()
    browser.replies["Network.getCookies"] = {"cookies": []}
    browser.attach("A")
    browser.navigate("A", "https://secret.example/account")
    await cookies(browser.tab(), Cookies(action="get"))
    assert browser.asked == [["https://a.example/"]]
