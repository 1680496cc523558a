"""Clicking: only what a person could click, where a person could click it, and saying what is in the way."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode
from tests.support.click_log import CLICKS, clicks
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


REACHABLE = {
    "in plain sight": "<button id=x>Go</button>",
    "far below": "<div style='height:5000px'></div><button id=x>Go</button><div style='height:5000px'></div>",
    "far to the right": "<div style='width:5000px;display:flex;justify-content:end'><button id=x>Go</button></div>",
    "inside nested scrollers": """<div style="height:150px;overflow:auto"><div style="height:900px"></div>
      <div style="height:100px;overflow:auto"><div style="height:700px"></div><button id=x>Go</button></div></div>""",
    "under a sticky header when scrolled to the top": """<header style="position:fixed;top:0;height:150px;width:100%;
      background:#ccc">Head</header><footer style="position:fixed;bottom:0;height:150px;width:100%;background:#ccc">Foot</footer>
      <div style="height:3000px"></div><button id=x>Go</button><div style="height:3000px"></div>""",
    "covered in its middle only": """<div style="position:relative;width:300px"><button id=x style="width:300px">Go</button>
      <span style="position:absolute;left:100px;top:0;width:100px;height:30px;background:red"></span></div>""",
    "with its text in spans": "<button id=x><span><b>Go</b></span></button>",
    "a link over two lines": """<p style="width:110px">Some words <a id=x href="#there">that break right over lines</a></p>""",
    "in an open shadow root": """<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML='<button id=x>Go</button>'</script>""",
    "slotted": """<div id=host><button id=x>Go</button></div><script>host.attachShadow({mode:'open'}).innerHTML='<p><slot></slot></p>'</script>""",
    "words of a slot": """<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML='<p><slot id=x>Go</slot></p>'</script>""",
    "rotated": "<button id=x style='transform:rotate(40deg);margin:100px'>Go</button>",
    "scaled": "<div style='transform:scale(.3);transform-origin:0 0'><button id=x>Go</button></div>",
    "transparent": "<button id=x style='opacity:0'>Go</button>",
    "display contents": "<div id=x style='display:contents'><b>Go</b></div>",
    "an svg ring": "<svg width=200 height=200><circle id=x cx=100 cy=100 r=80 fill=none stroke=black stroke-width=3 /></svg>",
    "an svg line": "<svg width=200 height=200><line id=x x1=10 y1=10 x2=190 y2=160 stroke=black stroke-width=4 /></svg>",
    "an image map's area": """<img usemap="#m" width=200 height=200 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">
      <map name=m><area id=x shape=rect coords="100,100,150,150" href="#a"></map>""",
    "animated once": "<style>@keyframes m{from{margin-left:0}to{margin-left:600px}}</style><button id=x style='animation:m .6s linear forwards'>Go</button>",
    "pulsing for ever": "<style>@keyframes p{50%{opacity:.3}}</style><button id=x style='animation:p 1s infinite'>Go</button>",
    "growing and shrinking for ever": "<style>@keyframes p{50%{transform:scale(1.2)}}</style><button id=x style='animation:p 1s infinite'>Go</button>",
    "moving for ever": "<style>@keyframes m{to{margin-left:300px}}</style><button id=x style='animation:m 1s linear infinite alternate'>Go</button>",
    "in a ticker": """<style>@keyframes t{from{transform:translateX(500px)}to{transform:translateX(-100px)}}</style>
      <div style="width:500px;overflow:hidden"><p style="animation:t 4s linear infinite">News <a id=x href="#n">of the day</a></p></div>""",
    "in a modal dialog": "<dialog id=d><button id=x>Go</button></dialog><script>d.showModal()</script>",
    "moving by script": """<button id=x style="position:absolute;left:0">Go</button><script>
      let n = 0; (function step() { x.style.left = `${Math.min(n, 60) * 10}px`; n += 1; requestAnimationFrame(step); })()</script>""",
    "appearing late": """<div id=p></div><script>setTimeout(() => { p.innerHTML = '<button id=x>Go</button>' }, 300)</script>""",
    "covered for a while": """<button id=x>Go</button><div id=c style="position:fixed;inset:0;background:#fff8">Loading</div>
      <script>setTimeout(() => c.remove(), 400)</script>""",
    "disabled for a while": "<button id=x disabled>Go</button><script>setTimeout(() => x.disabled = false, 300)</script>",
    "a checkbox whose label covers it": """<label style="position:relative;display:block;width:100px"><input type=checkbox id=x>
      <span style="position:absolute;inset:0;background:#eee">Tick</span></label>""",
    "a hidden checkbox with a label": "<label><input type=checkbox id=x style='display:none'>Tick</label>",
}


@pytest.mark.parametrize("html", REACHABLE.values(), ids=REACHABLE)
async def test_an_element_that_a_person_can_click_is_clicked(browser: int, site: Site, html: str) -> None:
    site.pages["/reach"] = f"<!doctype html><body>{CLICKS}{html}"
    async with open_tab(browser, site.url("/reach")) as tab:
        await tab("click", selector="#x", timeout=30_000)
        met = await clicks(tab)
        inside = await tab.page.evaluate(
            """clicks.map((id) => { const all = [document, ...[...document.querySelectorAll('*')].map((e) => e.shadowRoot).filter(Boolean)];
            const find = (s) => all.map((r) => r.querySelector(s)).find(Boolean);
            const one = find('#' + CSS.escape(id)) ?? find(id); const x = find('#x');
            return x === one || x.contains(one) || one?.closest?.('label')?.control === x; })"""
        )
        assert met, "nothing was clicked"
        assert all(inside), met


COVERED = {
    "an icon with its own effect in a button": (
        """<div role=button tabindex=0 style="position:relative"><span id=x>Go</span>
        <i tabindex=0 style="position:absolute;inset:0"></i></div>""",
        "<i> covers it",
    ),
    "a banner": (
        """<button id=x>Go</button><div class="cookie-banner" style="position:fixed;inset:0;background:#fff"><p>We use cookies
        everywhere on this page</p><button>Accept</button></div>""",
        '<div class="cookie-banner"> covers it, ref=e',
    ),
    "a disabled button": ("<button id=x disabled>Go</button>", "it is disabled"),
    "an aria-disabled button": ("<div role=button aria-disabled=true id=x>Go</div>", "it is disabled"),
    "a button in a disabled fieldset": (
        "<fieldset disabled><button id=x><b>Go</b></button></fieldset>",
        "it is disabled",
    ),
    "the inside of a disabled button": ("<button disabled><span id=x>Go</span></button>", "it is disabled"),
    "nothing displayed": ("<button id=x style='display:none'>Go</button>", "it is not displayed"),
    "something invisible": ("<button id=x style='visibility:hidden'>Go</button>", "it is not visible"),
    "something without size": ("<div id=x></div>", "it has no size"),
    "what a modal dialog hides": (
        "<button id=x>Go</button><dialog id=d>Sure?</dialog><script>d.showModal()</script>",
        "modal dialog",
    ),
    "what lies off the page": ("<button id=x style='position:absolute;left:-5000px'>Go</button>", "scrolled into view"),
    "an option of a closed select": ("<select><option>One<option id=x>Two</select>", "option of a select"),
    "what lets the pointer through to the box around it": (
        "<div><p id=x style='pointer-events:none; cursor:pointer'>Paste</p></div>",
        "it lets the pointer through",
    ),
    "inert contents": ("<div inert><button id=x>Go</button></div>", "inert"),
}


@pytest.mark.parametrize(("html", "obstacle"), COVERED.values(), ids=COVERED)
async def test_covered_element_error_names_the_covering_one(browser: int, site: Site, html: str, obstacle: str) -> None:
    site.pages["/cover"] = f"<!doctype html><body>{CLICKS}{html}"
    async with open_tab(browser, site.url("/cover")) as tab:
        error = await tab.gives_up("click", selector="#x")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE, error
        assert obstacle in error.message
        assert await clicks(tab) == []


async def test_covering_element_can_be_used_by_its_ref(browser: int, site: Site) -> None:
    site.pages["/banner"] = (
        CLICKS
        + COVERED["a banner"][0]
        + "<script>document.querySelector('.cookie-banner').onclick=function(){this.remove()}</script>"
    )
    async with open_tab(browser, site.url("/banner")) as tab:
        error = await tab.gives_up("click", selector="#x")
        await tab("click", target={"ref": error.data["cover"]["ref"]})
        await tab("click", selector="#x")
        assert (await clicks(tab))[-1] == "x"


async def test_buttons_counts_and_modifiers_arrive(browser: int, site: Site) -> None:
    site.pages["/kinds"] = """<button id=x style="user-select:none">Go</button><script>window.got=[];
    for (const kind of ['click','dblclick','auxclick','contextmenu','mousedown'])
      x.addEventListener(kind, (e) => { got.push([kind, e.button, e.detail, e.shiftKey, e.ctrlKey, e.isTrusted]); e.preventDefault(); });</script>"""
    async with open_tab(browser, site.url("/kinds")) as tab:
        await tab("click", selector="#x", count=2)
        kinds = [one[0] for one in await tab.page.evaluate("got")]
        assert kinds == ["mousedown", "click", "mousedown", "click", "dblclick"]
        await tab.page.evaluate("got.length = 0")
        await tab("click", selector="#x", button="right")
        assert ["contextmenu", 2] in [one[:2] for one in await tab.page.evaluate("got")]
        await tab.page.evaluate("got.length = 0")
        await tab("click", selector="#x", button="middle", modifiers=["Shift"])
        assert ["auxclick", 1, 1, True, False, True] in await tab.page.evaluate("got")
        assert all(one[-1] for one in await tab.page.evaluate("got"))


async def test_the_pointer_moves_before_it_presses_and_hover_stays(browser: int, site: Site) -> None:
    site.pages["/hover"] = """<style>#m span{display:none}#m:hover span{display:inline}</style>
    <div id=m style="width:200px">Menu <span id=s onclick="window.chosen=true">Item</span></div>"""
    async with open_tab(browser, site.url("/hover")) as tab:
        assert (await tab.text("hover", selector="#m")).startswith("hovering over <div>")
        await tab("click", selector="#s")
        assert await tab.page.evaluate("chosen") is True


# The inputs lie before what is drawn for them, where the star before takes the press, or nothing does.
DRAWN = """<title>t</title><style>i { display: inline-block; width: 20px; height: 20px; background: gold }
span { cursor: pointer } input { position: absolute; opacity: 0; width: 1px; height: 1px; margin: -1px }</style>
<span><input type=radio name=s aria-label="1 star"><i></i></span><span><input type=radio name=s aria-label="2 stars"><i></i></span>
<script>for (const i of document.querySelectorAll("i")) i.onclick = () => i.previousElementSibling.click()</script>"""


async def test_a_radio_button_that_nobody_can_see_is_clicked_on_what_is_drawn_for_it(browser: int, site: Site) -> None:
    site.pages["/drawn"] = DRAWN
    async with open_tab(browser, site.url("/drawn")) as tab:
        for stars in ("2 stars", "1 star"):
            await tab("click", target={"role": "radio", "name": stars})
            assert await tab.page.evaluate("document.querySelector(':checked').ariaLabel") == stars


async def test_words_of_a_component_that_let_the_pointer_through_are_clicked(browser: int, site: Site) -> None:
    site.pages["/segment"] = """<title>t</title><x-segment><b style="pointer-events:none">Done</b></x-segment>
        <p id=p></p><div style="width:200px"><a href="#off" style="pointer-events:none">Off</a></div><script>
        const host = document.querySelector("x-segment");
        host.attachShadow({ mode: "open" }).innerHTML = "<div style='pointer-events:none'><slot></slot></div>";
        document.addEventListener("click", (event) => { if (event.target === host) p.textContent = "pressed" })</script>"""
    async with open_tab(browser, site.url("/segment")) as tab:
        await tab("click", target={"text": "Done"})
        assert await tab.page.evaluate("p.textContent") == "pressed"
        error = await tab.gives_up("click", target={"text": "Off"})
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE


# A box beneath its own decoration, whose label is for the most part a link.
CONSENT = """<title>t</title><style>label { position: relative; padding-left: 30px }
label input { position: absolute; left: 0; top: 0; width: 16px; height: 16px; margin: 0 }
b { position: absolute; left: 0; top: 0; width: 34px; height: 34px; background: silver; z-index: 1 }</style>
<b></b><label><input type=checkbox id=c>I accept <a href="#terms">all of the terms and conditions</a></label>"""


async def test_a_check_box_is_not_clicked_on_a_link_in_its_label(browser: int, site: Site) -> None:
    site.pages["/consent"] = CONSENT
    async with open_tab(browser, site.url("/consent")) as tab:
        await tab("click", selector="#c")
        assert await tab.page.evaluate("[c.checked, location.hash]") == [True, ""]


async def test_element_slid_out_of_window_says_that_it_must_be_brought_in(browser: int, site: Site) -> None:
    sheet = "<style>#sheet { position: fixed; top: 0; right: 0; transform: translateX(100%) }</style>"
    site.pages["/sheet"] = f"{sheet}<div id=sheet><button>Check out</button></div>"
    async with open_tab(browser, site.url("/sheet")) as tab:
        error = await tab.gives_up("click", target={"text": "Check out"})
        assert "it cannot be scrolled into view" in error.message
        assert "bring it into the window" in error.hint


async def test_element_in_closed_details_says_what_opens_them(browser: int, site: Site) -> None:
    site.pages["/details"] = """<title>t</title><details><summary>Exercise 12</summary>
        <button onclick="document.title = 'done'">Mark as done</button></details>"""
    async with open_tab(browser, site.url("/details")) as tab:
        error = await tab.gives_up("click", target={"text": "Mark as done"})
        assert "it is in the closed details of <summary>, ref=" in error.message
        await tab("click", target={"ref": error.message.rpartition("ref=")[2].rstrip(".")})
        await tab("click", target={"text": "Mark as done"})
        assert await tab.page.evaluate("document.title") == "done"
