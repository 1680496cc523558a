"""A page's console messages, in a real browser."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import trio

from tests.support.context import Tab, open_tab
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e

SCRIPT = {"Content-Type": "text/javascript"}

PAGES: dict[str, Page | str] = {
    "/": "<title>Home</title>",
    "/talks": """<script>
        console.log("first", 1, {a: [1, 2], b: null}, undefined)
        console.info("%s has %d items", "Cart", 3.7)
        console.warn("careful")
        console.error("broken", new Error("why"))
        console.debug("detail")
        console.assert(false, "never")
        console.table([{x: 1}])
    </script>""",
    "/next": "<script>console.log('on the next page')</script>",
    "/throws": """<script>
        addEventListener("load", function loaded() { inner() })
        function inner() { null.boom }
        Promise.reject(new TypeError("nobody caught me"))
        Promise.reject("only words")
    </script>""",
    "/worker": "<script>new Worker('/worker.js')</script>",
    "/worker.js": Page(
        "console.log('from the worker', {a: 1}); setTimeout(function tick() { throw new Error('in the worker') })",
        headers=SCRIPT,
    ),
    "/missing": "<img src=/nowhere.png>",
    "/many": "<script>for (let i = 0; i < 1500; i++) console.log('line ' + i)</script>",
    "/inner": "<script>console.log('inner speaks'); setTimeout(() => { throw new Error('inner error') })</script>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(PAGES) as served:
        served.pages["/frames"] = f"<iframe src='{served.url('/inner', 'localhost')}'></iframe>"
        yield served


@pytest.fixture
async def tab(browser: int) -> AsyncIterator[Tab]:
    async with open_tab(browser) as opened:
        yield opened


async def settled(tab: Tab, entries: int) -> list[dict[str, object]]:
    """All entries, once there are so many."""
    with trio.fail_after(30):
        while len(list(tab.page.console.newest_first())) < entries:
            await tab.page.console.changed.wait()
    logs: list[dict[str, object]] = (await tab.data("logs", max=1_000))["entries"]
    return logs


async def test_messages_are_reported_newest_first_with_level_and_text(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/talks"))
    logs = await settled(tab, 7)
    assert [(entry["level"], entry["message"]) for entry in reversed(logs)] == [
        ("log", "first 1 {a: Array(2), b: null} undefined"),
        ("info", "Cart has 3 items"),
        ("warn", "careful"),
        ("error", logs[3]["message"]),
        ("debug", "detail"),
        ("error", "never"),
        ("log", logs[0]["message"]),
    ]
    assert str(logs[3]["message"]).startswith("broken Error: why\n    at ")
    assert logs[0]["message"] == "[{x: 1}]"
    stamps = [str(entry["timestamp"]) for entry in logs]
    assert stamps == sorted(stamps, reverse=True)
    assert all(stamp.endswith("Z") and "T" in stamp for stamp in stamps)


async def test_entries_survive_navigation(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/talks"))
    await settled(tab, 7)
    await tab("navigate", url=site.url("/next"))
    logs = await settled(tab, 8)
    assert logs[0]["message"] == "on the next page"
    assert logs[-1]["message"] == "first 1 {a: Array(2), b: null} undefined"


async def test_level_source_text_time_and_number_select(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/talks"))
    await settled(tab, 7)

    async def selected(**filters: object) -> list[str]:
        return [entry["message"].split(" ")[0] for entry in (await tab.data("logs", **filters))["entries"]]

    assert await selected(level="warn") == ["careful"]
    assert await selected(level=["warn", "debug"]) == ["detail", "careful"]
    assert await selected(text="CAREFUL") == ["careful"]
    assert await selected(max=1, level="error") == ["never"]
    assert await selected(source="exception") == []
    assert await selected(last_ms=0.001) == []
    assert len(await selected(last_ms=60_000)) == 7
    assert (await tab.data("logs", max=2))["more"] == 5


async def test_a_cursor_tells_only_what_came_after_it(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/talks"))
    await settled(tab, 7)
    cursor = (await tab.data("logs"))["cursor"]
    assert (await tab.data("logs", since=cursor))["entries"] == []
    await tab.page.evaluate("console.log('after')")
    logs = await tab.data("logs", since=cursor)
    assert [entry["message"] for entry in logs["entries"]] == ["after"]
    assert logs["cursor"] == cursor + 1


async def test_uncaught_errors_and_rejections_come_with_their_stacks(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/throws"))
    await settled(tab, 3)
    logs = (await tab.data("logs", source="exception"))["entries"]
    assert {entry["message"].partition(":")[0] for entry in logs} == {
        "Uncaught TypeError",
        "Uncaught (in promise) TypeError",
        "Uncaught (in promise) only words",
    }
    thrown = next(entry for entry in logs if entry["message"].startswith("Uncaught TypeError"))
    assert "at inner (" in thrown["stack"]
    assert "at loaded (" in thrown["stack"]
    assert thrown["location"].startswith("throws:")
    assert "at inner" not in await tab.text("logs", stack=False)


async def test_workers_are_heard_with_their_errors(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/worker"))
    logs = await settled(tab, 2)
    messages = {entry["message"]: entry for entry in logs}
    assert "from the worker {a: 1}" in messages
    error = messages["Uncaught Error: in the worker"]
    assert error["source"] == "exception"
    assert "at tick (" in str(error["stack"])


async def test_a_resource_that_fails_is_reported_with_its_address(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/missing"))
    await settled(tab, 1)
    (entry,) = (await tab.data("logs", source="network", text="nowhere.png"))["entries"]
    assert "404" in entry["message"]
    assert site.url("/nowhere.png") in entry["message"]


async def test_a_thousand_entries_are_kept_and_the_loss_of_older_ones_is_reported(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/many"))
    logs = await settled(tab, 1_000)
    assert len(logs) == 1_000
    with trio.fail_after(30):
        while tab.page.console.cursor < 1_500:
            await tab.page.console.changed.wait()
    answer = await tab.data("logs", max=1_000, since=100)
    assert answer["entries"][0]["message"] == "line 1499"
    assert answer["entries"][-1]["message"] == "line 500"
    assert answer["missed"] == 400


async def test_a_message_can_neither_forge_entries_nor_steer_a_terminal(tab: Tab) -> None:
    forged = "2026-01-01T00:00:00.000Z error: forged"
    await tab.page.evaluate(f"console.log('a\\n{forged}\\x1b[31m\\u202e\\u0000\\ud800b')")
    text = await tab.text("logs")
    assert f"\n    {forged}" in text
    assert "\\x1b[31m\\u202e\\x00\ufffdb" in text
    assert "\x1b" not in text
    text.encode()


async def test_frames_are_heard_and_those_outside_the_grant_withheld(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/frames"))
    assert {entry["message"] for entry in await settled(tab, 2)} >= {"inner speaks", "Uncaught Error: inner error"}
    tab.page.gate = lambda url: "localhost" not in url
    answer = await tab.data("logs")
    assert answer["entries"] == []
    assert answer["hidden"] == 2
    assert "inner" not in await tab.text("logs")


async def test_entries_of_documents_without_address_belong_to_their_creators(tab: Tab, site: Site) -> None:
    await tab("navigate", url=site.url("/"))
    await tab.page.evaluate(
        """for (const src of ["srcdoc", "src"]) {
            const frame = document.createElement("iframe")
            const script = `<script>console.log("by " + ${JSON.stringify(src)})<\\/script>`
            frame[src] = src === "src" ? "data:text/html," + script : script
            document.body.append(frame)
        }"""
    )
    await settled(tab, 2)
    tab.page.gate = lambda url: url.startswith(site.url("/"))
    logs = (await tab.data("logs", text="by "))["entries"]
    assert {entry["message"] for entry in logs} == {"by srcdoc", "by src"}
