"""What a page shows when its server has answered, however long that takes, is waited for within limits."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kapture.commands.core import later_effects, page_after
from kapture.page.settling import settle
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/later": Page("later", wait=threading.Event())}) as site:
        yield site


@pytest.fixture
def answered(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Set when the server answers at `/later`. The time for requests is up at once, that for their effects is not, and
    nothing else is waited for."""
    monkeypatch.setattr(settle, "REQUESTS_BOUND_S", 0)
    monkeypatch.setattr(later_effects, "UNTRACED_CHANGE_S", 0)
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 10)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 30_000)
    answers = threading.Event()
    site.pages["/later"] = Page("later", wait=answers)
    yield answers
    answers.set()


# What the page does with the request for `/later`, which is answered when the page's snapshot has been taken twice.
SHOWN_LATER: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "a text": (
        "<button id=x>Go</button><p id=p></p><script>x.onclick=async()=>p.textContent=await(await fetch('/later')).text()</script>",
        "click",
        {"selector": "#x"},
        "later",
    ),
    "a text where a style tells to wait": (
        """<button id=x>Go</button><p id=p></p><script>x.onclick=async()=>{p.className='spins';
        p.textContent=await(await fetch('/later')).text()}</script>""",
        "click",
        {"selector": "#x"},
        "later",
    ),
    "suggestions for each key": (
        """<input id=x><ul id=l></ul><script>x.oninput=async()=>{const s=await(await fetch('/later')).text();
        l.innerHTML='<li>'+s}</script>""",
        "fill",
        {"selector": "#x", "value": "la"},
        "later",
    ),
    "another page": (
        "<button id=x>Go</button><script>x.onclick=async()=>{await fetch('/later');location.href='/next'}</script>",
        "click",
        {"selector": "#x"},
        "navigated to",
    ),
}


@pytest.mark.parametrize(("html", "command", "arguments", "shown"), SHOWN_LATER.values(), ids=SHOWN_LATER)
async def test_an_answer_that_comes_late_is_waited_for(
    browser: int,
    site: Site,
    answered: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    html: str,
    command: str,
    arguments: dict[str, Any],
    shown: str,
) -> None:
    site.pages["/next"] = "<title>Next</title><h1>Next</h1>"
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        await tab("snapshot")
        first_change = tab.page.first_change

        async def then_answered(*args: Any) -> bool:
            answered.set()
            return await first_change(*args)

        monkeypatch.setattr(tab.page, "first_change", then_answered)
        assert shown in await tab.text(command, **arguments, timeout=60_000)
        assert answered.is_set()


async def test_an_answer_that_is_shown_a_while_later_is_waited_for(
    browser: int, site: Site, answered: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the page sets timers all the time, nothing tells that of the answer from these."""
    monkeypatch.setattr(settle, "REQUESTS_BOUND_S", 30)
    monkeypatch.setattr(later_effects, "REPLY_S", 10)
    answered.set()
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<button id=x>Go</button><p id=p></p><script>(function tick(){setTimeout(tick,10)})();x.onclick=async()=>{
            const s=await(await fetch('/later')).text();setTimeout(()=>p.textContent=s,100)}</script>""",
        )
        await tab("snapshot")
        assert "later" in await tab.text("click", selector="#x", timeout=60_000)


async def test_an_answer_that_does_not_come_is_named(
    browser: int, site: Site, answered: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 0.05)
    async with open_tab(browser) as tab:
        await at(tab, site, "<button id=x onclick=\"fetch('/later')\">Go</button>")
        await tab("snapshot")
        assert "no other change yet; 1 request has no answer yet" in await tab.text("click", selector="#x")
        assert "no change yet; 1 request has no answer yet" in await tab.text("click", selector="#x")


async def test_a_change_is_not_followed_by_a_wait_for_the_answer(
    browser: int, site: Site, answered: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 60)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x onclick=\"p.textContent='Added';fetch('/later')\">Go</button><p id=p>Empty</p>",
        )
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        assert "Added" in answer
        assert answer.endswith("\n1 request has no answer yet")  # the page may take it back
        assert not answered.is_set()


async def test_without_a_snapshot_no_answer_is_waited_for(
    browser: int, site: Site, answered: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 60)
    async with open_tab(browser) as tab:
        await at(tab, site, "<button id=x onclick=\"fetch('/later')\">Go</button>")
        await tab("snapshot")
        assert "no answer yet" not in await tab.text("click", selector="#x", snapshot="none")


DATA = """<title>Stock</title><ul id=l></ul><script>
fetch('/data').then((answer) => answer.text()).then((text) => (l.innerHTML = `<li>${text}`))</script>"""


async def test_a_page_is_shown_with_the_data_that_it_asks_for(browser: int, site: Site) -> None:
    answered = threading.Event()
    site.pages |= {"/stock": DATA, "/data": Page("Forty apples", wait=answered)}
    async with open_tab(browser) as tab:
        held = await tab.text("navigate", url=site.url("/stock"), snapshot="full")
        assert "1 request has no answer yet" in held
        assert "Forty apples" not in held
        answered.set()
        text = await tab.text("reload", snapshot="full")
        assert "Forty apples" in text
        assert "no answer yet" not in text


async def test_data_is_not_waited_for_where_the_page_is_not_shown(browser: int, site: Site) -> None:
    site.pages |= {"/stock": DATA, "/data": Page(wait=threading.Event())}
    async with open_tab(browser) as tab:
        assert "no answer yet" not in await tab.text("navigate", url=site.url("/stock"), snapshot="none")
        site.pages["/data"].wait.set()  # type: ignore[union-attr]
