"""Raw CDP at `full` on one granted site A, in a real browser: B is a frame of the same process, C of another site."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio

from kapture.cdp.rules import cdp_rules
from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.granted_tab import THROUGH, Granted, ThreeSites, Through, granted, three_sites
from tests.support.stack import hub_process, launch_process, mcp_client

pytestmark = pytest.mark.e2e

SECRET = "the-words-of-another-site"


@pytest.fixture(scope="module")
def sites() -> Iterator[ThreeSites]:
    with three_sites() as made:
        yield made


async def raw(tab: Granted, method: str, **params: Any) -> tuple[bool, str]:
    """Whether a CDP command passed, and everything that the client was told."""
    result = await tab.client.call_tool("kapturemcp_cdp", {"tabId": tab.tab, "method": method, "params": params})
    return not result.is_error, result.model_dump_json()


async def test_b_shares_the_process_of_a_and_c_does_not(browser: int, sites: ThreeSites) -> None:
    """Foundations of the other tests."""
    async with open_tab(browser, sites.a.url("/")) as tab:
        with trio.fail_after(30):
            while len(frames := {urlsplit(frame.url).port: frame for frame in tab.page.frames.all()}) < 3:
                await tab.page.frames.changed.wait()
        a, b, c = (frames[site.port].session for site in (sites.a, sites.b, sites.c))
        assert b is a
        assert c is not a


ATTACKS: list[tuple[str, dict[str, Any]]] = [
    ("DOM.getDocument", {"depth": -1, "pierce": True}),
    ("DOM.getFlattenedDocument", {"depth": -1, "pierce": True}),
    ("DOM.performSearch", {"query": "secret", "includeUserAgentShadowDOM": True}),
    ("DOMSnapshot.captureSnapshot", {"computedStyles": []}),
    ("Accessibility.getFullAXTree", {}),
    ("Page.captureSnapshot", {}),
    ("Page.captureScreenshot", {}),
    ("Page.printToPDF", {}),
    ("Page.getResourceTree", {}),
    ("Page.getFrameTree", {}),
    ("Network.getCookies", {}),
    ("Network.getAllCookies", {}),
    ("Storage.getCookies", {}),
    ("Network.setExtraHTTPHeaders", {"headers": {"X-Attack": "1"}}),
    ("Page.reload", {"scriptToEvaluateOnLoad": "alert(1)"}),
    ("Page.addScriptToEvaluateOnNewDocument", {"source": "alert(1)"}),
    ("Fetch.enable", {}),
    ("Debugger.enable", {}),
    ("Input.dispatchMouseEvent", {"type": "mousePressed", "x": 50, "y": 100, "button": "left", "clickCount": 1}),
    ("DOM.setFileInputFiles", {"files": ["/etc/hostname"], "backendNodeId": 1}),
    ("Input.dispatchDragEvent", {"type": "drop", "x": 1, "y": 1, "data": {"items": [], "dragOperationsMask": 1}}),
    ("Nonsense.method", {}),
]


@pytest.mark.parametrize("through", THROUGH)
async def test_raw_commands_reach_the_granted_document_only(
    tmp_path: Path, sites: ThreeSites, through: Through
) -> None:
    async with granted(tmp_path, sites.granted, "full", through) as tab:
        await tab.call("wait_for", selector="input")  # after which the document has its frames
        passed, answer = await raw(tab, "Runtime.evaluate", expression="document.title", returnByValue=True)
        assert passed
        assert "mine" in answer
        assert (await raw(tab, "Page.getLayoutMetrics"))[0]
        for method, params in ATTACKS:
            passed, answer = await raw(tab, method, **params)
            assert not passed, method
            assert "POLICY_DENIED" in answer, method
            assert SECRET not in answer, method
        # Execution contexts of the frame in the same process are numbered like any other.
        for number in range(1, 12):
            _, answer = await raw(tab, "Runtime.evaluate", expression="window.secret + ''", contextId=number)
            assert SECRET not in answer
        # What the granted document holds of the others' windows tells as little as its own scripts learn.
        function = "function () { return this.secret + '' }"
        for index in (0, 1):
            _, answer = await raw(tab, "Runtime.evaluate", expression=f"frames[{index}]")
            window = re.search(r"-?\d+\.\d+\.\d+", answer)
            assert window is not None
            for method, params in (
                ("Runtime.getProperties", {"ownProperties": False}),
                ("Runtime.callFunctionOn", {"functionDeclaration": function}),
            ):
                _, answer = await raw(tab, method, objectId=window[0], **params)
                assert SECRET not in answer, method


async def test_no_grant_lets_raw_commands_give_local_files_to_a_page(tmp_path: Path, sites: ThreeSites) -> None:
    arguments = ["--sites", "*", "--level", "full"]
    with hub_process(tmp_path / "home") as hub, launch_process(hub, [sites.a.url("/")], arguments) as launched:
        async with mcp_client(hub, "--toolsets", "core,raw") as client:
            tab = Granted(client, launched.rows[0]["tabId"], hub)
            await tab.call("wait_for", selector="input")
            passed, _ = await raw(tab, "DOM.getDocument")
            assert passed, "the grant is of any site"
            _, answer = await raw(tab, "Runtime.evaluate", expression="document.querySelector('input')")
            field = re.search(r"-?\d+\.\d+\.\d+", answer)
            assert field is not None
            secret = str(hub.home / "hub.json")
            dropped = {"items": [], "files": [secret], "dragOperationsMask": 1}
            for method, params in (
                ("DOM.setFileInputFiles", {"files": [secret], "objectId": field[0]}),
                ("Input.dispatchDragEvent", {"type": "drop", "x": 1, "y": 1, "data": dropped}),
            ):
                passed, answer = await raw(tab, method, **params)
                assert not passed, method
                assert "POLICY_DENIED" in answer, method
            assert "0" in await tab.call("evaluate", code="document.querySelector('input').files.length")


EVENTS = [
    "Network.requestWillBeSent",
    "Network.requestWillBeSentExtraInfo",
    "Network.responseReceived",
    "Network.responseReceivedExtraInfo",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Runtime.consoleAPICalled",
    "Runtime.executionContextCreated",
    "Log.entryAdded",
    "Page.frameNavigated",
]


@pytest.mark.parametrize("through", THROUGH)
async def test_raw_events_tell_of_the_granted_document_only(
    tmp_path: Path, sites: ThreeSites, through: Through
) -> None:
    async with granted(tmp_path, sites.granted, "full", through) as tab:
        refused = await tab.refusal("cdp_events", action="subscribe", events=["Fetch.requestPaused"])
        assert ErrorCode.POLICY_DENIED in refused
        await tab.call("cdp_events", action="subscribe", events=EVENTS)
        await tab.call("navigate", url=sites.a.url("/"))
        await tab.call("evaluate", code="console.log('of A'); fetch('/own').then(() => 1)")
        before = len(sites.b.requests)
        with trio.fail_after(30):
            while len(sites.b.requests) < before + 3:
                await tab.call("evaluate", code="await fetch('/own').then((got) => got.text())")
        answer = await tab.call("cdp_events", max=1_000)
        assert "of A" in answer
        assert "/own" in answer
        assert SECRET not in answer
        assert f":{sites.b.port}" not in answer


def test_every_method_and_event_of_a_domain_that_passes_has_an_entry(browser: int) -> None:
    """A new Chromium may bring methods that nobody has judged."""
    with urllib.request.urlopen(f"http://127.0.0.1:{browser}/json/protocol") as answer:
        domains = json.load(answer)["domains"]
    rules = cdp_rules()
    passing = {
        name.partition(".")[0]
        for table in (rules.methods, rules.events)
        for name, rule in table.items()
        if rule.named != "no"
    }
    assert {"Runtime", "Network", "Page", "DOM"} <= passing
    known = {*rules.methods, *rules.events}
    missing = [
        f"{domain['domain']}.{one['name']}"
        for domain in domains
        if domain["domain"] in passing
        for one in (*domain.get("commands", ()), *domain.get("events", ()))
        if f"{domain['domain']}.{one['name']}" not in known
    ]
    assert missing == []
