"""Prices and clocks that change by themselves are neither the effect of an action nor its report."""

from __future__ import annotations

import pytest

from kapture.commands.core import later_effects, page_after
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

TICKER = """<div id=t></div><button id=x>Buy</button><button id=c>Add</button><p id=p>none</p><script>let n=0,cart=0;
const render=()=>{n++;t.innerHTML=`<ul><li>ACME <b>${100+n}</b><li>Cart ${cart}</ul>`};setInterval(render,60);render();
x.onclick=()=>setTimeout(()=>p.textContent='bought',300);c.onclick=()=>{cart++;render()};
const ticks=(more)=>new Promise(done=>{const until=n+more;(function look(){n>=until?done():setTimeout(look,20)})()})
</script>"""


async def test_a_page_whose_numbers_change_all_the_time_is_acted_on_like_any_other(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 10)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 30_000)
    async with open_tab(browser) as tab:
        await at(tab, site, TICKER)
        await tab("snapshot")
        await tab.page.evaluate("ticks(40)")
        answer = await tab.text("click", selector="#x", timeout=60_000)
        assert '"bought" (was "none")' in answer
        assert "(a text changes by itself" in answer
        assert "~" not in "".join(line for line in answer.splitlines() if "ACME" in line)
        answer = await tab.text("click", selector="#c", timeout=60_000)
        assert '"Cart 1" (was "Cart 0")' in answer
