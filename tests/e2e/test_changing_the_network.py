"""Network conditions, blocking and mocks, as pages meet them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import trio

from tests.support.context import Tab, open_tab
from tests.support.network_pages import fetch, network_site, whole
from tests.support.patience import until
from tests.support.site import Site

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with network_site() as served:
        yield served


@pytest.fixture
async def tab(browser: int, site: Site) -> AsyncIterator[Tab]:
    async with open_tab(browser, site.url("/")) as opened:
        yield opened


async def test_offline_reaches_page_frames_and_workers_and_ends(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/frames"))
    with trio.fail_after(30):
        while not (inner := [frame for frame in tab.page.frames.all() if "localhost" in frame.url]):
            await tab.page.frames.changed.wait()
    (frame,) = inner
    asks = "fetch('/api?' + Math.random()).then(() => 'reached', () => 'failed')"
    in_worker = f"""new Promise(resolve => {{
        const script = "({asks}).then(postMessage)".replace("/api", location.origin + "/api")
        const worker = new Worker(URL.createObjectURL(new Blob([script])))
        worker.onmessage = event => resolve(event.data)
    }})"""

    async def until_it_is(outcome: str) -> None:
        """Chromium answers before its network process knows the conditions."""

        async def it_is() -> bool:
            found = [
                await tab.page.evaluate(asks),
                await tab.page.evaluate(asks, frame=frame),
                await tab.page.evaluate(in_worker),
            ]
            return found == [outcome] * 3

        await until(it_is, f"requests of the page, its frame and its worker that are {outcome}")

    assert await tab.text("network_conditions", offline=True) == "network: offline"
    assert await tab.page.evaluate("navigator.onLine") is False
    await until_it_is("failed")
    assert await tab.text("network_conditions") == "network: normal"
    assert await tab.page.evaluate("navigator.onLine") is True
    await until_it_is("reached")


async def test_latency_and_throughput_take_effect(tab: Tab) -> None:
    async def until_it_takes(path: str, least_ms: float) -> None:
        """As the browser itself measures it. Chromium answers before its network process knows the conditions."""

        async def takes() -> bool:
            await fetch(tab, path)
            request = next(one for one in tab.page.network.newest_first() if one.url.endswith(path))
            return (request.duration_ms or 0) >= least_ms

        await until(takes, f"a request that takes {least_ms} ms")

    await tab("network_conditions", latency_ms=400)
    await until_it_takes("/api?slow", 380)
    assert await tab.text("network_conditions", download_kbps=800) == "network: 800 kbit/s down"
    await until_it_takes("/large?slow", 800)  # 100,000 bytes at 100,000 bytes a second
    await tab("network_conditions")


async def test_blocking_refuses_what_matches_until_it_is_removed(tab: Tab, site: Site) -> None:
    answer = await tab.data("route", action="block", url="*/api?*")
    assert await fetch(tab, "/api?x") == "failed"
    assert await fetch(tab, "/api") == '{"a": 1}'
    assert (await whole(tab, "*/api?x"))["failure"] in {"blocked: inspector", "net::ERR_BLOCKED_BY_CLIENT"}
    assert (await tab.data("route", action="list"))["routes"] == [
        f"{answer['done'].split(':')[0]} block */api?* hits=1"
    ]
    await tab("route", action="remove")
    assert await fetch(tab, "/api?x") == '{"a": 1}'


async def test_mocks_answer_with_text_json_status_and_headers_the_newest_first(tab: Tab) -> None:
    await tab("route", action="mock", url="*/api*", body="plain", status=418, headers={"X-Mock": "1"})
    answer = await tab.page.evaluate(
        """fetch("/api").then(async answer =>
            [answer.status, await answer.text(), ...["x-mock", "content-type"].map(h => answer.headers.get(h))])"""
    )
    assert answer == [418, "plain", "1", "text/plain; charset=utf-8"]
    newest = await tab.data("route", action="mock", url="*/api*", body={"items": [1, "ä"]})
    assert await tab.page.evaluate("fetch('/api').then(a => a.json())") == {"items": [1, "ä"]}
    await tab("route", action="remove", id=newest["done"].split(":")[0])
    assert await fetch(tab, "/api") == "plain"


async def test_mocks_answer_pages_of_other_origins_with_their_preflights(tab: Tab, site: Site) -> None:
    await tab("route", action="mock", url="https://api.invalid/*", body={"mocked": True})
    answer = await tab.page.evaluate(
        """fetch("https://api.invalid/v1", {method: "PUT", credentials: "include", headers: {"X-Key": "1"}, body: "{}"})
            .then(answer => answer.json()).catch(error => String(error))"""
    )
    assert answer == {"mocked": True}


async def test_routes_hold_in_frames_of_other_processes_also_in_those_that_come(tab: Tab, site: Site) -> None:
    await tab("route", action="mock", url="*/api*", body="mocked")
    await tab("navigate", url=site.url("/frames"))
    assert (await whole(tab, "*localhost*/api?inner"))["response_body"]["text"] == "mocked"


async def test_a_mock_that_the_browser_cannot_give_fails_the_request(tab: Tab) -> None:
    await tab("route", action="mock", url="*/api*", headers={"Bad Name\r\n": "x"})
    with trio.fail_after(30):
        assert await fetch(tab, "/api") == "failed"
