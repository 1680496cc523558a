"""Raw CDP, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kapture.commands.core.context import ClientView
from kapture.errors import ErrorCode
from tests.support.context import Tab, open_tab
from tests.support.script_pages import PAGES
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


async def test_raw_commands_pass_within_the_tab_and_no_further(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        answer = await tab.data("cdp", method="Runtime.evaluate", params={"expression": "6 * 7", "returnByValue": True})
        assert answer["result"]["result"]["value"] == 42
        for method in ("Browser.close", "Target.getTargets", "Target.createTarget", "SystemInfo.getInfo"):
            assert (await tab.fails("cdp", method=method)).code is ErrorCode.POLICY_DENIED
        error = await tab.fails("cdp", method="Nope.nothing")
        assert (error.code, error.data["cdpCode"]) == (ErrorCode.EXECUTION_ERROR, -32601)
        assert (await tab.fails("cdp", method="no dot")).code is ErrorCode.INVALID_PARAMS
        tab.page.gate = lambda url: "127.0.0.1" in url
        for method, params in (
            ("Network.getAllCookies", {}),
            ("Page.navigate", {"url": "https://elsewhere.example/"}),
            ("Network.getCookies", {"urls": ["https://elsewhere.example/"]}),
            ("Network.setCookie", {"name": "a", "value": "b", "domain": "elsewhere.example"}),
            ("Storage.clearDataForOrigin", {"origin": "https://elsewhere.example", "storageTypes": "all"}),
        ):
            assert (await tab.fails("cdp", method=method, params=params)).code is ErrorCode.POLICY_DENIED


async def test_raw_events_are_collected_for_each_client(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        other = Tab(tab.page, client=ClientView(client_id="other"))
        await tab("cdp_events", action="subscribe", events=["Runtime.consoleAPICalled"])
        await tab("evaluate", code="console.log('one'); console.log('two')")
        answer = await tab.data("cdp_events")
        assert [event["params"]["args"][0]["value"] for event in answer["events"]] == ["one", "two"]
        assert (await tab.data("cdp_events", since=answer["cursor"]))["events"] == []
        assert (await other.data("cdp_events"))["events"] == []
        await tab("cdp_events", action="unsubscribe", events=["Runtime.consoleAPICalled"])
        await tab("evaluate", code="console.log('three')")
        assert (await tab.data("cdp_events", since=answer["cursor"]))["events"] == []
