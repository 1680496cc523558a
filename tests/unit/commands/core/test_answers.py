"""What models read of answers."""

from __future__ import annotations

from kapture.commands.formatters.links import Link, Links
from kapture.commands.formatters.navigation import Arrived
from kapture.commands.formatters.reading import Read
from kapture.commands.formatters.tables import TableRows
from tests.support.context import View, on_hub


async def test_list_tabs_says_what_to_do_when_nothing_is_connected() -> None:
    assert "press Connect" in (await on_hub("list_tabs", View())).text


async def test_list_tabs_shows_what_is_granted() -> None:
    row = {
        "tabId": "abcd2345",
        "title": 'A "title", with\nlines',
        "url": "https://a.example/",
        "grant": {"sites": ["a.example"], "level": "interact"},
    }
    result = await on_hub("list_tabs", View(rows=[row]))
    assert "abcd2345" in result.text
    assert "interact on a.example" in result.text
    assert len(result.text.splitlines()) == 2, "a title cannot make lines of its own"
    assert result.data == {"tabs": [row]}


async def test_status_is_told_as_an_outline() -> None:
    state = {
        "version": "1",
        "tabs": [{"tabId": "a", "queue": {"waiting": 0}}, {"tabId": "b"}],
        "errors": [],
        "none": None,
    }
    text = (await on_hub("status", View(state=state))).text
    assert text.splitlines() == [
        "version: 1",
        "tabs:",
        "  - tabId: a",
        "    queue:",
        "      waiting: 0",
        "  - tabId: b",
    ]


def test_a_cut_text_says_where_to_go_on() -> None:
    whole = Read(url="u", title="t", content="abc", start=0, length=3)
    part = Read(url="u", title="t", content="abc", start=3, length=9)
    assert whole.text() == "abc"
    assert part.text() == "abc\n\n[characters 3-6 of 9; continue with start=6]"


def test_links_left_out_are_counted() -> None:
    link = Link(href="https://a.example/", text="A", ref="e1")
    assert "(4 more" in Links(links=[link], total=5).text()
    assert Links(links=[], total=0).text() == "No links."


def test_a_table_says_its_rows_and_what_is_missing() -> None:
    table = TableRows(ref="e1", caption="", columns=["A"], rows=[["x"]], start=2, total=9, stated=500)
    assert table.text().startswith("table ref=e1, rows 2-3 of 9; continue with start=3 (the page states 500")


def test_an_arrival_names_status_redirects_and_downloads() -> None:
    arrived = Arrived(url="https://a.example/", title="A", status=404, redirects=2)
    assert arrived.text() == "at https://a.example/ 'A', HTTP 404, 2 redirects"
    started = Arrived(url="https://a.example/", title="A", outcome="download", download="x.zip")
    assert started.text() == "download started: x.zip; the tab is still at https://a.example/ 'A'"
