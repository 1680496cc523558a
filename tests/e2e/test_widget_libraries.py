"""Everyday tasks in popular widget libraries, done by an agent; each page's own state decides."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
import pytest
from mcp import Client

from tests.support.patience import until
from tests.support.site import Site
from tests.support.stack import HubProcess, browser_process, call, mcp_client
from tests.support.widget_pages import serving_widgets

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving_widgets(tmp_path_factory.mktemp("widgets")) as served:
        yield served


@pytest.fixture(scope="module")
def tab_id(hub: HubProcess) -> Iterator[str]:
    with browser_process(hub) as rows:
        yield rows[0]["tabId"]


@attrs.frozen
class Agent:
    """An official client at work in one tab."""

    client: Client
    tab_id: str
    site: Site

    async def __call__(self, tool: str, /, **arguments: Any) -> str:
        return await call(self.client, tool, tabId=self.tab_id, **arguments)

    async def open(self, page: str) -> str:
        await self("navigate", url=self.site.url(f"/{page}"))
        return await self("snapshot")

    async def click(self, role: str, name: str, **more: Any) -> str:
        return await self("click", target={"role": role, "name": name, **more})

    async def state(self) -> dict[str, Any]:
        """Return the reports of the page's own event handlers."""
        lines = (await self("get_text", selector="#state")).splitlines()
        state: dict[str, Any] = json.loads(next(line for line in lines if line.startswith("{")))
        return state

    async def reports(self, **expected: Any) -> None:
        """Wait until the page reports this: libraries do some of their work in timers and animations."""
        state: dict[str, Any] = {}

        async def look() -> bool:
            nonlocal state
            state = await self.state()
            return expected.items() <= state.items()

        try:
            await until(look, f"{expected} in the page")
        except AssertionError as error:
            raise AssertionError(f"{error}; it reports {state}") from None


@pytest.fixture
async def agent(hub: HubProcess, tab_id: str, site: Site) -> AsyncIterator[Agent]:
    async with mcp_client(hub, "--toolsets", "core,more") as client:
        yield Agent(client, tab_id, site)


async def test_jquery_ui_dates_suggestions_sliders_sorting_tabs_and_dialogs(agent: Agent) -> None:
    await agent.open("jquery_ui")
    await agent("type", text="Li", target={"role": "textbox", "name": "City"})
    await agent("wait_for", text="Lisbon")  # a timer of the library looks for it
    await agent("click", target={"text": "Lisbon"})
    assert "May" in await agent("click", target={"role": "textbox", "name": "Travel date"})
    await agent("click", target={"text": "Next"})
    await agent.click("link", "21")
    await agent("click", target={"css": "#volume .ui-slider-handle"})
    await agent("press", key="ArrowRight")
    await agent("drag", source={"text": "Shop"}, target={"text": "Wash up"})
    assert "The second panel" in await agent.click("tab", "Second")
    assert "This cannot be undone." in await agent.click("button", "Delete account")
    await agent.click("button", "Delete")
    await agent.reports(
        date="2030-06-21",
        city="Lisbon",
        volume=25,
        tasks=["Shop", "Wash up", "Cook"],
        tab="two",
        deleted=True,
    )


@pytest.mark.long
async def test_sortablejs_lists_grids_and_from_one_list_to_another(agent: Agent) -> None:
    await agent.open("sortable")
    await agent("drag", source={"css": "#rows li:nth-child(1)"}, target={"css": "#rows li:nth-child(3)"})
    await agent("drag", source={"text": "Tile Epsilon"}, target={"text": "Tile Alpha"})
    await agent("drag", source={"text": "Write"}, target={"text": "Plan"})
    await agent.reports(
        rows=["Beta", "Gamma", "Alpha", "Delta", "Epsilon"],
        tiles=["Tile Epsilon", "Tile Alpha", "Tile Beta", "Tile Gamma", "Tile Delta"],
        todo=["Test"],
    )
    assert sorted((await agent.state())["done"]) == ["Plan", "Write"]


@pytest.mark.long
async def test_quill_text_is_written_and_made_bold(agent: Agent) -> None:
    await agent.open("quill")
    await agent("fill", target={"css": ".ql-editor"}, value="Hello")
    await agent("press", key="Control+a")
    await agent.click("button", "bold")
    await agent("press", key="ArrowRight")
    await agent.click("button", "bold")
    await agent("type", text=" world")
    assert (await agent.state())["html"].replace("&nbsp;", " ") == "<p><strong>Hello</strong> world</p>"


