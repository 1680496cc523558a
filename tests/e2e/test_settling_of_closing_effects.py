"""What an action closes or folds up is gone in its answer, also where the page animates that first."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

STYLE = """<style>.shut { animation: 0.3s forwards away } @keyframes away { to { LAST } }
.folds { transition: 0.3s; overflow: hidden } #sheet { position: fixed; bottom: 0 }</style>"""

BY_ANIMATION = """<main><button id=x>Close</button></main><div id=sheet role=dialog aria-label=Sure><p>Really?</p></div>
<script>x.onclick = () => { sheet.className = 'shut'; sheet.onanimationend = () => sheet.remove() }</script>"""


@pytest.mark.parametrize("last", ["opacity: 0", "transform: translateY(100%)", "height: 0", "visibility: hidden"])
async def test_a_dialog_that_disappears_by_an_animation_is_gone(browser: int, site: Site, last: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, STYLE.replace("LAST", last) + BY_ANIMATION)
        await tab.text("snapshot")
        assert '- dialog "Sure"' in await tab.text("click", selector="#x")


async def test_a_drawer_that_slides_out_of_its_backdrop_is_gone(browser: int, site: Site) -> None:
    """Ant Design's drawers and Ionic's sheets are placed in a fixed box, which they leave."""
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<style>#over { position: fixed; inset: 0 } #drawer { position: absolute; right: 0; transition: transform .3s }
            .shut #drawer { transform: translateX(100%) }</style>
            <div id=over><div id=drawer role=dialog aria-label=Filters><p>All of them</p></div></div><p id=said></p>
            <script>onkeydown = () => { said.textContent = 'No filters'; over.className = 'shut'; drawer.ontransitionend = () => over.remove() }</script>""",
        )
        await tab.text("snapshot")
        assert '- dialog "Filters"' in await tab.text("press", key="Escape")


async def test_a_panel_that_a_transition_folds_up_is_gone(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            STYLE
            + """<button id=x>Less</button><div id=more class=folds style='height: 90px'><p>The whole story</p></div>
            <script>x.onclick = () => { more.style.height = 0; more.ontransitionend = () => more.hidden = true }</script>""",
        )
        await tab.text("snapshot")
        assert '- "The whole story"' in await tab.text("click", selector="#x")


async def test_a_panel_that_transitions_make_visible_is_shown_whole(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<style>#p{visibility:hidden} #p.on{visibility:visible} #p *{transition:all .2s} #late{transition-delay:.1s!important}
            </style><button id=x>Colours</button><div id=p><button>Red</button><button id=late>Blue</button></div>
            <script>x.onclick = () => p.classList.add('on')</script>""",
        )
        await tab.text("snapshot")
        answer = await tab.text("click", selector="#x")
        assert '"Red"' in answer
        assert '"Blue"' in answer


async def test_a_dialog_that_a_key_closes_without_a_target_is_gone(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        body = BY_ANIMATION.replace("x.onclick", "document.onkeydown")
        await at(tab, site, STYLE.replace("LAST", "opacity: 0") + body)
        await tab.text("snapshot")
        assert '- dialog "Sure"' in await tab.text("press", key="Escape")
