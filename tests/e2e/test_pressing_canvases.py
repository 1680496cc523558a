"""A canvas that is pressed draws another picture, or the same."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Page, Site

pytestmark = pytest.mark.e2e

DRAWS = {
    "at once": ("draw('blue')", "draws another picture"),
    "in a frame": ("requestAnimationFrame(() => draw('blue'))", "draws another picture"),
    "a pixel": ("draw('red'); x.fillStyle = 'blue'; x.fillRect(9, 9, 1, 1)", "draws another picture"),
    "the same": ("draw('red')", "no change"),
    "what cannot be read": ("x.drawImage(foreign, 0, 0)", "may draw another picture: take a screenshot"),
}


@pytest.mark.parametrize("how", DRAWS)
async def test_a_canvas_that_draws_something_else_has_changed(browser: int, site: Site, how: str) -> None:
    script, told = DRAWS[how]
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"
    site.pages["/picture.svg"] = Page(drawing, headers={"Content-Type": "image/svg+xml"})
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"""<canvas id=c width=300 height=200></canvas>
            <img id=foreign src={site.url("/picture.svg", "localhost")}><script>
            const x = c.getContext('2d'), draw = (colour) => {{ x.fillStyle = colour; x.fillRect(0, 0, 300, 200) }};
            draw('red'); c.onclick = () => {{ {script} }}</script>""",
        )
        await tab("snapshot")
        assert told in await tab.text("click", selector="#c")
