"""Attempts of a page to get the pixels of a frame outside the grant into a picture: B shares its process, C does
not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.context import open_tab
from tests.support.shots import shot, shot_when
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e

RED = (255, 0, 0)

UNDONE = """setInterval(() => { document.querySelector('iframe').getAnimations().forEach((one) => one.cancel());
    document.querySelectorAll('html > div').forEach((one) => one.remove()); }, 1)"""
"""It takes away what hides the frame from outside."""

FROZEN = """const frame = document.querySelector('iframe');
    function freeze() { return document.startViewTransition(() => frame.remove()).ready }
    </script><style>::view-transition-old(root) { animation: stay 1000s; opacity: 1 } @keyframes stay {}
    ::view-transition-new(root) { animation: none; opacity: 0 }</style><script>"""
"""It goes on showing the frame as it was, when it is not there any more."""

FROZEN_IN_SHADOW = """const frame = document.querySelector('iframe');
    const host = document.body.appendChild(document.createElement('x-host')), box = document.createElement('div');
    const style = Object.assign(document.createElement('style'), { textContent: `div { position: fixed; inset: 0;
    contain: layout } div::view-transition-old(root) { animation: stay 1000s; opacity: 1 } @keyframes stay {}
    div::view-transition-new(root) { animation: none; opacity: 0 }` });
    host.attachShadow({ mode: 'closed' }).append(style, box); box.append(frame);
    function freeze() { return box.startViewTransition(() => frame.remove()).ready }"""
"""It does so inside of a closed shadow root."""

NESTED = "function freeze() { return frames[0].freeze() }"
"""A frame of the same site does so."""


@pytest.fixture(scope="module")
def frames() -> Iterator[Site]:
    with serving({"/": "<body style='margin:0;background:red'>"}) as served:
        yield served


@pytest.fixture(scope="module")
def site(frames: Site) -> Iterator[Site]:
    style = "position:fixed;inset:0;width:100%;height:100%;border:0"
    pages = {
        f"/{name}/{script_name}": f"<body><iframe src='{url}' style='{style}'></iframe><script>{script}</script>"
        for name, url in (("b", frames.url("/")), ("c", frames.url("/", "localhost")))
        for script_name, script in (("undone", UNDONE), ("frozen", FROZEN), ("shadow", FROZEN_IN_SHADOW))
    }
    pages["/b/nested"] = f"<body><iframe src='/b/frozen' style='{style}'></iframe><script>{NESTED}</script>"
    with serving(pages) as served:
        yield served


@pytest.mark.parametrize("whose", ["b", "c"])
async def test_scripts_of_a_page_cannot_uncover_a_frame_outside_the_grant(
    browser: int, site: Site, frames: Site, whose: str
) -> None:
    async with open_tab(browser) as tab:
        await tab("navigate", url=site.url(f"/{whose}/undone"))
        await shot_when(lambda taken: taken.holds(RED), tab, max_side=100)
        tab.page.gate = lambda url: f":{frames.port}" not in url
        assert not (await shot(tab, max_side=100)).holds(RED)
        tab.page.gate = lambda _: True
        await shot_when(lambda taken: taken.holds(RED), tab, max_side=100)  # it uncovers itself


@pytest.mark.parametrize("path", ["/b/frozen", "/c/frozen", "/b/shadow", "/b/nested"])
async def test_a_view_transition_does_not_keep_a_frame_outside_the_grant_in_the_picture(
    browser: int, site: Site, frames: Site, path: str
) -> None:
    async with open_tab(browser) as tab:
        await tab("navigate", url=site.url(path))
        await shot_when(lambda taken: taken.holds(RED), tab, max_side=100)
        await tab.page.evaluate("freeze()")
        tab.page.gate = lambda url: f":{frames.port}" not in url
        assert not (await shot(tab, max_side=100)).holds(RED)
