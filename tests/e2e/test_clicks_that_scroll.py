"""Actions whose only effect is that the page, or a part of it, scrolls: the answer says what is where, and what came."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re

import pytest

from tests.support.context import open_tab
from tests.support.settling import at, patient
from tests.support.site import Site

pytestmark = pytest.mark.e2e

_SLIDES = "".join(f"<div style='flex:0 0 300px; height:80px'><h3>Slide {number}</h3></div>" for number in range(1, 6))
CAROUSEL = (
    f"<div id=slides aria-label=Photos role=group style='display:flex; width:300px; overflow:hidden'>{_SLIDES}</div>"
)
BUTTON = "<button id=x>Next</button><script>x.onclick = () => {}</script>"
LONG = f"{BUTTON}<div style='height:3000px'></div><h2>Deep</h2><p>words</p><div style='height:2000px'></div>"
IN_SHADOW = f"<div id=host></div><script>host.attachShadow({{ mode: 'open' }}).innerHTML = `{CAROUSEL}`; slides = host.shadowRoot.querySelector('#slides')</script>"

SECOND = r'scrolled <div> "Photos" ref=e\d+ to x 300 of 1200; came into view: "Slide 2"'
DEEP = r'scrolled the page to y \d+ of \d+; came into view: "Deep", "words"'
SCROLLING = {
    "at once": (CAROUSEL, "slides.scrollLeft += 300", SECOND),
    "smoothly": (CAROUSEL, "slides.scrollBy({ left: 300, behavior: 'smooth' })", SECOND),
    "after a timer": (CAROUSEL, "setTimeout(() => slides.scrollBy({ left: 300, behavior: 'smooth' }), 100)", SECOND),
    "frame by frame": (CAROUSEL, "let left = 30; (function step() { slides.scrollLeft += 10; if (left -= 1) requestAnimationFrame(step) })()", SECOND),
    "in a shadow tree": (IN_SHADOW, "slides.scrollBy({ left: 300, behavior: 'smooth' })", SECOND),
    "the page": (LONG, "document.querySelector('h2').scrollIntoView({ behavior: 'smooth' })", DEEP),
    "the page, at once": (LONG, "document.querySelector('h2').scrollIntoView()", DEEP),
}  # fmt: skip


@pytest.mark.parametrize(("html", "script", "line"), SCROLLING.values(), ids=SCROLLING.keys())
async def test_scrolling_by_click_is_its_effect(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, html: str, script: str, line: str
) -> None:
    patient(monkeypatch)
    async with open_tab(browser) as tab:
        button = "" if "id=x" in html else BUTTON
        await at(tab, site, f"<!doctype html>{button}{html}<script>x.onclick = () => {{ {script} }}</script>")
        await tab("snapshot")
        assert re.search(line, await tab.text("click", selector="#x", timeout=60_000))


async def test_a_frame_that_scrolls_is_named(browser: int, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch)
    site.pages["/inner"] = (
        f"{LONG}<script>x.onclick = () => document.querySelector('h2').scrollIntoView({{ behavior: 'smooth' }})</script>"
    )
    async with open_tab(browser) as tab:
        await at(tab, site, "<iframe src=/inner width=500 height=300></iframe>")
        await tab("snapshot")
        answer = await tab.text("click", target={"text": "Next"}, timeout=60_000)
        assert re.search(r"scrolled frame f\d+ to y \d+ of \d+; came into view: \"Deep\"", answer)


async def test_a_link_to_a_place_in_the_page_says_what_is_there(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<a href='#deep'>Down</a><div style='height:3000px'></div><h2 id=deep>Deep</h2><div style='height:2000px'></div>",
        )
        await tab("snapshot")
        assert re.search(
            r'scrolled the page to y \d+ of \d+; came into view: "Deep"',
            await tab.text("click", target={"text": "Down"}),
        )


async def test_scrolling_to_reach_element_is_not_an_effect(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f"<div style='height:3000px'></div>{BUTTON}<div style='height:3000px'></div>")
        await tab("snapshot")
        assert "scrolled" not in await tab.text("click", selector="#x")
        assert (await tab.text("scroll", to="top")).count("scrolled") == 1


async def test_scrolling_of_page_itself_is_not_an_effect(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"{CAROUSEL}{BUTTON}<script>(function step() {{ slides.scrollLeft = (slides.scrollLeft + 1) % 900; requestAnimationFrame(step) }})()</script>",
        )
        await tab("snapshot")
        await tab("wait_for_function", code="slides.scrollLeft > 30")
        assert "scrolled" not in await tab.text("click", selector="#x")
