"""Closed shadow roots of plain elements that have contents, in the page and in a frame: recorded and found again."""

from __future__ import annotations

import pytest
import trio

from kapture.page.documents.frame import AGENT_WORLD
from kapture.page.input.mouse import Point
from kapture.scenarios.record.captured import of_action
from kapture.scenarios.replay.finding import Finder
from tests.support.context import open_tab
from tests.support.recorded import recording
from tests.support.site import Site

pytestmark = pytest.mark.e2e

ORDER = """<!doctype html><title>Order</title><style>* { margin: 0 }</style>
<div id=host style="padding:20px">Order no. 7</div><script>
  const root = host.attachShadow({ mode: 'closed' });
  root.innerHTML = '<slot></slot> <button style="width:90px;height:40px">Pay</button> <button>Keep</button>';
  roots = [root];
</script>"""

MIDDLE = """(() => {
  const frame = document.querySelector('iframe');
  const [root] = (frame?.contentWindow ?? window).roots;
  const { x, y, width, height } = root.querySelector('button').getBoundingClientRect();
  const at = frame?.getBoundingClientRect() ?? { x: 0, y: 0 };
  return [at.x + x + width / 2, at.y + y + height / 2];
})()"""


@pytest.mark.parametrize("path", ["/order", "/framed"])
async def test_a_root_beside_contents_is_recorded_and_found_again(browser: int, site: Site, path: str) -> None:
    site.pages = {"/order": ORDER, "/framed": "<!doctype html><iframe src=/order></iframe>"}
    async with open_tab(browser, site.url(path)) as tab:
        page = tab.page
        async with recording(page) as recorded:
            x, y = (await tab.data("evaluate", code=MIDDLE))["value"]
            await page.mouse.move(Point(x, y))
            inside = page.frames.all()[-1]
            with trio.fail_after(30):
                while not await page.evaluate("kapture.shadowRoots().length", frame=inside, world=AGENT_WORLD):
                    pass
            await page.mouse.down()
            await page.mouse.up()
            action = await recorded.until(
                lambda: next((one for one in recorded.actions("click") if "Pay" in str(one.element)), None)
            )
        step = of_action(action)

    async with open_tab(browser, site.url(path)) as tab:
        finder = Finder(call=lambda name, arguments, *, shown=None: tab(name, **arguments), tab_id=tab.page.tab_id)
        found = await finder.find(list(step.targets), step.element, 30_000)
        assert (found.seen.role, found.seen.name) == ("button", "Pay")
        await tab("click", target={"ref": found.ref})
