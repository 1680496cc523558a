"""Spontaneous changes are neither waited for nor reported as the effect of an action."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import time

import pytest

from kapture.page.settling import settle
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

TICKS = "const ticks=(more)=>new Promise(done=>{const until=n+more;(function look(){n>=until?done():setTimeout(look,20)})()});"

LIST = f"""<div id=t></div><button id=x>Buy</button><button id=c>Add</button><p id=p>none</p><script>let n=0,cart=0;{TICKS}
const render=()=>{{n++;t.innerHTML=`<ul><li>ACME <b>${{100+n}}</b><li>Cart ${{cart}}</ul>`}};setInterval(render,120);render();
x.onclick=()=>setTimeout(()=>p.textContent='bought',200);c.onclick=()=>{{cart++;render()}}
</script>"""

CLOCK = f"""<p>Time <span id=t>12:00:0</span></p><div id=s style="rotate:0deg">*</div><button id=x>Buy</button><p id=p>none</p>
<script>let n=0;{TICKS}const words=['one','two','three'];
setInterval(()=>{{n++;t.textContent='12:00:'+n;w.textContent=words[n%3];s.style.rotate=n+'deg'}},150);
x.onclick=()=>setTimeout(()=>p.textContent='bought',200)</script><p id=w>zero</p>"""


@pytest.mark.parametrize("page", [LIST, CLOCK])
async def test_ticking_page_is_acted_on_like_any_other(browser: int, site: Site, page: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, page)
        await tab("snapshot")
        await tab.page.evaluate("ticks(10)")
        answer = await tab.text("click", selector="#x")
        assert '"bought" (was "none")' in answer
        assert "by itself" in answer or "by themselves" in answer
        changed = [line for line in answer.splitlines() if line.startswith(("~", "+", "-"))]
        assert not [line for line in changed if any(part in line for part in ("ACME", "12:00"))]


async def test_effect_in_a_part_that_ticks_is_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, LIST)
        await tab("snapshot")
        await tab.page.evaluate("ticks(10)")
        assert '"Cart 1" (was "Cart 0")' in await tab.text("click", selector="#c")


async def test_ticking_is_not_waited_for(browser: int, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "AT_MOST_S", 20)
    async with open_tab(browser) as tab:
        await at(tab, site, CLOCK.replace("setTimeout(()=>p.textContent='bought',200)", "p.textContent='bought'"))
        await tab("snapshot")
        await tab.page.evaluate("ticks(10)")
        began = time.monotonic()
        assert "bought" in await tab.text("click", selector="#x")
        assert time.monotonic() - began < 10
