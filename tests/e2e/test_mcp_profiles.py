"""Each profile through hub, extension and Chromium, along the examples of its specification."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import toons
import trio
from mcp import Client
from mcp_types import CallToolResult

from tests.support.forked import fork_kapture
from tests.support.site import Site, serving
from tests.support.stack import HubProcess, browser_process, images_of, mcp_client, text_of

pytestmark = pytest.mark.e2e

LOGIN = """<!doctype html><title>Login - Example App</title><h1>Welcome back</h1>
<form onsubmit="event.preventDefault(); document.title = 'Signed in as ' + this.email.value">
<label>Email <input name=email></label><label>Password <input type=password name=password></label>
<label><input type=checkbox name=remember> Remember me</label>
<select aria-label=Plan name=plan><option value=free>Free</option><option value=pro>Pro</option></select>
<button>Sign in</button></form>
<p id=late></p><a href="/next">Next page</a> <a href="https://example.com/away">Away</a>
<script>console.error("Uncaught TypeError"); console.warn("Deprecation warning")
document.querySelector('[type=checkbox]').onchange = () => setTimeout(() => late.textContent = 'Remembered', 50)
</script>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/login": LOGIN, "/next": "<title>Next</title><h1>The next page</h1><p>Some words."}) as running:
        yield running


@pytest.fixture(scope="module")
def tab(hub: HubProcess) -> Iterator[str]:
    with browser_process(hub) as rows:
        yield rows[0]["tabId"]


