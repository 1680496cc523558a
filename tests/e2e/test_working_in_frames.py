"""Frames: in the page's own process and in others, as deep as they go, coming and going."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator

import pytest
import trio

from kapture.errors import ErrorCode, KaptureError
from tests.support.context import Tab, open_tab
from tests.support.framed_pages import BUTTON, frame_at
from tests.support.patience import NEVER
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({}) as site:
        for name in ("Same", "Other", "Deep"):
            site.pages[f"/{name.lower()}"] = BUTTON.replace("{}", name)
        yield site


def nested(site: Site) -> str:
    """Main → another site → back to the first site: three documents in two processes, the middle one padded."""
    site.pages[
        "/middle"
    ] = f"""<body style="margin:0"><p>Middle</p><iframe id=f style="border:7px solid;padding:11px;margin-top:400px"
      width=400 height=150 src="{site.url("/deep")}"></iframe><div style="height:3000px"></div>"""
    site.pages[
        "/nested"
    ] = f"""<title>Main</title><div style="height:1500px"></div><iframe style="border:5px solid" width=500 height=250
      src="{site.url("/middle", "localhost")}"></iframe><div style="height:1500px"></div>"""
    return site.url("/nested")


KINDS = {
    "of the same site": '<iframe src="{same}" width=400 height=200></iframe>',
    "of another site": '<iframe src="{other}" width=400 height=200></iframe>',
    "sandboxed": '<iframe sandbox="allow-scripts" src="{same}" width=400 height=200></iframe>',
    "without scripts": '<iframe sandbox src="{same}" width=400 height=200></iframe>',
    "far below": '<div style="height:4000px"></div><iframe src="{other}" width=400 height=200></iframe>',
    "with border and padding": '<iframe src="{other}" width=400 height=200 style="border:13px solid;padding:17px;margin:19px"></iframe>',
    "scaled": '<div style="transform:scale(.5);transform-origin:0 0"><iframe src="{other}" width=400 height=200></iframe></div>',
    "rotated": '<iframe src="{other}" width=400 height=200 style="transform:rotate(30deg);margin:150px"></iframe>',
    "in a shadow root": '<div id=h></div><script>h.attachShadow({mode:"open"}).innerHTML = `<iframe src="{other}" width=400 height=200></iframe>`</script>',
    "in a scroller": '<div style="height:120px;width:300px;overflow:auto"><div style="height:900px"></div><iframe src="{same}" width=400 height=200></iframe></div>',
    "an object": '<object data="{same}" width=400 height=200></object>',
}


@pytest.mark.parametrize("html", KINDS.values(), ids=KINDS)
async def test_a_button_in_a_frame_is_clicked_where_it_is(browser: int, site: Site, html: str) -> None:
    same, other = site.url("/same"), site.url("/other", "localhost")
    name = "Same" if "{same}" in html else "Other"
    site.pages["/frame"] = "<!doctype html>" + html.replace("{same}", same).replace("{other}", other)
    async with open_tab(browser, site.url("/frame")) as tab:
        frame = await frame_at(tab, name.lower())
        answer = await tab.text("click", target={"role": "button", "name": name, "exact": True}, timeout=30_000)
        assert f"ref={frame.key}e" in answer
        if "without" not in answer and "sandbox src" not in html:
            assert await tab.page.evaluate("[hits, trusted]", frame=frame) == [1, True]
        await tab("click", target={"css": "#low", "frame": frame.key}, timeout=30_000)
        await tab("fill", target={"label": f"{name} field"}, value="inside")
        assert await tab.page.evaluate("i.value", frame=frame, world="kapture") == "inside"


async def test_frames_in_frames_across_processes_are_reached(browser: int, site: Site) -> None:
    async with open_tab(browser, nested(site)) as tab:
        deep = await frame_at(tab, "/deep")
        await tab("click", target={"role": "button", "name": "Deep", "exact": True}, timeout=30_000)
        assert await tab.page.evaluate("[hits, trusted]", frame=deep) == [1, True]
        await tab("type", target={"css": "#i", "frame": deep.key}, text="deep words", key_events=True)
        await tab("press", key="Backspace")
        assert await tab.page.evaluate("i.value", frame=deep) == "deep word"
        assert [frame.key for frame in (deep, *deep.ancestors())] == ["f2", "f1", ""]


async def test_element_covering_frame_is_named(browser: int, site: Site) -> None:
    site.pages["/covered"] = f"""<iframe src="{site.url("/other", "localhost")}" width=400 height=200></iframe>
    <div class=veil style="position:fixed;inset:0;background:#fff9"></div>"""
    async with open_tab(browser, site.url("/covered")) as tab:
        frame = await frame_at(tab, "/other")
        error = await tab.gives_up("click", target={"css": "#x", "frame": frame.key})
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        assert '<div class="veil">' in error.message
        assert await tab.page.evaluate("window.hits ?? 0", frame=frame) == 0


async def test_a_frame_keeps_its_key_from_site_to_site_and_its_old_refs_expire(browser: int, site: Site) -> None:
    site.pages["/moving"] = f'<iframe id=f src="{site.url("/same")}" width=400 height=200></iframe>'
    async with open_tab(browser, site.url("/moving")) as tab:
        first = await frame_at(tab, "/same")
        ref = (await tab.data("click", target={"css": "#x", "frame": first.key}))["ref"]
        for path, host in (("/other", "localhost"), ("/same", "127.0.0.1"), ("/deep", "localhost")):
            await tab.page.evaluate(f"f.src = '{site.url(path, host)}'")
            frame = await frame_at(tab, path)
            answer = await tab.data("click", target={"css": "#x", "frame": path}, timeout=30_000)
            assert answer["ref"].startswith(frame.key + "e")
            error = await tab.fails("click", target={"ref": ref})
            assert error.code is ErrorCode.REF_EXPIRED
            ref = answer["ref"]


async def test_a_removed_frame_ends_what_waits_in_it_and_its_key_is_not_used_again(browser: int, site: Site) -> None:
    other = site.url("/other", "localhost")
    site.pages["/removed"] = f'<iframe id=f src="{other}"></iframe>'
    async with open_tab(browser, site.url("/removed")) as tab:
        frame = await frame_at(tab, "/other")
        failures: list[KaptureError] = []

        async def wait() -> None:
            try:
                await tab.page.evaluate(NEVER, frame=frame)
            except KaptureError as error:
                failures.append(error)

        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                await trio.testing.wait_all_tasks_blocked()
                await tab.page.evaluate("f.remove()")
        assert failures[0].code is ErrorCode.DETACHED
        await tab.page.evaluate(
            f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{other}'}}))"
        )
        again = await frame_at(tab, "/other")
        assert again.key != frame.key
        assert (await tab.fails("click", target={"ref": f"{frame.key}e1"})).code is ErrorCode.REF_EXPIRED


async def test_going_back_finds_the_document_and_its_frames_again(browser: int, site: Site) -> None:
    site.pages["/back"] = (
        f'<button id=m>Here</button><iframe src="{site.url("/other", "localhost")}" width=400 height=200></iframe>'
    )
    async with open_tab(browser, site.url("/back")) as tab:
        await frame_at(tab, "/other")
        await tab("navigate", url=site.url("/same", "localhost"))
        await tab("go_back")
        frame = await frame_at(tab, "/other")
        await tab("click", selector="#m")
        await tab("click", target={"role": "button", "name": "Other", "exact": True}, timeout=30_000)
        assert await tab.page.evaluate("hits", frame=frame) == 1


async def test_a_tab_that_already_has_frames_is_taken_over_whole(browser: int, site: Site) -> None:
    from kapture.page import Page
    from tests.support.direct import direct_page

    url = nested(site)
    async with direct_page(browser, url) as connection:
        with trio.fail_after(60):
            async with Page.open(connection, tab_id="late", gate=lambda _: True) as page:
                tab = Tab(page)
                await frame_at(tab, "/deep")
                await tab("click", target={"role": "button", "name": "Deep", "exact": True}, timeout=30_000)


async def test_a_tab_in_the_background_takes_input_as_one_in_front(browser: int, site: Site) -> None:
    site.pages["/behind"] = f"""{BUTTON.replace("{}", "Behind")}<style>@keyframes m{{to{{margin-left:200px}}}}</style>
    <button id=moving style="animation:m .4s forwards">Moving</button><iframe src="{site.url("/other", "localhost")}" width=400 height=200></iframe>"""
    async with open_tab(browser, site.url("/behind")) as tab, open_tab(browser, site.url("/same")) as front:
        await front.page.connection.root.send("Page.bringToFront")
        frame = await frame_at(tab, "/other")
        await tab("click", selector="#moving")
        await tab("click", target={"role": "button", "name": "Behind", "exact": True})
        await tab("fill", target={"label": "Behind field"}, value="typed")
        await tab("type", target={"label": "Behind field"}, text="!", key_events=True)
        await tab("click", target={"css": "#x", "frame": frame.key})
        await tab("scroll", delta_y=300)
        await tab("fill", target={"label": "Other field"}, value="typed")
        assert await tab.page.evaluate("[hits, i.value]") == [1, "typed!"]
        assert await tab.page.evaluate("[hits, i.value]", frame=frame) == [1, "typed"]
        # What makes the browser answer input in a hidden tab at once instead of after seconds.
        assert await tab.page.evaluate("[document.visibilityState, document.hasFocus()]") == ["visible", True]


async def test_a_frame_that_hangs_does_not_keep_the_page_from_being_used(browser: int, site: Site) -> None:
    site.pages["/hang"] = f"""<button id=m onclick="window.hit=1">Main</button>
    <iframe src="{site.url("/other", "localhost")}" width=400 height=200></iframe>"""
    async with open_tab(browser, site.url("/hang")) as tab:
        frame = await frame_at(tab, "/other")
        context = await frame.context("main")
        busy = {"expression": "for (const end = Date.now() + 120_000; Date.now() < end;);", "contextId": context.number}
        frame.session.submit("Runtime.evaluate", busy)
        await tab("click", selector="#m", timeout=30_000)
        assert await tab.page.evaluate("hit") == 1


async def test_listening_elements_are_marked_in_page_and_all_frames(browser: int, site: Site) -> None:
    parts = "<div id=own>Part</div><script>own.addEventListener('click', () => 1)</script>"
    site.pages["/part"] = parts
    site.pages["/parts"] = parts + "<iframe src=/part></iframe>" * 8
    async with open_tab(browser, site.url("/parts")) as tab:
        assert (await tab.text("snapshot")).count("[clickable]") == 9
