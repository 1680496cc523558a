"""Permissions, through the extension of a launched browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.site import serving
from tests.support.stack import browser_process, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e


async def test_a_permission_is_set_for_the_site_and_seen_by_the_page(tmp_path: Path) -> None:
    with (
        serving({"/": "<title>Where am I</title>"}) as site,
        hub_process(tmp_path) as hub,
        browser_process(hub, [site.url("/")], ["--level", "full"]) as (tab,),
    ):
        async with mcp_client(hub, "--toolsets", "core,tabs,state") as client:
            tab_id = tab["tabId"]
            assert "geolocation: prompt" in await call(client, "permissions", tabId=tab_id)
            for setting, state in (("allow", "granted"), ("block", "denied"), ("ask", "prompt")):
                told = await call(client, "permissions", tabId=tab_id, name="geolocation", setting=setting)
                assert f"geolocation: {state}" in told
            assert "INVALID_PARAMS" in await refusal(client, "permissions", tabId=tab_id, name="geolocation")
