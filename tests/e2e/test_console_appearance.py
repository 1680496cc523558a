"""The look of the Console: a picture of each view for people to look at, and axe-core's findings in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kapture.cli.demo import demo_shop
from tests.support.axe import violations
from tests.support.console import ConsolePage, console_page
from tests.support.stack import hub_process, launch_process, launched_beside

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "artifacts" / "console"
SIZES = [(1440, 900), (800, 700)]
# Controls that lie beyond the right edge; a table and an outline scroll by themselves.
_BEYOND = """
  all('button, select, input').filter((one) => {
    const { right, width } = one.getBoundingClientRect();
    const alone = (from) => from && (from.closest('table, kc-outline') || alone(from.getRootNode().host));
    return width > 0 && right > innerWidth + 1 && !alone(one);
  }).map((one) => `${(one.ariaLabel || one.textContent || one.tagName).trim()} is out of reach`)
"""
_WITHOUT_FOCUS = "(() => { let one = document; while ((one = (one.shadowRoot ?? one).activeElement)) one.blur(); })()"
NEWS = (
    "data:text/html,<title>News of the day</title><body style='margin:3em'><h1>News</h1><p id=p>0</p>"
    "<script>console.info('loaded');console.warn('slow picture');console.error('no such thing');"
    "setInterval(() => p.textContent++, 500)</script>"
)
LONG = f"data:text/html,<title>{'A title that goes on ' * 20}</title>"
VIEWS = ["wall", "commands", "scenarios", "activity", "logs", "network", "status"]


@asynccontextmanager
async def busy_console(tmp_path: Path, browser: int) -> AsyncIterator[ConsolePage]:
    """The Console over three tabs, on which some things have been done."""
    with (
        hub_process(tmp_path / "home") as hub,
        demo_shop() as shop,
        launch_process(hub, [shop, NEWS, f"{shop}#more"]),
    ):
        async with console_page(hub, browser) as console:
            await console.until("all('kc-picture').filter((picture) => picture.drawn).length === 3", "the pictures")
            await console.show("commands")
            await console.choose("fill")
            await console.js(
                "one('kc-app').app.runner.edit('kapturemcp_fill', { target: { label: 'Name' }, value: 'Ada' })"
            )
            await console.run()
            await console.choose("click")
            await console.js("one('kc-app').app.runner.edit('kapturemcp_click', { target: { ref: 'e99' } })")
            await console.run()
            await console.choose("snapshot")
            await console.run()
            await console.until("one('kc-outline')", "the outline")
            yield console


@pytest.mark.long
async def test_every_view_has_its_picture_and_axe_finds_nothing(tmp_path: Path, browser: int) -> None:
    wrong = []
    async with busy_console(tmp_path, browser) as console:
        for view in VIEWS:
            await console.show(view)
            if view == "logs":
                await console.js("one('kc-app').app.set({ tabId: [...one('kc-app').app.live.tabs.keys()][1] })")
                await console.until("textOf(one('k-log')).includes('slow picture')", "the log")
            if view == "network":
                await console.js("one('kc-app').app.set({ tabId: [...one('kc-app').app.live.tabs.keys()][0] })")
                await console.until("textOf(one('kc-network')).includes('shop.js')", "the requests")
                await console.press("all('[role=option]').find((row) => row.textContent.includes('shop.js'))")
                await console.until("textOf(one('kc-request')).includes('Response headers')", "one of them whole")
            if view == "status":
                await console.until("textOf(one('kc-status')).includes('data folder')", "the checks")
            for width, height in SIZES:
                for dark in (False, True):
                    await console.size(width, height, dark=dark)
                    if view == "wall":
                        await console.until("all('kc-picture').some((picture) => picture.drawn)", "a picture")
                    name = f"{view}-{width}-{'dark' if dark else 'light'}.png"
                    await console.js(_WITHOUT_FOCUS)  # a dialog has given it back
                    await console.picture(ARTIFACTS / name)
                    wrong += [f"{name}: {line}" for line in await violations(console.js, colours_only=dark)]
                    if view == "wall":
                        await console.js("all('.menu').at(-1).showPopover()")
                        await console.picture(ARTIFACTS / f"menu-{name}")
                        wrong += [f"menu-{name}: {line}" for line in await violations(console.js, colours_only=dark)]
                        await console.js("all('.menu').at(-1).hidePopover()")
                        await console.js("one('kc-tab-card').narrowing = true")
                        await console.until("one('kc-narrow')?.renderRoot.querySelector('dialog[open]')", "the dialog")
                        await console.js("one('kc-narrow').listed = 'shop.example, 127.0.0.1:8000'")
                        await console.until("one('kc-narrow').renderRoot.querySelector('[type=text]')", "its sites")
                        await console.picture(ARTIFACTS / f"narrow-{name}")
                        wrong += [f"narrow-{name}: {line}" for line in await violations(console.js, colours_only=dark)]
                        await console.js("one('kc-narrow').renderRoot.querySelector('dialog').close()")
                        await console.until("!one('kc-narrow')", "the wall again")
                    if await console.js("document.documentElement.scrollWidth > innerWidth"):
                        wrong.append(f"{name}: scrolls sideways")
            await console.size(280, 700)
            wrong += [f"{view} at 280 px: {control}" for control in await console.js(_BEYOND)]
            if await console.js("document.documentElement.scrollWidth > innerWidth"):
                wrong.append(f"{view} at 280 px: scrolls sideways")
        assert not wrong, "\n".join(sorted(set(wrong)))
        assert console.problems == []


@pytest.mark.long
async def test_the_first_steps_and_a_tab_at_large_have_their_pictures(tmp_path: Path, browser: int) -> None:
    wrong = []
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        async with console_page(hub, browser) as console:
            await console.until("textOf(one('kc-welcome')).includes('Connect a tab')", "the steps")
            for dark in (False, True):
                await console.size(1440, 900, dark=dark)
                await console.picture(ARTIFACTS / f"welcome-{'dark' if dark else 'light'}.png")
                wrong += await violations(console.js, colours_only=dark)
            async with launched_beside(hub, [shop, LONG]):
                await console.until("all('kc-picture').filter((picture) => picture.drawn).length === 2", "the pictures")
                for dark in (False, True):
                    await console.size(800, 900, dark=dark)
                    await console.picture(ARTIFACTS / f"steps-{'dark' if dark else 'light'}.png")
                    wrong += await violations(console.js, colours_only=dark)
                await console.js("window.before = true, location.reload()")
                await console.until("!window.before && one('.steps')", "the steps after a reload")
                for title in ("Corner Shop", "A title"):
                    enlarge = f"all('.show').find(({{ ariaLabel }}) => ariaLabel.startsWith('Enlarge {title}'))"
                    await console.press(enlarge)
                    await console.until("one('kc-stage kc-picture, dialog kc-picture')?.drawn", "the large picture")
                    for width, dark in ((1440, False), (1440, True), (800, False)):
                        await console.size(width, 900, dark=dark)
                        name = f"stage-{title.split()[-1]}-{width}-{'dark' if dark else 'light'}.png"
                        await console.picture(ARTIFACTS / name)
                        wrong += await violations(console.js, colours_only=dark)
                        right = "one('kc-stage').renderRoot.querySelector('.head').getBoundingClientRect().right"
                        if await console.js(f"{right} > one('dialog[open]').getBoundingClientRect().right"):
                            wrong.append(f"{name}: the buttons lie outside")
                    await console.js("one('kc-app').app.closeStage()")
                    await console.until("!one('kc-stage')", "the wall again")
        assert not wrong, "\n".join(sorted(set(wrong)))
