"""Forms whose controls have the names of what the agent asks elements for: `form.children` is then a field."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.errors import KaptureError
from tests.support.context import Tab, open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

PAGE = """<!doctype html><title>Order</title><h1>Order</h1>
<form id=order aria-label=Order aria-labelledby="" title=order><fieldset><legend>Who</legend>
<label>Name <input id=who></label>
<label><input id=gift type=checkbox> Gift</label><label>Size <select id=size><option>small<option>large</select></label>
<a href="/help">Help</a><table><tr><th>Item<th>Price<tr><td>Tea<td>3</table>
<button type=button id=add>Add</button><button>Send</button></fieldset></form><output>open</output>
<script>
  const names = new Set();
  for (const one of Object.getOwnPropertyNames(window).filter((name) => /^(HTML.*Element|EventTarget)$/.test(name)))
    for (let proto = window[one].prototype; proto; proto = Object.getPrototypeOf(proto))
      for (const name of Object.getOwnPropertyNames(proto)) names.add(name);
  order.onsubmit = (event) => { event.preventDefault(); document.querySelector("output").textContent = "sent" };
  document.querySelector("#add").onclick = (event) => { event.target.textContent = "Added" };
  const fields = [...names].map((name) => {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = PREFIX + name;
    return field;
  });
  document.querySelector("#order").append(...fields);
</script>"""

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("snapshot", {}),
    ("get_text", {}),
    ("get_text", {"selector": "#order"}),
    ("get_html", {"selector": "fieldset"}),
    ("read_as_markdown", {}),
    ("extract_links", {}),
    ("table", {}),
    ("elements", {"selector": "#order, button, a"}),
    ("find", {"text": "Tea"}),
    ("element_at", {"x": 30, "y": 90}),
    ("hover", {"target": {"text": "Help"}}),
    ("click", {"target": {"role": "button", "name": "Add"}}),
    ("fill", {"target": {"label": "Name"}, "value": "Ada"}),
    ("fill", {"target": {"label": "Gift"}, "value": True}),
    ("select", {"target": {"label": "Size"}, "value": "large"}),
    ("type", {"selector": "#who", "text": " L", "press_enter": True}),
    ("click", {"target": {"role": "button", "name": "Send"}}),
    ("scroll", {"selector": "#order"}),
    ("snapshot", {}),
]


@pytest.fixture
def pages(site: Site) -> Site:
    site.pages["/harmless"] = PAGE.replace("PREFIX", '"no-"')
    site.pages["/named"] = PAGE.replace("PREFIX", '""')
    return site


async def _answers(tab: Tab, url: str) -> list[str]:
    answers = [await tab.text("navigate", url=url)]
    for name, arguments in CALLS:
        try:
            answers.append(f"{name}: {await tab.text(name, **arguments)}")
        except KaptureError as error:
            answers.append(f"{name}: {error.code} {error.message}")
    return answers


async def test_names_of_controls_change_nothing_of_what_is_read_and_done(browser: int, pages: Site) -> None:
    async with open_tab(browser) as tab:
        harmless = await _answers(tab, pages.url("/harmless"))
    assert not [answer for answer in harmless if "EXECUTION_ERROR" in answer or "INVALID_PARAMS" in answer]
    assert '"sent"' in harmless[-1]
    async with open_tab(browser) as tab:
        named = await _answers(tab, pages.url("/named"))
    assert named == [answer.replace("/harmless", "/named") for answer in harmless]


ONE = """<!doctype html><title>One</title><form id=order aria-label=Order><fieldset><legend>Who</legend>
<label>Name <input id=who></label><button>Send</button></fieldset><input type=hidden name="NAME"></form>
<script>AFTERWARDS</script>"""
RENAMED = "order.NAME; order.elements[order.elements.length - 1].name = 'harmless'"
"""A form keeps the earlier name of a control that it was asked for."""


@pytest.mark.parametrize("name", ["firstChild", "localName", "hasAttributes"])
@pytest.mark.parametrize("afterwards", ["", RENAMED], ids=["named", "renamed"])
async def test_one_control_is_enough_to_look_for_forms(browser: int, site: Site, name: str, afterwards: str) -> None:
    pages = {"/plain": "harmless", "/named": name}
    for path, written in pages.items():
        site.pages[path] = ONE.replace("AFTERWARDS", afterwards).replace("NAME", written)
    shown = []
    for path in pages:
        async with open_tab(browser, site.url(path)) as tab:
            shown.append((await tab.text("snapshot")).replace(path, ""))
    assert shown[0] == shown[1]


async def test_names_of_controls_do_not_keep_a_page_from_being_pictured(browser: int, pages: Site) -> None:
    async with open_tab(browser, pages.url("/named")) as tab:
        for arguments in ({}, {"full_page": True}, {"labels": True}, {"selector": "#order"}):
            assert (await tab("screenshot", **arguments)).parts
        assert (await tab("pdf")).parts
