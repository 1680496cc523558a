"""Logs and network on one granted site A: B is a frame of the same process, C of another site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.granted_tab import THROUGH, ThreeSites, Through, granted, three_sites

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def sites() -> Iterator[ThreeSites]:
    with three_sites() as made:
        yield made


@pytest.mark.parametrize("through", THROUGH)
async def test_logs_and_network_show_of_other_sites_that_they_were_asked_and_no_more(
    tmp_path: Path, sites: ThreeSites, through: Through
) -> None:
    async with granted(tmp_path, sites.granted, through=through) as tab:
        before = (len(sites.b.requests), len(sites.c.requests))
        await tab.call("navigate", url=sites.a.url("/"))
        # Each of these is the document's that is there now, whose bodies the browser still has.
        await tab.call("wait_for_response", url="*/own")
        for _ in range(6):
            await tab.call("wait_for_response", url=f"http://localhost:{sites.c.port}/*")
        listed = await tab.call("network", max=1_000)
        assert (len(sites.b.requests), len(sites.c.requests)) > before, "B and C were asked for nothing"
        assert "/own" in listed, "what A asks of itself is shown"
        assert f"http://localhost:{sites.c.port}/" in listed, "that A asks C is shown"
        assert f"127.0.0.1:{sites.b.port}" not in listed, "what B asks is not"
        shown = [listed, await tab.call("logs", max=1_000)]
        # The newest may have no answer yet, as many of them as the page has asked for while the sites stood still.
        answered = await tab.call("network", status="2xx", max=1_000)
        for request in re.findall(r"\br\d+\b", answered)[:20]:
            shown.append(await tab.call("network_request", id=request))
        har = await tab.client.call_tool("kapturemcp_har", {"tabId": tab.tab, "bodies": False})
        shown.append(har.model_dump_json())
        for text in shown:
            assert "X-Secret" not in text
            assert sites.secret not in text
        assert any("what A may read" in text for text in shown), "what the page itself reads may be read"
        # How much is withheld does not depend on the words that are looked for: counting them would tell.
        for tool, arguments in (("logs", {"text": sites.secret}), ("network", {"url": f"*{sites.secret}*"})):
            nothing = await tab.call(tool, **arguments)
            assert sites.secret not in nothing
