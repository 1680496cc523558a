"""A handler that goes on by a message (MessageChannel, postMessage, the scheduler) is waited for."""

from __future__ import annotations

import pytest

from kapture.page.actions.click import click
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

MESSAGES = {
    "a channel": "const {port1, port2} = new MessageChannel(); port1.onmessage = work; port2.postMessage(0)",
    "a window": "window.onmessage = work; postMessage(0)",
    "the scheduler": "scheduler.postTask(work)",
}


@pytest.mark.parametrize("how", MESSAGES)
@pytest.mark.parametrize("reading", ["get_text", "evaluate"])
async def test_whoever_reads_next_sees_what_a_message_has_done(
    browser: int, site: Site, how: str, reading: str
) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"""<button id=x>Go</button><p id=y>before</p><script>
            const work = () => y.textContent = 'after'; x.onclick = () => {{ {MESSAGES[how]} }}</script>""",
        )
        asked = {"target": "#y"} if reading == "get_text" else {"code": "y.textContent"}
        for _ in range(5):
            await tab.page.evaluate("y.textContent = 'before'")
            await tab("click", selector="#x")
            assert await tab.text(reading, **asked) == "after"


async def test_a_page_that_may_go_on_by_messages_is_waited_for_when_it_is_shown(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        for sign in ("document.body.__reactContainer$a1 = {}", "window.setImmediate = () => 0", "onmessage = () => 0"):
            await at(tab, site, f"<button id=x onclick='1'>Go</button><script>{sign}</script>")
            await tab("snapshot")
            async with tab.page.acting(thorough=True):
                await click(tab.page, "#x")
            assert not tab.page.frames.main.resting


async def test_a_page_that_once_went_on_by_messages_is_waited_for_from_then_on(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        script = "const c = new MessageChannel; c.port1.onmessage = () => p.append('more'); c.port2.postMessage(0)"
        await at(tab, site, f'<button id=x onclick="{script}">Go</button><p id=p>text</p>')
        await tab("snapshot")
        for _ in range(50):
            async with tab.page.acting(thorough=True):
                await click(tab.page, "#x")
            if tab.page.frames.main.resting:  # the message came after the answer, and not before it
                break
        await tab("get_text", target="#p")
        async with tab.page.acting(thorough=True):
            await click(tab.page, "#x")
        assert not tab.page.frames.main.resting
