"""Replay on pages with elements that resemble the recorded one: it is found among them, or nothing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.click import click
from kapture.scenarios.record.captured import CapturedStep, of_action
from kapture.scenarios.replay.finding import Finder
from tests.support.alike_elements import (
    addresses,
    button,
    cards,
    claims,
    dishes,
    files,
    invoices,
    menu,
    people,
    posts,
    question,
    rooms,
    seats,
    sections,
    sheets,
    slots,
    timetable,
    users,
)
from tests.support.context import Tab, open_tab
from tests.support.long import few
from tests.support.recorded import recording
from tests.support.site import Site

pytestmark = pytest.mark.e2e


FOUND: Mapping[str, tuple[str, str, str, str]] = {
    "a row before it is gone": (invoices("Acme", "Bolt", "Cord"), "#pay-1", invoices("Bolt", "Cord"), "Bolt"),
    "rows of a table in another order": (
        people("Ada", "Bob", "Cyd"),
        "[data-is=Bob]",
        people("Cyd", "Bob", "Ada"),
        "Bob",
    ),
    "items of a menu in another order": (
        menu("Edit", "Archive", "Delete"),
        "[data-is=Delete]",
        menu("Delete", "Archive", "Edit").replace("Ada", "Bob"),
        "Delete",
    ),
    "groups in another order": (
        addresses("Shipping", "Billing"),
        "[data-is=Shipping]",
        addresses("Billing", "Shipping"),
        "Shipping",
    ),
    "sections in another order": (
        sections("Shipping", "Billing"),
        "[data-is=Billing]",
        sections("Billing", "Shipping"),
        "Billing",
    ),
    "cards with equal rows in another order": (
        slots("Ada", "Bob"),
        "[data-is=Bob]",
        slots("Eve", "Bob", "Ada"),
        "Bob",
    ),
    "cards with equal rows become a table": (
        slots("Ada", "Bob"),
        "[data-is=Bob]",
        timetable("Bob", "Ada"),
        "Bob",
    ),
    "rows that only their numbers tell apart": (seats(12, 14), "[data-is='12']", seats(14, 11, 12), "12"),
    "parts that open, in another order": (
        sheets("a.py", "b.py"),
        "[data-is='b.py']",
        sheets("b.py", "c.py", "a.py"),
        "b.py",
    ),
}
GONE: Mapping[str, tuple[str, str, str]] = {
    "its row": (invoices("Acme", "Bolt", "Cord"), "#pay-1", invoices("Acme", "Cord")),
    "its row, of rows that share a test id": (users("Ada", "Bob"), "[data-is=Bob]", users("Ada")),
    "its row, of rows with several buttons, and all others but one": (
        posts("Hello", "Buy my pills"),
        "[data-is='Buy my pills']",
        posts("Hello"),
    ),
    "its row, of rows that links name": (files("a.py", "b.py"), "[data-is='b.py']", files("a.py", "bb.py")),
    "what was asked": (
        question("Extend this loan?", "Cancel", "Confirm"),
        "[data-is^=Confirm]",
        question("Delete this loan?", "Cancel", "Confirm"),
    ),
    "its row, of rows that have links": (rooms("Oak", "Elm"), "[data-is=Oak]", rooms("Ash")),
    "what it says, where it has no name": (dishes("Soup", "Pie"), "[data-is=Pie]", dishes("Soup", "Cake")),
    "whom it deleted": (
        '<h1>Ada</h1><button data-is="Ada">Delete</button>',
        "button",
        '<h1>Bob</h1><button data-is="Bob">Delete</button>',
    ),
    "all buttons of its card": (slots("Ada", "Bob", "Cyd"), "[data-is=Bob]", slots("Ada", "Bob", "Cyd", full="Bob")),
    "its card, of cards with equal rows": (slots("Ada", "Bob"), "[data-is=Bob]", slots("Ada", "Eve")),
    "its number": (seats(12, 14), "[data-is='12']", seats(14, 16)),
    "the sum that was agreed to": (claims("€48", "€310"), "[data-is=Bob]", claims("€48", "€3,100")),
    "its part that opens": (sheets("a.py", "b.py"), "[data-is='b.py']", sheets("a.py", "lib/b.py")),
    "its group": (addresses("Shipping", "Billing"), "[data-is=Shipping]", addresses("Billing")),
    "the button of the first card": (
        cards("Oak", "Pine", "Elm"),
        "[data-is=Oak]",
        cards("Oak", "Pine", "Elm", sold_out="Oak"),
    ),
    "the button of the last card": (
        cards("Oak", "Pine", "Elm"),
        "[data-is=Elm]",
        cards("Oak", "Pine", "Elm", sold_out="Elm"),
    ),
    "what it did": (button("Follow"), "#it", button("Unfollow")),
    "what it did, and its id": (button("Sign in"), "#it", button("Sign in with Google", "")),
}


async def show(tab: Tab, site: Site, html: str) -> None:
    """Load a page of these elements."""
    site.pages = {"/": f"<!doctype html><main>{html}</main>"}
    await tab("navigate", url=site.url(), timeout=30_000)


async def recorded_click(tab: Tab, site: Site, html: str, selector: str) -> CapturedStep:
    await show(tab, site, html)
    async with recording(tab.page) as recorded:
        await click(tab.page, selector)
        return of_action(await recorded.action("click"))


async def found_on(tab: Tab, step: CapturedStep, timeout_ms: float) -> str:
    """Which of the elements it is."""
    finder = Finder(call=lambda name, arguments, *, shown=None: tab(name, **arguments), tab_id=tab.page.tab_id)
    found = await finder.find(list(step.targets), step.element, timeout_ms)
    elements: Sequence[Mapping[str, Mapping[str, str]]] = (await tab.data("elements", target={"ref": found.ref}))[
        "elements"
    ]
    return elements[0]["attributes"]["data-is"]


@pytest.mark.parametrize("change", few(FOUND, "a row before it is gone"))
async def test_recorded_element_is_found_among_similar_ones(browser: int, site: Site, change: str) -> None:
    html, selector, changed, wanted = FOUND[change]
    async with open_tab(browser) as tab:
        step = await recorded_click(tab, site, html, selector)
        await show(tab, site, changed)
        assert await found_on(tab, step, 30_000) == wanted


@pytest.mark.parametrize("change", few(GONE, "its row", "what it did, and its id"))
async def test_similar_element_is_never_taken_for_one_that_is_gone(browser: int, site: Site, change: str) -> None:
    html, selector, changed = GONE[change]
    async with open_tab(browser) as tab:
        step = await recorded_click(tab, site, html, selector)
        await show(tab, site, html)
        assert await found_on(tab, step, 30_000)
        await show(tab, site, changed)
        assert await tab.page.evaluate("document.querySelectorAll('[data-is]').length") == changed.count("data-is")
        with pytest.raises(KaptureError) as refused:
            await found_on(tab, step, 100)
    assert refused.value.code is ErrorCode.ELEMENT_NOT_FOUND
