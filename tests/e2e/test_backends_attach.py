"""`kapture attach`: the tabs of a Chromium that somebody else has started, over a network that fails."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
import trio
from mcp import Client

from tests.support.attached import attach
from tests.support.certificate import make_certificate
from tests.support.direct import close
from tests.support.fault_proxy import fault_proxy
from tests.support.forked import run_kapture
from tests.support.patience import NEVER, until
from tests.support.site import serving
from tests.support.stack import HubProcess, call, mcp_client, refusal, text_of
from tests.support.tls_proxy import tls_proxy

pytestmark = pytest.mark.e2e


def ask(port: int, path: str, method: str = "GET") -> Any:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/json/{path}", method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def pages(port: int) -> set[str]:
    return {target["id"] for target in ask(port, "list") if target["type"] == "page"}


def attach_fails(hub: HubProcess, *arguments: str) -> str:
    done = run_kapture(["attach", *arguments], hub.environment)
    assert done.returncode != 0
    return done.stderr.decode()


@pytest.fixture
async def page(browser: int) -> AsyncIterator[str]:
    """A page of that browser, opened by somebody else and loaded: a button. Nothing else is open then."""
    with serving({"/": "<title>theirs</title><button onclick=\"document.title='clicked'\">Go</button>"}) as site:
        target = ask(browser, f"new?{site.url()}", "PUT")

        async def loaded() -> bool:
            return any(one["id"] == target["id"] and one["title"] == "theirs" for one in ask(browser, "list"))

        async def alone() -> bool:
            others = pages(browser) - {target["id"]}
            for other in others:
                with suppress(HTTPError):  # it has gone meanwhile
                    await close(browser, other)
            return not others

        await until(loaded, "the page")
        await until(alone, "the end of what earlier tests have opened")
        yield site.url()


def tab_of(rows: Sequence[dict[str, Any]], url: str) -> str:
    return next(str(row["tabId"]) for row in rows if row["url"] == url)


async def is_clicked(client: Client, tab: str) -> None:
    """Wait until the button has been pressed: of a page that is busy the hub reports the title it last knew."""

    async def clicked() -> bool:
        return "clicked" in await call(client, "tab_info", tabId=tab)

    await until(clicked, "the click")


async def tab_ids(client: Client) -> set[str]:
    result = await client.call_tool("kapturemcp_list_tabs", {})
    assert result.structured_content is not None
    return {row["tabId"] for row in result.structured_content["tabs"]}


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_the_pages_of_a_browser_that_somebody_started_become_tabs(
    hub: HubProcess, browser: int, page: str, scheme: str
) -> None:
    endpoint = f"http://127.0.0.1:{browser}" if scheme == "http" else ask(browser, "version")["webSocketDebuggerUrl"]
    with attach(hub, endpoint) as attached:
        tab = tab_of(attached.rows, page)
        async with mcp_client(hub) as client:
            assert 'button "Go"' in await call(client, "snapshot", tabId=tab)
            await call(client, "click", tabId=tab, target={"role": "button", "name": "Go"})
            await is_clicked(client, tab)


async def test_tabs_not_opened_by_kapture_are_never_closed(hub: HubProcess, browser: int, page: str) -> None:
    before = pages(browser)
    with attach(hub, f"http://127.0.0.1:{browser}") as attached:
        tab = tab_of(attached.rows, page)
        async with mcp_client(hub, "--structured") as client:
            assert "UNSUPPORTED" in await refusal(client, "tab_close", tabId=tab)
            opened = await client.call_tool("kapturemcp_tab_new", {"tabId": tab, "url": page})
            assert opened.structured_content is not None, text_of(opened)
            await call(client, "tab_close", tabId=opened.structured_content["tabId"])
            await call(client, "tab_new", tabId=tab, url="about:blank")
    assert before <= pages(browser)


async def test_a_dropped_connection_comes_back_and_its_tabs_keep_their_ids(
    hub: HubProcess, browser: int, page: str
) -> None:
    ask(browser, "new?about:blank", "PUT")
    with fault_proxy(browser) as proxy, attach(hub, f"http://127.0.0.1:{proxy.port}") as attached:
        tab = tab_of(attached.rows, page)
        known = {row["tabId"] for row in attached.rows}
        assert len(known) == 2
        async with mcp_client(hub, "--structured") as client:
            for refusals in (0, 2):
                proxy.refusing = refusals > 0
                enough = proxy.accepted + refusals
                proxy.drop_all()

                async def refused(enough: int = enough) -> bool:
                    return proxy.accepted >= enough

                async def back() -> bool:
                    return known <= await tab_ids(client)

                async def answers() -> bool:
                    result = await client.call_tool("kapturemcp_snapshot", {"tabId": tab})
                    return not result.is_error and 'button "Go"' in text_of(result)

                await until(refused, "the attempts that are refused")
                proxy.refusing = False
                await until(answers, "the tab")  # the hub may not have seen yet that the connection was dropped
                await until(back, "the other tabs")


async def test_a_command_that_runs_when_the_connection_drops_fails_once_and_is_not_repeated(
    hub: HubProcess, browser: int, page: str
) -> None:
    with fault_proxy(browser) as proxy, attach(hub, f"http://127.0.0.1:{proxy.port}", ["--level", "full"]) as attached:
        tab = tab_of(attached.rows, page)
        async with mcp_client(hub) as client, trio.open_nursery() as nursery:
            script = f"window.ran = (window.ran ?? 0) + 1; document.title = 'ran'; {NEVER}"
            errors: list[str] = []

            async def run() -> None:
                errors.append(await refusal(client, "evaluate", tabId=tab, code=script))

            async def running() -> bool:
                return any(target["title"] == "ran" for target in ask(browser, "list"))

            async def failed() -> bool:
                return bool(errors)

            async def ran_once() -> bool:
                result = await client.call_tool("kapturemcp_evaluate", {"tabId": tab, "code": "'ran is ' + window.ran"})
                return "ran is 1" in str(result)

            nursery.start_soon(run)
            await until(running, "the command")
            proxy.drop_all()
            await until(failed, "the command's failure")
            await until(ran_once, "the tab")
            assert errors[0].startswith("TAB_DISCONNECTED")


async def test_a_browser_that_somebody_started_goes_on_when_the_command_is_killed(
    hub: HubProcess, browser: int, page: str
) -> None:
    before = pages(browser)
    async with mcp_client(hub, "--structured") as client:
        with attach(hub, f"http://127.0.0.1:{browser}") as attached:
            tab = tab_of(attached.rows, page)
            attached.process.kill()

            async def gone() -> bool:
                return tab not in await tab_ids(client)

            await until(gone, "the end of its tabs")
        with attach(hub, f"http://127.0.0.1:{browser}") as again:
            assert 'button "Go"' in await call(client, "snapshot", tabId=tab_of(again.rows, page))
    assert pages(browser) == before


@pytest.mark.parametrize("scheme", ["https", "wss"])
async def test_a_browser_behind_tls_is_attached_to_when_its_certificate_is_trusted(
    hub: HubProcess, browser: int, page: str, scheme: str, tmp_path: Path
) -> None:
    certificate = make_certificate(tmp_path)
    with tls_proxy(browser, certificate.server) as port:
        path = urlsplit(ask(browser, "version")["webSocketDebuggerUrl"]).path if scheme == "wss" else ""
        endpoint = f"{scheme}://localhost:{port}{path}"
        words = attach_fails(hub, endpoint)
        assert "its certificate is not trusted" in words
        assert "--ca-file" in words
        with attach(hub, endpoint, ["--ca-file", str(certificate.file)]) as attached:
            tab = tab_of(attached.rows, page)
            async with mcp_client(hub) as client:
                await call(client, "click", tabId=tab, target={"role": "button", "name": "Go"})
                await is_clicked(client, tab)


def test_headers_and_token_reach_the_endpoint_and_are_not_shown(hub: HubProcess, browser: int, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cr3t-of-the-grid\n")
    seen: list[str] = []
    with serving({"/json/version": "not json"}) as site:
        command = [sys.executable, "-m", "kapture", "attach"]  # as a program, once
        given = ["--token-file", str(token), "--header", "X-Team: blue", site.url("")]
        done = subprocess.run([*command, *given], env=hub.environment, capture_output=True, text=True, timeout=60)
        seen = site.requests
    words = done.stderr
    assert done.returncode != 0
    assert seen == ["/json/version"]
    assert "Could not attach to a browser" in words
    assert "s3cr3t" not in words
    assert "s3cr3t" not in (hub.home / "hub.log").read_text()


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ("http://127.0.0.1:1", "Could not attach to a browser at http://127.0.0.1:1"),
        ("file:///etc/passwd", "not the address of a browser endpoint"),
        ("ws://127.0.0.1:1/?token={token}", "needs a token"),
    ],
)
def test_an_endpoint_that_cannot_be_attached_to_says_why(hub: HubProcess, endpoint: str, words: str) -> None:
    assert words in attach_fails(hub, endpoint)
