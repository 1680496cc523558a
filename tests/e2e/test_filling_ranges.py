"""Filling what is no input: sliders and spinbuttons, in a real browser."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e

RANGES = """<title>Ranges</title>
<div id=volume role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100 aria-valuenow=20
  style="width: 20px; height: 20px">v</div>
<div id=rtl role=slider tabindex=0 aria-label=Backwards aria-valuemin=0 aria-valuemax=10 aria-valuenow=2>r</div>
<div id=guests role=spinbutton tabindex=0 aria-label=Guests aria-valuemin=1 aria-valuemax=9 aria-valuenow=1>1</div>
<div id=track style="width: 220px; height: 20px; background: silver; position: relative"><div id=thumb role=slider
  aria-label=Hue aria-valuemin=0 aria-valuemax=100 aria-valuenow=10
  style="position: absolute; left: 20px; width: 20px; height: 20px; background: red"></div></div>
<div style="width: 320px; height: 20px; background: silver; position: relative"><div id=coarse role=slider tabindex=0
  aria-label="Price 20" aria-valuemin=0 aria-valuemax=80 aria-valuenow=20
  style="position: absolute; left: 60px; width: 20px; height: 20px; background: red"></div></div>
<x-slider id=own tabindex=0>own</x-slider>
<div id=stuck role=slider tabindex=0 aria-label=Stuck aria-valuemin=0 aria-valuemax=5 aria-valuenow=2>s</div>
<script>
  function stepping(id, size, keys) {
    const element = document.getElementById(id);
    element.addEventListener('keydown', ({ key }) => {
      const presses = key === keys[0] ? 1 : key === keys[1] ? -1 : 0;
      const now = Number(element.getAttribute('aria-valuenow')) + size * presses;
      const { ariaValueMin: low, ariaValueMax: high } = element;
      element.setAttribute('aria-valuenow', Math.min(high, Math.max(low, now)));
    });
  }
  stepping('volume', 5, ['ArrowRight', 'ArrowLeft']);
  stepping('rtl', 1, ['ArrowLeft', 'ArrowRight']);
  stepping('guests', 1, ['ArrowUp', 'ArrowDown']);
  customElements.define('x-slider', class extends HTMLElement {
    #internals = this.attachInternals();
    constructor() {
      super();
      Object.assign(this.#internals, {
        role: 'slider', ariaLabel: 'Own', ariaValueMin: '0', ariaValueMax: '100', ariaValueNow: '20',
      });
      this.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
        this.#internals.ariaValueNow = String(Number(this.ariaValueNow) + step);
      });
    }
    get ariaValueNow() { return this.#internals.ariaValueNow; }
  });
  // Keys go in tens; the bound is another thumb, not the end of the track; and the name says the value.
  let held = null;
  const price = (left) => {
    coarse.style.left = `${left}px`;
    coarse.setAttribute('aria-valuenow', left / 3);
    coarse.setAttribute('aria-label', `Price ${left / 3}`);
  };
  const steps = { ArrowRight: 30, ArrowLeft: -30 };
  coarse.addEventListener('keydown', ({ key }) => price(coarse.offsetLeft + (steps[key] ?? 0)));
  coarse.addEventListener('mousedown', (event) => { held = event.clientX - coarse.offsetLeft; });
  addEventListener('mousemove', (event) => held !== null && price(Math.round(event.clientX - held)));
  addEventListener('mouseup', () => { held = null; });
  let from = null;
  thumb.addEventListener('mousedown', (event) => { from = event.clientX - thumb.offsetLeft; });
  addEventListener('mousemove', (event) => {
    if (from === null) return;
    const left = Math.min(200, Math.max(0, event.clientX - from));
    thumb.style.left = `${left}px`;
    thumb.setAttribute('aria-valuenow', Math.round(left / 2));
  });
  addEventListener('mouseup', () => { from = null; });
</script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/": RANGES}) as served:
        yield served


@pytest.mark.parametrize(
    ("selector", "value"),
    [("#volume", 85), ("#volume", 0), ("#rtl", 7), ("#guests", 4), ("#thumb", 75), ("#own", 63), ("#coarse", 35)],
)
async def test_sliders_and_spinbuttons_take_a_value(browser: int, site: Site, selector: str, value: int) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert "made it" not in await tab.text("fill", selector=selector, value=value)
        now = await tab.page.evaluate(f"document.querySelector('{selector}').ariaValueNow")
        assert now == str(value)


SPLIT = """<div style="width: 408px; height: 100px; display: flex"><div id=left style="width: 100px"></div>
<div id=x role=separator tabindex=0 aria-label=Beside aria-valuenow=25 aria-valuemin=0 aria-valuemax=100
  style="width: 8px; background: grey"></div></div>
<div id=y role=separator tabindex=0 aria-label=Below aria-valuenow=400 aria-valuemin=100 aria-valuemax=600
  style="width: 300px; height: 8px; background: grey"></div><hr aria-label=Line><script>
  let from = null;
  x.onpointerdown = (event) => { from = event.clientX - left.offsetWidth; x.setPointerCapture(event.pointerId) };
  x.onpointermove = (event) => {
    if (from === null) return;
    left.style.width = `${Math.min(400, Math.max(0, event.clientX - from))}px`;
    x.ariaValueNow = left.offsetWidth / 4;
  };
  x.onpointerup = () => { from = null };
  y.onkeydown = ({ key }) => { y.ariaValueNow = Number(y.ariaValueNow) + 20 * ({ ArrowDown: 1, ArrowUp: -1 }[key] ?? 0) };
</script>"""


@pytest.mark.parametrize(("name", "value"), [("Beside", 60), ("Below", 520)])
async def test_a_splitter_is_shown_with_its_ref_and_takes_a_value(
    browser: int, site: Site, name: str, value: int
) -> None:
    """By dragging if it hears no keys, and across its own direction; a line that only divides is neither."""
    site.pages["/split"] = SPLIT
    async with open_tab(browser, site.url("/split")) as tab:
        shown = await tab.text("snapshot")
        assert re.search(rf'separator "{name}".* ref=e', shown)
        assert re.search(r'separator "Line"$', shown, re.MULTILINE)
        await tab("fill", target={"role": "separator", "name": name}, value=value, timeout=60_000)
        now = await tab.page.evaluate(f"document.querySelector('[aria-label={name}]').ariaValueNow")
        assert float(now) == value


async def test_a_value_between_two_steps_says_which_one_was_taken(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert (await tab.text("fill", selector="#volume", value=52)).endswith('the page made it "50"')


async def test_a_range_that_cannot_take_a_value_says_why(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        beyond = await tab.fails("fill", selector="#guests", value=12)
        assert (beyond.code, "from 1 to 9, not 12" in beyond.message) == (ErrorCode.INVALID_PARAMS, True)
        assert (await tab.fails("fill", selector="#guests", value="many")).code is ErrorCode.INVALID_PARAMS
        stuck = await tab.fails("fill", selector="#stuck", value=4)
        assert (stuck.code, "still 2" in stuck.message) == (ErrorCode.VALUE_REFUSED, True)