async def answer(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a call that must succeed, without its fence."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return unfenced(result)


def unfenced(result: CallToolResult) -> str:
    lines = text_of(result).splitlines()
    return "\n".join(line for line in lines if not line.startswith(("<page-content ", "</page-content ")))


async def test_the_minimal_profile(hub: HubProcess, tab: str, site: Site) -> None:
    async with mcp_client(hub, "--profile", "minimal") as client:
        assert toons.loads(await answer(client, "navigate", url=site.url("/login"))) == {
            "url": site.url("/login"),
            "title": "Login - Example App",
        }
        page = toons.loads(await answer(client, "snapshot"))
        assert page["url"] == site.url("/login")
        assert page["title"] == "Login - Example App"
        elements = {(element["role"], element["name"]): element for element in page["elements"]}
        assert ("heading", "Welcome back") in elements
        email = elements["textbox", "Email"]["ref"]
        assert "success: true" in await answer(
            client, "interact", action="type", element={"ref": email}, text="a@b.example"
        )
        await answer(client, "interact", action="hover", element={"css": "button"})
        await answer(client, "interact", action="select", element={"role": "combobox", "name": "Plan"}, value="pro")
        acted = await answer(
            client, "interact", action="click", element={"role": "checkbox", "name": "Remember me"}, snapshot=True
        )
        success, _, rest = acted.partition("\n")
        assert success == "success: true"
        after = toons.loads(rest[rest.index("url: ") :])
        states = {element["name"]: str(element["states"]) for element in after["elements"]}
        assert "checked" in states["Remember me"]
        await answer(client, "interact", action="click", element={"ref": email})
        await answer(client, "interact", action="press", key="Enter")
        assert toons.loads(await answer(client, "snapshot"))["title"] == "Signed in as a@b.example"
        logs = toons.loads(await answer(client, "console"))["logs"]
        assert {(entry["level"], entry["text"]) for entry in logs} >= {
            ("error", "Uncaught TypeError"),
            ("warn", "Deprecation warning"),
        }
        assert all(entry["ts"] > 1_700_000_000 for entry in logs)
        ambiguous = await client.call_tool("interact", {"action": "click", "element": {"css": "input"}})
        missing = await client.call_tool("interact", {"action": "click", "element": {"ref": "e999"}})
        refused = await client.call_tool("navigate", {"url": "http://127.0.0.1:1/"})
    codes = [toons.loads(unfenced(error))["error"]["code"] for error in (ambiguous, missing, refused)]
    assert codes == ["ELEMENT_AMBIGUOUS", "ELEMENT_NOT_FOUND", "NAVIGATION_FAILED"]


DIALOGS: dict[str, tuple[str, str, dict[str, Any], str, dict[str, Any]]] = {
    "minimal": (
        *("navigate", "interact", {"action": "click", "element": {"css": "button"}}),
        *("interact", {"action": "accept_dialog", "text": "Ada"}),
    ),
    "chrome": ("navigate", "click", {"selector": "button"}, "handle_dialog", {"promptText": "Ada"}),
    "browser": ("browser_navigate", "browser_click", {"selector": "button"}, "browser_handle_dialog", {"text": "Ada"}),
}


@pytest.mark.parametrize("profile", DIALOGS)
async def test_a_dialog_is_answered_in_every_profile(hub: HubProcess, tab: str, site: Site, profile: str) -> None:
    navigate, click, target, handle, given = DIALOGS[profile]
    site.pages["/ask"] = "<button onclick=\"document.title = prompt('Name?')\">Ask</button>"
    async with mcp_client(hub, "--profile", profile) as client:
        await client.call_tool(navigate, {"url": site.url("/ask")})
        assert not (await client.call_tool(click, target)).is_error
        blocked = await client.call_tool(click, target)
        assert "DIALOG_OPEN" in text_of(blocked)
        assert handle in text_of(blocked)
        assert not (await client.call_tool(handle, given)).is_error
    async with mcp_client(hub, "--toolsets", "all") as client:
        # Of a page that is busy the hub reports the title it last knew.
        await answer(client, "kapturemcp_wait_for_function", tabId=tab, code="document.title === 'Ada'")


async def test_the_chrome_profile(hub: HubProcess, tab: str, site: Site) -> None:
    async with mcp_client(hub, "--profile", "chrome") as client:
        (row,) = json.loads(await answer(client, "tabs_list"))
        assert (row["tabId"], row["index"]) == (tab, 0)
        selected = json.loads(await answer(client, "tab_select", tabId=tab))
        assert (selected["tabId"], selected["active"]) == (tab, True)
        arrived = json.loads(await answer(client, "navigate", url=site.url("/login"), waitUntil="load"))
        assert arrived == {"url": site.url("/login"), "title": "Login - Example App", "httpStatus": 200}

        assert json.loads(await answer(client, "type", selector="[name=email]", text="x", clear=True)) == {"ok": True}
        await answer(client, "type", selector="[name=password]", text="secret", keyEvents=True)
        await answer(client, "click", selector="[name=remember]", button="left", clickCount=1)
        waited = json.loads(await answer(client, "wait_for", textContains="Remembered", timeoutMs=30_000))
        assert waited["matched"] is True
        await answer(client, "hover", selector="button")
        await answer(client, "scroll", deltaY=50)
        await answer(client, "press", key="a", modifiers=["Shift"])
        assert "Welcome back" in json.loads(await answer(client, "get_text"))["text"]
        assert json.loads(await answer(client, "get_text", selector="h1"))["text"] == "Welcome back"
        html = json.loads(await answer(client, "get_html", selector="h1", outer=True))["html"]
        assert html == "<h1>Welcome back</h1>"
        links = json.loads(await answer(client, "extract_links", sameOriginOnly=True))["links"]
        assert [(link["href"], link["text"]) for link in links] == [(site.url("/next"), "Next page")]
        assert "# Welcome back" in await answer(client, "read_as_markdown")
        filled = json.loads(
            await answer(
                client,
                "fill_form",
                fields={"[name=email]": "c@d.example", "[name=remember]": False},
                submitSelector="button",
            )
        )
        assert filled == {"filled": 2, "submitted": True}
        evaluated = json.loads(await answer(client, "eval", expression="document.title"))
        assert evaluated == {"ok": True, "value": "Signed in as c@d.example", "type": "string"}
        picture = await client.call_tool("screenshot", {"fullPage": True})
        assert json.loads(unfenced(picture))["truncated"] is False
        assert [image.mime_type for image in images_of(picture)] == ["image/png"]

        await answer(client, "navigate", url=site.url("/next"))
        assert json.loads(await answer(client, "back"))["url"] == site.url("/login")
        assert json.loads(await answer(client, "forward"))["url"] == site.url("/next")
        assert json.loads(await answer(client, "reload", waitUntil="domcontentloaded"))["title"] == "Next"

        opened = json.loads(await answer(client, "tab_new", url=site.url("/login")))
        assert opened["tabId"] != tab
        assert "Welcome back" in json.loads(await answer(client, "get_text"))["text"]
        closed = json.loads(await answer(client, "tab_close", tabId=opened["tabId"]))
        assert closed == {"closed": True, "tabId": opened["tabId"]}
        gone = await client.call_tool("get_text", {})
        assert text_of(gone).startswith("EXTENSION_DISCONNECTED: ")
        assert json.loads(await answer(client, "chrome_status"))["extensionConnected"]
        both = await client.call_tool("click", {"selector": "a", "ref": "e1"})
        assert text_of(both).startswith("INVALID_PARAMS: ")


async def test_the_browser_profile(hub: HubProcess, tab: str, site: Site) -> None:
    async with mcp_client(hub, "--profile", "browser") as client:
        assert json.loads(await answer(client, "browser_status")) == {"connected": True, "tabs": 1}
        (row,) = json.loads(await answer(client, "browser_list_tabs"))
        assert row["tabId"] == tab
        arrived = json.loads(await answer(client, "browser_navigate", tabId=tab, url=site.url("/login")))
        assert arrived["title"] == "Login - Example App"
        await answer(client, "browser_type", tabId=tab, selector="[name=email]", text="e@f.example")
        await answer(client, "browser_click", tabId=tab, selector="button")
        assert json.loads(await answer(client, "browser_evaluate", tabId=tab, expression="document.title")) == (
            "Signed in as e@f.example"
        )
        assert "Welcome back" in await answer(client, "browser_get_content", tabId=tab)
        assert await answer(client, "browser_get_content", tabId=tab, selector="h1") == "Welcome back"
        assert len(images_of(await client.call_tool("browser_screenshot", {}))) == 1
        opened = json.loads(await answer(client, "browser_new_tab", url=site.url("/next")))
        assert "The next page" in await answer(client, "browser_get_content")
    assert await trio.to_thread.run_sync(fork_kapture(["release", opened["tabId"]], hub.environment).wait, 60) == 0
    async with mcp_client(hub, "--toolsets", "all") as client:
        await answer(client, "kapturemcp_tab_close", tabId=opened["tabId"])
