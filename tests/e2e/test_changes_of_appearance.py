"""Changes by an action that a snapshot does not show: classes, and drawings on a canvas."""

from __future__ import annotations

import re

import pytest

from tests.support.context import Tab, open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


async def _lines(tab: Tab, command: str, **arguments: object) -> list[str]:
    text = await tab.text(command, **arguments, timeout=60_000)
    return re.sub(r"e\d+", "eN", text).splitlines()[1:]


CANVAS = """<canvas id=c width=200 height=100></canvas><script>
const pen = c.getContext("2d");
const draw = (colour) => requestAnimationFrame(() => requestAnimationFrame(() => {
  pen.fillStyle = colour; pen.fillRect(0, 0, 200, 100) }));
draw("white");
c.onmouseenter = () => draw("grey");
c.onmouseup = () => draw("red");
c.onwheel = () => draw("green");
</script>"""


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("hover", {"selector": "#c"}),
        ("drag", {"source": "#c", "delta_x": 20}),
        ("scroll", {"selector": "#c", "delta_y": 100}),
    ],
    ids=["hover", "drag", "scroll"],
)
async def test_a_canvas_that_draws_another_picture_has_changed(
    browser: int, site: Site, command: str, arguments: dict[str, object]
) -> None:
    site.pages["/canvas"] = CANVAS
    async with open_tab(browser, site.url("/canvas")) as tab:
        await tab("snapshot")
        assert "~ <canvas> ref=eN: draws another picture" in await _lines(tab, command, **arguments)


FILES = """<style>.sel { background: lightblue }</style><ul id=l></ul><script>
l.innerHTML = Array.from({ length: 10 }, (_, at) => `<li>File ${at + 1}</li>`).join("");
const files = [...l.children];
let last = 0;
l.onclick = ({ target, shiftKey }) => {
  const at = files.indexOf(target);
  const [from, to] = shiftKey ? [Math.min(at, last), Math.max(at, last)] : [at, at];
  files.forEach((one, number) => one.classList.toggle("sel", number >= from && number <= to));
  last = at;
};
</script>"""


async def test_class_of_what_was_pressed_comes_first(browser: int, site: Site) -> None:
    site.pages["/files"] = FILES
    async with open_tab(browser, site.url("/files")) as tab:
        await tab("snapshot")
        selected, let_go = ('~ <li> ref=eN: class "sel" (was "")', '~ <li> ref=eN: class "" (was "sel")')
        assert await _lines(tab, "click", selector="li:nth-child(2)") == ["changes:", selected]
        assert await _lines(tab, "click", selector="li:nth-child(1)") == ["changes:", selected, let_go]


SLIDES = """<button id=next>Next</button><div><div id=track>One</div></div><p id=clock>x</p><script>
next.onclick = () => track.style.transform = "translateX(-300px)";
</script>"""


async def test_drawing_of_page_itself_is_not_a_change_by_action(browser: int, site: Site) -> None:
    drawing = "(function draw() { clock.style.left = `${n += 1}px`; requestAnimationFrame(draw) })()"
    site.pages["/slides"] = f"{SLIDES}<script>let n = 0; {drawing}</script>"
    async with open_tab(browser, site.url("/slides")) as tab:
        await tab("click", selector="#clock", snapshot="none")
        was = await tab.page.evaluate("n")
        await tab("wait_for_function", code=f"n > {was + 60}", timeout=60_000)
        await tab("snapshot")
        assert not [line for line in await _lines(tab, "click", selector="#next") if "<p>" in line]
