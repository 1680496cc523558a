"""A person points at something in a page, and the clients of the tab get it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.direct import attached, targets
from tests.support.patience import evaluate, until
from tests.support.person import Person
from tests.support.shared_panel import SharedPanel
from tests.support.site import NO_ICON, Site, serving
from tests.support.stack import HubProcess, call, images_of, mcp_client

pytestmark = pytest.mark.e2e

PAGE = (
    f"{NO_ICON}<title>Shop</title><div style='height: 300px'></div>"
    "<button id=save style='position: absolute; left: 40px; top: 200px; width: 200px; height: 60px'>Save</button>"
    "<div style='height: 3000px'></div>"
    # A page that would make a pin by itself.
    "<script>setInterval(() => postMessage({do: 'pin', note: 'by the page'}, '*'), 100)</script>"
)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/": PAGE}) as served:
        yield served


async def point(person: Person, site: Site, *points: tuple[int, int]) -> None:
    """Press the pointer at the first point of the page, and release it at the last, until something is picked: the
    browser says nothing when it is ready for that."""

    async def picked() -> bool:
        async with attached(await person.target(site.url("/"))) as page:
            moves = (("Moved", points[0]), ("Pressed", points[0]), ("Moved", points[-1]), ("Released", points[-1]))
            for kind, (x, y) in moves:
                event = {"type": f"mouse{kind}", "x": x, "y": y, "button": "left", "clickCount": 1}
                await page.root.send("Input.dispatchMouseEvent", event)
        return any("pin.html" in target["url"] for target in await targets(person.port))

    await until(picked, "the window for the note")


async def test_pin_comes_with_the_next_answer_of_each_client(
    hub: HubProcess, person: Person, shared_panel: SharedPanel, site: Site
) -> None:
    async with (
        mcp_client(hub, "--toolsets", "all") as client,
        mcp_client(hub, "--toolsets", "all") as other,
        shared_panel.on(site.url("/")) as panel,
    ):
        await panel.says("Shop")
        await panel.press("Connect")
        tab_id = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
        assert "by the page" not in await call(client, "pins", tabId=tab_id)
        await panel.press("An element")
        await point(person, site, (100, 230))
        async with person.view("pin.html") as window:
            await window.fill("#note", 'this one is "too" small')
            await window.press("Send")
        await panel.says("too")
        for one in (client, other):
            said = await call(one, "get_text", tabId=tab_id)
            assert said.startswith("The person points at ref=e")
            assert 'button "Save"' in said
            assert ': "this one is \\"too\\" small"' in said
            assert "points at" not in await call(one, "get_text", tabId=tab_id)
        result = await client.call_tool("kapturemcp_pins", {"tabId": tab_id})
        (picture,) = images_of(result)
        assert picture.mime_type == "image/jpeg"
        contents = (await client.read_resource(f"kapture://tab/{tab_id}/pins")).contents
        assert "points at" in getattr(contents[0], "text", "")
        await panel.press("Draw a rectangle")
        await point(person, site, (20, 180), (300, 280))
        async with person.view("pin.html") as window:
            await window.press("Send")

        async def drawn() -> bool:
            return "around ref=e" in await call(client, "pins", tabId=tab_id)

        await until(drawn, "the pin of the rectangle")
        async with attached(await person.target(site.url("/"))) as page:
            await evaluate(page, "document.querySelector('#save').remove()")

        async def gone() -> bool:
            return "no pins" in await call(client, "pins", tabId=tab_id)

        await until(gone, "the end of the pins with their element")