@pytest.mark.long
async def test_flatpickr_days_and_times_are_picked(agent: Agent) -> None:
    await agent.open("flatpickr")
    assert "March" in await agent.click("textbox", "Departure")
    await agent("click", target={"css": ".flatpickr-calendar.open .flatpickr-next-month"})
    await agent("click", target={"label": "April 9, 2030"})
    await agent.click("textbox", "Meeting")
    await agent("fill", target={"css": ".flatpickr-calendar.open .flatpickr-hour"}, value="14")
    await agent("press", key="Enter")
    await agent.reports(day="2030-04-09", time="14:30")


@pytest.mark.long
async def test_tom_select_one_is_chosen_many_are_collected_and_removed(agent: Agent) -> None:
    await agent.open("tom_select")
    await agent("select", target={"role": "combobox", "name": "Favourite"}, value="Cherry")
    await agent("select", target={"role": "combobox", "name": "Basket"}, value=["Apple", "Fig"])
    await agent("click", target={"css": ".multi .item[data-value=Apple] .remove"})
    await agent.reports(one="Cherry", many=["Fig"])


async def test_radix_dialogs_selects_menus_switches_sliders_and_tabs(agent: Agent) -> None:
    await agent.open("radix")
    assert "Rename the file" in await agent.click("button", "Rename…")
    await agent("fill", target={"role": "textbox", "name": "Name"}, value="report.pdf")
    await agent.click("button", "Save")
    await agent("select", target={"role": "combobox", "name": "Size"}, value="Medium")
    assert "Print" in await agent.click("button", "File")
    await agent.click("menuitem", "Open")
    await agent.click("switch", "Wi-Fi")
    await agent("fill", target={"role": "checkbox", "name": "Remember me"}, value=True)
    await agent("fill", target={"role": "slider", "name": "Brightness"}, value=40)
    assert "Your invoices" in await agent.click("tab", "Billing")
    await agent.reports(
        name="report.pdf",
        size="Medium",
        menu="Open",
        wifi=True,
        remember=True,
        brightness=40,
        tab="b",
    )


@pytest.mark.long
async def test_fullcalendar_months_days_and_events(agent: Agent) -> None:
    assert "Dentist" in await agent.open("fullcalendar")
    await agent("click", target={"text": "Dentist"})
    await agent("drag", source={"text": "Review"}, target={"css": "[data-date='2030-06-21']"})
    await agent("click", target={"css": "[data-date='2030-06-12']"})
    assert "July 2030" in await agent.click("button", "Next month")
    await agent.reports(opened="Dentist", moved=["Review", "2030-06-21"], day="2030-06-12", shown="July 2030")


@pytest.mark.long
async def test_tabulator_rows_are_sorted_filtered_edited_and_removed(agent: Agent) -> None:
    await agent.open("tabulator")
    await agent("click", target={"text": "Age"})
    await agent.reports(order=["Nora", "Ida", "Mei", "Zoe", "Ali", "Bob"])
    await agent("click", target={"css": ".tabulator-row:nth-child(1) [tabulator-field=age]"})
    await agent("fill", target={"css": ".tabulator-cell.tabulator-editing input"}, value="51")
    await agent("press", key="Enter")
    await agent("fill", target={"role": "searchbox"}, value="o")

    async def filtered() -> bool:
        return sorted((await agent.state()).get("filtered", [])) == ["Bob", "Nora", "Zoe"]

    async def removed() -> bool:
        return (await agent.state()).get("removed") in ("Nora", "Zoe", "Bob")

    await until(filtered, "the rows with an o")
    await agent("click", target={"text": "✕", "nth": 0})
    await until(removed, "a row less")
    await agent.reports(edited=["Nora", "age", 51])


@pytest.mark.long
async def test_codemirror_source_is_replaced_and_typed(agent: Agent) -> None:
    assert "const a = 1;" in await agent.open("codemirror")
    await agent("fill", target={"role": "textbox", "name": "Source"}, value="let x = 1;\nlet y = 2;")
    await agent("press", key="Control+End")
    await agent("press", key="Enter")
    await agent("type", text="let z = 3;")
    await agent.reports(source="let x = 1;\nlet y = 2;\nlet z = 3;")


@pytest.mark.long
async def test_leaflet_maps_are_zoomed_dragged_and_their_markers_opened(agent: Agent) -> None:
    await agent.open("leaflet")
    assert "Cathedral: open from 9 to 18" in await agent.click("button", "Cathedral")
    await agent.click("button", "Zoom in")
    before = (await agent.state())["centre"]
    await agent("drag", source={"x": 300, "y": 300}, target={"x": 400, "y": 360})
    state = await agent.state()
    assert state["zoom"] == 11
    assert state["centre"][0] > before[0]
    assert state["centre"][1] < before[1]
