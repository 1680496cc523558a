"""The ways in which a call names its element."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re
from typing import Any

import pytest

from kapture.errors import ErrorCode
from tests.support.click_log import CLICKS, clicks
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


AMBIGUOUS = "".join(f"<button>Save {n}</button>" for n in range(12)) + "<button>Save</button><button>Save</button>"


async def test_several_matches_are_ambiguous_with_ten_candidates_unless_nth_is_given(browser: int, site: Site) -> None:
    site.pages["/many"] = CLICKS + AMBIGUOUS
    async with open_tab(browser, site.url("/many")) as tab:
        error = await tab.fails("click", selector="button")
        assert error.code is ErrorCode.ELEMENT_AMBIGUOUS
        assert error.data["count"] == 14
        assert len(error.data["candidates"]) == 10
        assert all(one["ref"].startswith("e") for one in error.data["candidates"])
        answer = await tab.text("click", target={"css": "button", "nth": 3})
        assert '"Save 3"' in answer
        error = await tab.fails("click", target={"css": "button", "nth": 99})
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert "14" in error.message
        error = await tab.fails("click", target={"role": "button", "name": "Save"})
        assert error.data["count"] == 2


async def test_missing_element_error_names_similar_ones(browser: int, site: Site) -> None:
    site.pages["/near"] = (
        "<button id=submit-order>Place order</button><a href=#>Orders</a><label>E-mail <input></label>"
        "<i title='Open blocks' onclick='0'>⊞</i>"
    )
    async with open_tab(browser, site.url("/near")) as tab:
        error = await tab.gives_up("click", target={"role": "button", "name": "Place the order"})
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert 'button "Place order"' in error.message
        error = await tab.gives_up("click", selector="#submit_order")
        assert "#submit-order" in error.message
        error = await tab.gives_up("fill", target={"label": "Email"}, value="x")
        assert "E-mail" in error.message
        error = await tab.gives_up("click", target={"text": "Open Blocks"})
        assert re.search(r'title "Open blocks" e\d+', error.message)


@pytest.mark.parametrize("selector", ["button:(", "a[", "//x", "::", "#1x"])
async def test_a_malformed_selector_is_an_error_of_its_own(browser: int, site: Site, selector: str) -> None:
    site.pages["/any"] = "<button>Go</button>"
    async with open_tab(browser, site.url("/any")) as tab:
        error = await tab.fails("click", selector=selector)
        assert error.code is ErrorCode.INVALID_SELECTOR
        error = await tab.fails("click", target={"xpath": "//button["})
        assert error.code is ErrorCode.INVALID_SELECTOR


TARGETS = """<h1>Shop</h1><nav><a href=#a id=link>Home</a></nav>
<button id=plain data-testid=save-it>Save <b>now</b></button><button id=hidden hidden>Save now</button>
<label for=mail>E-mail</label><input id=mail><input id=aria aria-label="Second mail"><p id=para>Some <i id=it>nested</i> words</p>
<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML =
  '<section class=box><button id=deep class=go>Deep one</button><div id=inner></div></section>';
