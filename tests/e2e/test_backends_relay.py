"""`--relay`: browsers behind a relay extension, through the `browser` profile as its specification has it."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from trio_websocket import ConnectionRejected, open_websocket_url

from tests.support.attached import attach
from tests.support.direct import devtools_port
from tests.support.framing_extension import WORDS, framing_extension
from tests.support.patience import until
from tests.support.relay import relay_browser
from tests.support.site import serving
from tests.support.stack import call, free_port, hub_process, images_of, mcp_client, refusal, text_of

pytestmark = pytest.mark.e2e

EXTENSION = "chrome-extension://" + "a" * 32
PAGE = "<title>Relayed</title><input id=field><button id=go onclick=\"document.title='clicked'\">Go</button>"


async def answer(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return unmarked(result)


def unmarked(result: types.CallToolResult) -> str:
    return "\n".join(line for line in text_of(result).splitlines() if "page-content" not in line)


async def rows(client: Client) -> list[dict[str, Any]]:
    listed = await client.call_tool("browser_list_tabs", {})
    found: list[dict[str, Any]] = [] if listed.is_error else json.loads(unmarked(listed))  # an error: no browser yet
    return found


async def tab_at(client: Client, url: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        return next((row for row in await rows(client) if row["url"] == url), None)

    return await until(look, f"the tab at {url}")


async def test_the_nine_tools_work_on_a_tab_behind_a_relay(tmp_path: Path) -> None:
    with (
        serving({"/": PAGE, "/next": "<title>Next</title>", "/window": "<h1>In a window</h1>"}) as site,
        hub_process(tmp_path / "home", arguments=["--relay"]) as hub,
    ):
        async with (
            mcp_client(hub, "--profile", "browser") as client,
            relay_browser(tmp_path, hub.port, site.url()),
        ):
            tab = await tab_at(client, site.url())
            assert tab["attached"] is False
            number = tab["tabId"]
            assert isinstance(number, int)
            assert json.loads(await answer(client, "browser_status"))["connected"] is True
            await answer(client, "browser_type", tabId=number, selector="#field", text="words")
            assert (await tab_at(client, site.url()))["attached"] is True
            await answer(client, "browser_click", tabId=number, selector="#go")
            code = "document.title + ' ' + document.querySelector('#field').value"
            assert "clicked words" in await answer(client, "browser_evaluate", tabId=number, expression=code)
            assert "Go" in await answer(client, "browser_get_content", tabId=number)
            assert "<button" in await answer(client, "browser_get_content", tabId=number, format="html")
            pictures = images_of(await client.call_tool("browser_screenshot", {"tabId": number}))
            assert [picture.mime_type for picture in pictures] == ["image/png"]
            navigated = json.loads(await answer(client, "browser_navigate", tabId=number, url=site.url("/next")))
            assert navigated["title"] == "Next"
            opened = json.loads(await answer(client, "browser_new_tab", url=site.url()))
            assert opened["tabId"] != tab["tabId"]
            assert opened["tabId"] in [row["tabId"] for row in await rows(client)]
            # An empty tab that the extension opens has no rights of the extension.
            empty = json.loads(await answer(client, "browser_new_tab", url="about:blank"))["tabId"]
            who = "`${origin} ${typeof chrome?.runtime}`"
            assert "null undefined" in await answer(client, "browser_evaluate", tabId=empty, expression=who)
            # So has one that a tab is navigated to: the page goes there, not the extension.
            await answer(client, "browser_navigate", tabId=number, url="about:blank")
            itself = f"{site.url().rstrip('/')} undefined"
            assert itself in await answer(client, "browser_evaluate", tabId=number, expression=who)
            # A window that a page opens is a tab like any other.
            expression = f"open({json.dumps(site.url('/window'))}).closed"
            assert "false" in await answer(client, "browser_evaluate", tabId=opened["tabId"], expression=expression)
            window = (await tab_at(client, site.url("/window")))["tabId"]
            assert "In a window" in await answer(client, "browser_get_content", tabId=window)


async def test_two_relay_browsers_are_told_apart(tmp_path: Path) -> None:
    with (
        serving({"/one": "<title>One</title>", "/two": "<title>Two</title>"}) as site,
        hub_process(tmp_path / "home", arguments=["--relay"]) as hub,
    ):
        async with (
            mcp_client(hub, "--profile", "browser") as client,
            relay_browser(tmp_path / "first", hub.port, site.url("/one")),
            relay_browser(tmp_path / "second", hub.port, site.url("/two")),
        ):
            for path, title in (("/one", "One"), ("/two", "Two")):
                tab = (await tab_at(client, site.url(path)))["tabId"]
                expression = "document.title"
                assert title in await answer(client, "browser_evaluate", tabId=tab, expression=expression)


async def test_a_frame_of_another_extension_is_left_out_over_attach_and_closes_the_page_to_a_relay(
    tmp_path: Path,
) -> None:
    framer = framing_extension(tmp_path / "framer")
    with (
        serving({"/": "<title>First</title>", "/framed": "<h1>With a frame</h1>", "/next": "<h1>Next</h1>"}) as site,
        hub_process(tmp_path / "home", arguments=["--relay"]) as hub,
    ):
        port = "--remote-debugging-port=0"
        async with (
            mcp_client(hub, "--structured") as client,
            relay_browser(tmp_path, hub.port, site.url(), [framer], [port]) as browser,
        ):
            with attach(hub, f"http://127.0.0.1:{await devtools_port(browser.profile)}") as attached:
                over_attach = next(row["tabId"] for row in attached.rows if row["url"] == site.url())

                async def other() -> str | None:
                    listed = await client.call_tool("kapturemcp_list_tabs", {})
                    assert listed.structured_content is not None
                    at_site = [row["tabId"] for row in listed.structured_content["tabs"] if row["url"] == site.url()]
                    return next((tab_id for tab_id in at_site if tab_id != over_attach), None)

                over_relay = await until(other, "the tab over the relay")
                await call(client, "navigate", tabId=over_attach, url=site.url("/framed"))

                async def framed() -> str | None:
                    seen = await call(client, "snapshot", tabId=over_attach)
                    return seen if "iframe (not granted: chrome-extension:" in seen else None

                seen = await until(framed, "the frame")
                assert "With a frame" in seen
                assert WORDS not in seen
                refused = await refusal(client, "snapshot", tabId=over_relay)
                assert refused.startswith("DETACHED: Another extension has put a frame into this page")
                await call(client, "navigate", tabId=over_relay, url=site.url("/next"))
                assert "Next" in await call(client, "snapshot", tabId=over_relay)


async def test_a_frame_in_another_process_is_left_out_of_what_is_read_over_a_relay(tmp_path: Path) -> None:
    pages = {"/": "<title>First</title>", "/other": "<p>Elsewhere</p><a href=/far>Far</a><table><tr><td>1</table>"}
    with serving(pages) as site, hub_process(tmp_path / "home", arguments=["--relay"]) as hub:
        site.pages["/framed"] = (
            f"<title>Framed</title><h1>Around</h1><a href=/near>Near</a>"
            f'<table><tr><th>Name<tr><td>Ada</table><iframe src="{site.url("/other", "localhost")}"></iframe><p>Below'
        )
        async with (
            mcp_client(hub, "--structured", "--toolsets", "all") as client,
            relay_browser(tmp_path, hub.port, site.url()),
        ):
            tab = partial(call, client)

            async def there() -> bool:
                listed = await client.call_tool("kapturemcp_list_tabs", {})
                assert listed.structured_content is not None
                return any(row["url"] == site.url() for row in listed.structured_content["tabs"])

            await until(there, "the tab")
            await tab("navigate", url=site.url("/framed"))

            async def marked() -> bool:
                return "iframe (out of reach)" in await tab("snapshot")

            await until(marked, "the frame is in another process")
            text = await tab("get_text")
            assert "Around" in text
            assert "[frame f1: out of reach]" in text
            assert "Below" in text
            assert "[frame f1: out of reach]" in await tab("read_as_markdown", whole_page=True)
            assert "[frame f1: out of reach]" in await tab("get_html")
            assert "Near" in await tab("find", text="Near")
            assert "near" in await tab("extract_links")
            assert "Ada" in await tab("table")
            assert "Around" in await tab("wait_for", text="Around")
            for labels in (False, True):
                pictures = images_of(await client.call_tool("kapturemcp_screenshot", {"labels": labels}))
                assert len(pictures) == 1
            refused = await refusal(client, "get_text", target={"css": "p", "frame": "f1"})
            assert refused.startswith("DETACHED: Frame f1 is in another process")


def config(port: int, **headers: str) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/browser-relay/config", headers=headers)
    try:
        with urllib.request.urlopen(request) as response:
            status: int = response.status
            return status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("own_port", [False, True])
async def test_the_relays_token_opens_the_relay_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_port: bool
) -> None:
    token = "a-token-for-the-relay-alone"
    monkeypatch.setenv("RELAY_TOKEN", token)
    if own_port:
        monkeypatch.setenv("RELAY_PORT", str(free_port()))
    with hub_process(tmp_path / "home", arguments=["--relay"]) as hub:
        port = int(os.environ.get("RELAY_PORT", hub.port))
        base = f"ws://127.0.0.1:{port}"
        for url in (f"{base}/ws/browser-relay", f"{base}/ws/browser-relay?token=wrong"):
            with pytest.raises(ConnectionRejected):
                async with open_websocket_url(url):
                    pass
        async with open_websocket_url(f"{base}/ws/browser-relay?token={token}") as socket:
            assert json.loads(await socket.get_message())["method"] == "tabs.list"
        with pytest.raises(ConnectionRejected):
            async with open_websocket_url(f"{base}/", extra_headers=[(b"Authorization", f"Bearer {token}".encode())]):
                pass
        assert token not in (hub.home / "hub.log").read_text()
        assert config(port, Origin=EXTENSION) == 200
        assert config(port) == 403
        assert config(port, Origin="https://evil.example") == 403
        assert config(hub.port, Origin=EXTENSION) == (404 if own_port else 200)
