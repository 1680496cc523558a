"""Typed passwords appear nowhere in the tab's requests, in a real browser."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator

import pytest
import trio

from tests.support.context import Tab, open_tab
from tests.support.network_pages import ended
from tests.support.site import NO_ICON, Page, Site, serving

pytestmark = pytest.mark.e2e

PASSWORD = 'pä$$ "w0rd"/x'
FORM = (
    f"{NO_ICON}<form id=f action=/next method=post enctype=text/plain>"
    "<input id=p name=a type=password><input type=submit id=go></form>"
    "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<input id=q type=password>'</script>"
)
SENDING = """(() => {
  const p = document.querySelector("#p").value;
  const post = (path, body, headers) => fetch(path, {method: "POST", body, headers});
  navigator.sendBeacon("/beacon", p);
  const parts = new FormData();
  parts.append("x", p);
  const url = "ws" + location.origin.slice(4) + "/socket?" + encodeURIComponent(p);
  new WebSocket(url);
  console.log("typed " + p);
  return Promise.all([
    post("/text", "line\\n" + p), post("/xml", "<p>" + p.replaceAll('"', "&quot;") + "</p>"), post("/parts", parts),
    post("/pairs", JSON.stringify([{name: "x", value: p}])), post("/form", new URLSearchParams({x: p})),
    fetch("/url?x=" + encodeURIComponent(p)), post("/partly", p.slice(0, 8)),
    fetch("/header", {headers: {"X-Check": encodeURIComponent(p)}}),
    post("/base64", btoa(unescape(encodeURIComponent("me:" + p)))),
  ]).then(() => 1);
})()"""
PATHS = ("text", "xml", "parts", "pairs", "form", "url", "partly", "header", "base64", "beacon")


@pytest.fixture
def site() -> Iterator[Site]:
    answered = {f"/{path}": Page("ok", headers={"Content-Type": "text/plain"}) for path in PATHS}
    with serving({"/": FORM, "/next": "<title>next</title>", **answered}) as served:
        yield served


@pytest.fixture
async def tab(browser: int, site: Site) -> AsyncIterator[Tab]:
    async with open_tab(browser, site.url("/")) as opened:
        yield opened


def assert_hidden(text: str) -> None:
    encoded = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    for shown in (PASSWORD, json.dumps(PASSWORD)[1:-1], "w0rd", encoded[6:18]):
        assert shown not in text


async def test_a_typed_password_is_shown_in_nothing_that_the_page_sends(tab: Tab, site: Site) -> None:
    await tab("fill", selector="#p", value=PASSWORD)
    await tab.page.evaluate(SENDING)
    for path in PATHS:
        row = await ended(tab, f"*/{path}*")
        shown = json.dumps(await tab.data("network_request", id=row["id"]), ensure_ascii=False)
        assert "(redacted)" in shown, path
        assert_hidden(shown)
    (file,) = (await tab("har")).parts
    assert_hidden(base64.b64decode(file.base64).decode())
    assert_hidden(json.dumps(await tab.data("network"), ensure_ascii=False))
    assert_hidden(json.dumps(await tab.data("logs"), ensure_ascii=False))
    assert (await tab.data("network", url="*w0rd*"))["requests"] == []


async def test_it_is_hidden_when_the_document_is_gone_and_when_a_person_typed_it(tab: Tab, site: Site) -> None:
    root = tab.page.connection.root
    await tab.page.evaluate("document.querySelector('#p').focus()")
    for char in "typed by hand":
        await root.send("Input.dispatchKeyEvent", {"type": "char", "text": char})
    await tab.page.evaluate("document.querySelector('#p').type = 'text'")  # as a button that shows it
    await root.send("Input.dispatchKeyEvent", {"type": "char", "text": "!"})
    await tab("click", selector="#go")
    row = await ended(tab, "*/next")
    shown = (await tab.data("network_request", id=row["id"]))["request_body"]["text"]
    assert shown == "a=(redacted)\r\n"


async def test_it_is_hidden_in_a_shadow_root_and_if_it_was_there_already(tab: Tab, site: Site) -> None:
    field = "document.querySelector('#host').shadowRoot.querySelector('#q')"
    await tab.page.evaluate(f"{field}.focus(); document.querySelector('#p').value = 'filled before'")
    await tab.page.connection.root.send("Input.insertText", {"text": "in the shadow"})
    await tab("press", key="Shift")
    await tab.page.evaluate(
        f"fetch('/text', {{method: 'POST', body: {field}.value + ', ' + document.querySelector('#p').value}})"
    )
    with trio.fail_after(30):
        row = await ended(tab, "*/text")
    shown = (await tab.data("network_request", id=row["id"]))["request_body"]["text"]
    assert shown == "(redacted), (redacted)"