host.shadowRoot.getElementById('inner').attachShadow({mode:'open'}).innerHTML = '<button id=deeper>Deeper</button>';</script>
  <span id=day aria-label="April 9, 2030" tabindex=-1>9</span>
  <label id=l for=metal>Metal</label><input id=metal role=combobox aria-controls=metals aria-expanded=false>
  <ul id=metals role=listbox aria-labelledby=l></ul>"""


@pytest.mark.parametrize(
    ("target", "element_id"),
    [
        ({"css": "#plain"}, "plain"),
        ({"css": "#deep"}, "deep"),
        ({"css": "#host .go"}, "deep"),
        ({"css": "#host > section > button"}, "deep"),
        ({"css": "body #inner button"}, "deeper"),
        ({"css": "h1 ~ nav > a"}, "link"),
        ({"xpath": "//button[@data-testid]"}, "plain"),
        ({"xpath": "//i/text()"}, "it"),
        ({"role": "button", "name": "save now"}, "plain"),
        ({"role": "button", "name": "Save now", "exact": True}, "plain"),
        ({"role": "link"}, "link"),
        ({"role": "BUTTON", "name": "deep one"}, "deep"),
        ({"text": "nested"}, "it"),
        ({"text": "SOME nested   words"}, "para"),
        ({"text": "Save now"}, "plain"),
        ({"text": "Deeper"}, "deeper"),
        ({"label": "E-mail"}, "mail"),
        ({"label": "second"}, "aria"),
        ({"label": "April 9, 2030"}, "day"),
        ({"label": "Metal"}, "metal"),
        ({"testId": "save-it"}, "plain"),
    ],
    ids=str,
)
async def test_each_way_of_naming_finds_its_element(
    browser: int, site: Site, target: dict[str, Any], element_id: str
) -> None:
    site.pages["/targets"] = TARGETS
    async with open_tab(browser, site.url("/targets")) as tab:
        found = await tab.data("elements", target=target)
        assert [one["attributes"]["id"] for one in found["elements"]] == [element_id]


async def test_a_ref_lasts_until_its_element_becomes_something_else(browser: int, site: Site) -> None:
    site.pages["/refs"] = "<button id=x onclick=\"this.textContent='Stop'\">Start</button>"
    async with open_tab(browser, site.url("/refs")) as tab:
        ref = (await tab.data("click", selector="#x"))["ref"]
        error = await tab.fails("click", target={"ref": ref})
        assert error.code is ErrorCode.REF_EXPIRED
        assert '"Stop"' in error.message
        assert error.data["now"]["ref"] in error.hint
        await tab("click", target={"ref": error.data["now"]["ref"]})
        await tab("reload")
        error = await tab.fails("click", target={"ref": error.data["now"]["ref"]})
        assert error.code is ErrorCode.REF_EXPIRED


async def test_a_bare_ref_is_a_target_and_one_that_never_was_says_so(browser: int, site: Site) -> None:
    site.pages["/bare"] = "<button>One</button>"
    async with open_tab(browser, site.url("/bare")) as tab:
        ref = (await tab.data("find", text="One"))["matches"][0]["ref"]
        assert (await tab.data("click", target=ref))["ref"] == ref
        error = await tab.fails("click", target="e4321")
        assert error.code is ErrorCode.REF_EXPIRED
        assert error.message.startswith("There has never been a ref e4321; the highest so far is e")
        assert error.data["never"] is True
        assert "never been a frame f7" in (await tab.fails("click", target="f7e1")).message
        await tab("evaluate", code="document.querySelector('button').remove()")
        assert "no longer on the page" in (await tab.fails("click", target=ref)).message


async def test_a_point_is_a_target(browser: int, site: Site) -> None:
    site.pages["/point"] = (
        CLICKS + "<button id=x style='position:fixed;left:100px;top:50px;width:80px;height:40px'>Go</button>"
    )
    async with open_tab(browser, site.url("/point")) as tab:
        assert '<button> "Go"' in await tab.text("click", target={"x": 120, "y": 70})
        await tab("mouse", action="click", x=130, y=60)
        assert await clicks(tab) == ["x", "x"]


CLOSED = """<p>Open</p><my-card></my-card><div id=empty></div><script>
const inside = (host, html) => { const root = host.attachShadow({mode: 'closed'}); root.innerHTML = html; return root; };
const card = inside(document.querySelector('my-card'), '<h2>Card</h2><button onclick="window.hit=event.isTrusted">Buy</button><inner-box></inner-box>');
inside(card.querySelector('inner-box'), '<label>Note <input></label>');
inside(empty, '<button>Plain host</button>');</script>"""


async def test_closed_shadow_roots_are_seen_and_acted_in(browser: int, site: Site) -> None:
    site.pages["/closed"] = CLOSED
    async with open_tab(browser, site.url("/closed")) as tab:
        assert '"Buy"' in await tab.text("click", target={"role": "button", "name": "Buy"})
        assert await tab.page.evaluate("hit") is True
        await tab("fill", target={"label": "Note"}, value="deep")
        text = await tab.text("snapshot")
        assert all(name in text for name in ("Card", "Buy", "Note", "deep", "Plain host"))
