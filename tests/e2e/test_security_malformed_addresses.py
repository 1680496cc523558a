"""Addresses that are none, which a page may write wherever one is expected, keep no tool from working."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Page, Site

pytestmark = pytest.mark.e2e

MALFORMED = ["http://[", "https://]/x", "http://a\u2100b/x", "http://[::1.2.3.4.5]/", "//[", "ws://["]


@pytest.mark.parametrize("address", MALFORMED)
async def test_an_address_that_is_none_breaks_no_tool(browser: int, site: Site, address: str) -> None:
    site.pages["/"] = f"""<title>malformed</title><h1>still here</h1>
      <a href="{address}">a link to nowhere</a><a href="/there">a link</a><img src="{address}" alt="an image">
      <svg width=20 height=20><a xlink:href="{address}"><text y=15>drawn</text></a></svg>
      <iframe src="{address}"></iframe><iframe name="{address}"></iframe>
      <script>
        console.log("logged {address} {address}");
        fetch("/moved", {{redirect: "manual"}}).catch(() => 0);
        for (const [kind, tried] of Object.entries({{
          fetch: () => fetch("{address}").catch(() => 0), open: () => window.open("{address}"),
          socket: () => new WebSocket("{address}"), moved: () => {{ location.href = "{address}" }},
          worker: () => new Worker("{address}"),
        }})) try {{ tried() }} catch {{ console.log(kind, "refused") }}
      </script>
      <script>console.log("named"); throw new Error("thrown")
      //# sourceURL={address}
      </script>"""
    site.pages["/moved"] = Page("", 302, {"Location": "http://["})
    async with open_tab(browser, site.url("/")) as tab:
        logged = await tab.text("logs")
        assert f"logged {address}" in logged
        assert "thrown" in logged
        listed = await tab.text("extract_links")
        assert "a link to nowhere" in listed
        assert "/there" in await tab.text("extract_links", same_origin_only=True)
        for tool in ("snapshot", "get_text", "get_html", "read_as_markdown"):
            assert "still here" in await tab.text(tool), tool
        network = await tab.text("network")
        assert "/moved" in network
        await tab("har")
        for request in (await tab.data("network"))["requests"]:
            await tab("network_request", id=request["id"])
