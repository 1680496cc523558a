"""Pictures of pages in a real browser: what is in them, and what is not."""

from __future__ import annotations

import base64
import zlib
from collections.abc import AsyncIterator, Iterator

import pytest

from kapture.errors import ErrorCode
from tests.support.context import Tab, open_tab
from tests.support.picture import picture, png, size
from tests.support.shots import shot, shot_when
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 128, 0), (0, 0, 255), (255, 255, 255)

PAGES: dict[str, Page | str] = {
    "/": """<title>Shapes</title><body style="margin:0">
        <div id=red style="position:absolute;left:40px;top:30px;width:200px;height:100px;background:red"></div>
        <button style="position:absolute;left:300px;top:30px;width:100px;height:40px">Save</button>
        <div id=empty></div>""",
    "/tall": """<body style="margin:0"><div style="height:3000px;background:red"></div>
        <div id=end style="height:100px;background:blue"></div>""",
    "/vast": "<body style='margin:0'><div style='height:40000px;background:linear-gradient(red,blue)'></div>",
    "/wide": "<body style='margin:0'><div style='height:50px;width:20000px;background:green'></div>",
    "/scroller": """<body style="margin:0"><div style="height:2000px"></div>
        <div style="width:300px;height:300px;overflow:auto"><div style="height:1000px"></div>
        <div id=inside style="width:100px;height:60px;background:green"></div><div style="height:1000px"></div></div>
        <div style="height:2000px"></div>""",
    "/red": "<body style='margin:0;background:red'>",
    "/print": "<div style='height:90px;width:190px;background:red'>words</div>",
    "/green": "<body style='margin:0;background:green'><div id=box style='width:50px;height:40px;background:blue'>",
    "/prints": "<p style='break-after:page'>one</p><p style='break-after:page'>two</p><p>three</p>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(PAGES) as served:
        here, there = served.url("", "127.0.0.1"), served.url("", "localhost")
        frame = "border:0;position:absolute;width:200px;height:100px"
        at = f"style='{frame};left:50px;top:40px'"
        served.pages |= {
            "/foreign": f"<body style='margin:0'><iframe src='{there}/red' {at}></iframe>",
            "/nested": f"<body style='margin:0'><iframe src='{there}/middle' {at}></iframe>",
            "/middle": f"<body style='margin:0;background:green'>"
            f"<iframe src='{here}/red' style='{frame};left:20px;top:10px;width:60px;height:50px'></iframe>",
            "/shifting": f"<body style='margin:0'><div style='height:100vh'></div>"
            f"<iframe src='{there}/print' style='border:0;width:200px;height:100px'></iframe>"
            "<div style='height:900px'></div>",
            "/closed": f"""<body style='margin:0'><div id=host></div><script>
                host.attachShadow({{mode: "closed"}}).innerHTML =
                    "<iframe src='{there}/red' {at}></iframe>"</script>""",
            "/scaled": f"""<body style='margin:0'><iframe src='{there}/green'
                style='{frame};left:50px;top:40px;transform:scale(2);transform-origin:0 0'></iframe>""",
            "/below": f"<body style='margin:0'><div style='height:3000px'></div>"
            f"<iframe src='{there}/green' style='border:0;width:200px;height:100px'></iframe>",
        }
        yield served


@pytest.fixture
async def tab(browser: int) -> AsyncIterator[Tab]:
    async with open_tab(browser) as opened:
        yield opened


async def test_by_default_a_picture_is_a_small_jpeg_with_its_scale(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/"))
    await tab("screenshot", width=2_560, height=1_000)  # and the viewport is back afterwards
    result = await tab("screenshot", width=2_560, height=1_000)
    assert size(picture(result)) == ("jpeg", 1_280, 500)
    assert (result.data["width"], result.data["height"], result.data["css_scale"]) == (1_280, 500, 2)
    assert result.text == "screenshot: 1280×500 px, 1 image px = 2 CSS px"
    inner = await tab.page.evaluate("[innerWidth, innerHeight]")
    result = await tab("screenshot", name="small")
    assert [result.data["width"], result.data["height"]] == inner
    assert result.text == f"small: {inner[0]}×{inner[1]} px"


@pytest.mark.parametrize("kind", ["webp", "png", "jpeg"])
async def test_formats_quality_scale_and_longest_side_are_kept(tab: Tab, site: Site, kind: str) -> None:
    await tab("navigate", url=site.url("/vast"))
    region = {"x": 0, "y": 0, "width": 300, "height": 200}
    result = await tab("screenshot", format=kind, region=region, scale=2)
    assert size(picture(result)) == (kind, 600, 400)
    assert result.data["css_scale"] == 0.5
    (part,) = result.parts
    assert (part.mime_type, part.name) == (f"image/{kind}", f"screenshot.{kind}")
    assert size(picture(await tab("screenshot", format=kind, region=region, max_side=150))) == (kind, 150, 100)
    low = picture(await tab("screenshot", format=kind, quality=1))
    high = picture(await tab("screenshot", format=kind, quality=100))
    assert len(low) == len(high) if kind == "png" else len(low) < len(high)


async def test_an_element_is_pictured_alone_by_target_or_selector(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/"))
    for given in ({"selector": "#red"}, {"target": {"css": "#red"}}):
        taken = await shot(tab, **given)
        assert (taken.width, taken.height) == (200, 100)
        assert {taken.at(x, y) for x in (1, 198) for y in (1, 98)} == {RED}
    assert (await tab.gives_up("screenshot", selector="#empty")).code is ErrorCode.ELEMENT_NOT_ACTIONABLE
    assert (await tab.gives_up("screenshot", selector="#none")).code is ErrorCode.ELEMENT_NOT_FOUND
    assert (await tab.fails("screenshot", selector="#red", full_page=True)).code is ErrorCode.INVALID_PARAMS


async def test_the_full_page_is_taken_to_its_end_or_says_where_it_was_cut(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/tall"))
    await tab.page.evaluate("scrollTo(0, 500)")
    result = await tab("screenshot", format="png", full_page=True)
    taken = png(result)
    assert taken.height == 3_100
    assert (taken.at(5, 5), taken.at(5, 3_090)) == (RED, BLUE)
    assert "truncated" not in result.data
    assert await tab.page.evaluate("scrollY") == 500
    result = await tab("screenshot", format="png", full_page=True, max_height=1_000)
    assert png(result).height == 1_000
    assert (result.data["truncated"], result.data["full_height"]) == (True, 3_100)
    assert "truncated: the page is 3100 CSS px high" in result.text
    await tab("navigate", url=site.url("/vast"))
    result = await tab("screenshot", full_page=True)
    assert size(picture(result))[2] == 8_000
    assert (result.data["truncated"], result.data["full_height"]) == (True, 40_000)
    result = await tab("screenshot", full_page=True, max_height=100_000, scale=0.1)
    assert result.data["truncated"] is True
    await tab("navigate", url=site.url("/wide"))
    assert size(picture(await tab("screenshot", full_page=True)))[1] <= 1_280


async def test_a_region_is_what_the_viewport_shows_there(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/tall"))
    await tab.page.evaluate("scrollTo(0, 2900)")
    offset = 3_000 - await tab.page.evaluate("scrollY")
    taken = await shot(tab, region={"x": 10, "y": offset - 10, "width": 30, "height": 20})
    assert (taken.width, taken.height) == (30, 20)
    assert (taken.at(5, 5), taken.at(5, 15)) == (RED, BLUE)


async def test_each_picture_shows_what_the_page_has_become_since_the_last_one(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/tall"))
    assert (await shot(tab)).at(10, 10) == RED
    await tab.page.evaluate("scrollTo(0, 3000)")
    taken = await shot(tab)
    assert taken.at(10, taken.height - 1) == BLUE
    await tab.page.evaluate("document.getElementById('end').style.background = 'green'")
    taken = await shot(tab)
    assert taken.at(10, taken.height - 1) == GREEN
    await tab("emulate", viewport={"width": 500, "height": 300}, device_scale=2)
    taken = await shot(tab)
    assert (taken.width, taken.height, taken.at(10, 299)) == (500, 300, RED)


async def test_a_hidden_tab_is_pictured_as_it_is_now_again_and_again(tab: Tab, site: Site, browser: int) -> None:
    await tab("navigate", url=site.url("/red"))
    async with open_tab(browser) as front:
        await front("navigate", url=site.url("/tall"))
        for colour in (GREEN, BLUE, GREEN):
            name = {GREEN: "green", BLUE: "blue"}[colour]
            await tab.page.evaluate(f"document.body.style.background = '{name}'")
            assert (await shot(tab)).at(10, 10) == colour


async def test_on_dense_screens_pictures_keep_css_pixels_and_scale_gives_more(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/"))
    await tab("emulate", viewport={"width": 500, "height": 300}, device_scale=2)
    assert await tab.page.evaluate("devicePixelRatio") == 2
    taken = await shot(tab)
    assert (taken.width, taken.height) == (500, 300)
    assert (taken.at(41, 31), taken.at(239, 129), taken.at(39, 31)) == (RED, RED, WHITE)
    result = await tab("screenshot", format="png", selector="#red", scale=2)
    assert (png(result).width, result.data["css_scale"]) == (400, 0.5)
    await tab("screenshot", width=700)
    assert await tab.page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [500, 300, 2]


async def test_elements_in_frames_of_other_processes_are_pictured_in_place(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/scaled"))
    taken = await shot_when(lambda taken: taken.holds(BLUE), tab, target={"css": "#box", "frame": "f1"})
    assert (taken.width, taken.height) == (100, 80)
    assert {taken.at(x, y) for x in (2, 97) for y in (2, 77)} == {BLUE}
    await tab("navigate", url=site.url("/below"))
    taken = await shot_when(lambda taken: taken.holds(BLUE), tab, target={"css": "#box"})
    assert (taken.width, taken.height) == (50, 40)
    assert {taken.at(x, y) for x in (2, 47) for y in (2, 37)} == {BLUE}


async def test_labels_name_what_can_be_acted_on_and_are_gone_afterwards(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/"))
    before = await shot(tab)
    result = await tab("screenshot", format="png", labels=True)
    (label,) = result.data["labels"]
    assert label.endswith('button "Save"')
    assert label in result.text
    ref = label.split(" ")[0]
    assert ref in (await tab.text("find", text="Save"))
    labelled = png(result)
    assert labelled.at(300, 50) != before.at(300, 50)
    assert await tab.page.evaluate("document.querySelectorAll('*').length") == 7
    after = await shot(tab)
    assert after.rows == before.rows


FOREIGN = {"/foreign", "/nested", "/closed"}


@pytest.mark.parametrize("path", sorted(FOREIGN))
@pytest.mark.parametrize(
    "way", [{}, {"full_page": True}, {"target": {"css": "body", "frame": "main"}}, {"labels": True}]
)
async def test_frames_outside_the_grant_are_never_in_the_picture(
    tab: Tab, site: Site, path: str, way: dict[str, object]
) -> None:
    await tab("navigate", url=site.url(path))
    await tab.page.evaluate("document.body.style.height = '600px'")
    await shot_when(lambda taken: taken.holds(RED), tab, **way)
    hidden = "/red" if path == "/nested" else "localhost"
    tab.page.gate = lambda url: hidden not in url
    taken = await shot(tab, **way)
    assert not taken.holds(RED)
    assert taken.holds(GREEN) is (path == "/nested")
    tab.page.gate = lambda _: True
    await shot_when(lambda taken: taken.holds(RED), tab, **way)


async def test_a_frame_that_moves_when_the_page_is_drawn_large_stays_covered(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/shifting"))
    tab.page.gate = lambda url: "localhost" not in url
    assert not (await shot(tab, full_page=True)).holds(RED)
    (file,) = (await tab("pdf")).parts
    assert not any(" Tj" in stream for stream in streams(base64.b64decode(file.base64)))
    tab.page.gate = lambda _: True
    (file,) = (await tab("pdf")).parts
    assert any(" Tj" in stream for stream in streams(base64.b64decode(file.base64)))


async def test_a_full_page_shows_frames_of_other_processes_far_down(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/below"))
    await tab.page.evaluate("scrollTo(0, 700)")
    taken = await shot_when(lambda taken: taken.at(150, 3_050) == GREEN, tab, full_page=True)
    assert taken.height == 3_100
    assert await tab.page.evaluate("[scrollY, innerHeight < 1000]") == [700, True]


async def test_a_page_prints_to_pdf_whole_or_in_parts(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/prints"))
    result = await tab("pdf")
    (file,) = result.parts
    content = base64.b64decode(file.base64)
    assert (file.mime_type, file.name) == ("application/pdf", "page.pdf")
    assert content.startswith(b"%PDF-")
    assert result.data["bytes"] == len(content)
    assert pages_of(content) == 3
    (file,) = (await tab("pdf", pages="1, 3-")).parts
    assert pages_of(base64.b64decode(file.base64)) == 2
    (file,) = (await tab("pdf", pages="2-2", landscape=True, paper="letter")).parts
    content = base64.b64decode(file.base64)
    assert pages_of(content) == 1
    assert b"/MediaBox [0 0 792 612]" in content


def pages_of(content: bytes) -> int:
    return content.count(b"/Type /Page\n") + content.count(b"/Type /Page ")


def streams(content: bytes) -> list[str]:
    found = []
    for part in content.split(b"stream\n")[1:]:
        try:
            found.append(zlib.decompressobj().decompress(part).decode("latin-1"))
        except zlib.error:
            continue
    return found


async def test_max_side_holds_for_both_sides_and_the_page_stays_where_it_was(tab: Tab, site: Site) -> None:
    site.pages["/poster"] = (
        "<style>body{margin:0}</style>"
        "<div id=box style='height:100px;overflow:auto'><p style='height:900px'>a<p id=in>in</div>"
        "<div style='height:5000px'></div><p id=end>end</p><select id=s aria-label=Size><option>S<option>M</select>"
    )
    await tab("navigate", url=site.url("/poster"))
    assert max(size(picture(await tab("screenshot", full_page=True, scale=2, max_side=900)))[1:]) <= 900
    assert size(picture(await tab("screenshot", full_page=True)))[2] > 5_000
    for target in ("#end", "#in"):
        await tab("screenshot", selector=target)
        assert await tab.page.evaluate("[scrollY, box.scrollTop]") == [0, 0]
    await tab("scroll", to="bottom")
    labelled = await tab("screenshot", labels=True)
    assert 'combobox "Size"' in labelled.text
