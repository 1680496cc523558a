"""What the browser itself knows to be under way is part of the action: a route, a view transition."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e


UNDER_WAY = {
    "a view transition": "document.startViewTransition(() => (y.textContent = 'after'))",
    "a route": "navigation.navigate('?next')",
}


@pytest.mark.parametrize("how", UNDER_WAY)
async def test_what_the_browser_knows_to_be_under_way_is_part_of_the_action(browser: int, site: Site, how: str) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"""<button id=x>Go</button><p id=y>before</p><script>
            navigation.onnavigate = (event) => event.intercept({{ handler: async () => {{
              await new Promise((resolve) => setTimeout(resolve, 300)); y.textContent = 'after' }} }});
            x.onclick = () => {{ {UNDER_WAY[how]} }}</script>""",
        )
        await tab("snapshot")
        assert '"after" (was "before")' in await tab.text("click", selector="#x")


async def test_a_page_that_stays_at_its_address_has_not_navigated(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<button id=x onclick="history.replaceState({}, '', location.href)">Note</button>
            <button id=y onclick="history.replaceState({}, '', '?next')">Route</button>""",
        )
        assert "navigated to" not in await tab.text("click", selector="#x")
        assert "navigated to" in await tab.text("click", selector="#y")
