"""The table of settling (kapture/page/settling/table.py), a row at a time, over pages."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kapture.page.settling import settle
from kapture.page.settling.table import markdown
from tests.support.context import Tab, open_tab
from tests.support.settling import at, patient, slow
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/next": "<title>Next</title><h1>Next</h1>"}) as site:
        yield site


@pytest.fixture
async def tab(browser: int) -> Iterator[Tab]:  # type: ignore[misc]
    async with open_tab(browser) as tab:
        yield tab


async def press(tab: Tab, site: Site, html: str, **more: object) -> str:
    """Show a page, and click what has the id `x`."""
    await at(tab, site, f"{html}<p id=p>none")
    await tab("snapshot")
    return await tab.text("click", selector="#x", **more)


def test_documentation_shows_the_table_as_it_stands_in_the_code() -> None:
    assert markdown() in (Path(__file__).parents[2] / "docs" / "SNAPSHOTS.md").read_text()


async def test_dialog_ends_the_waiting(tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch)
    site.pages["/held"] = Page("", wait=(held := threading.Event()))
    try:
        answer = await press(tab, site, "<button id=x onclick=\"fetch('/held');alert('Now')\">Go</button>")
    finally:
        held.set()
    assert 'dialog alert "Now" is open' in answer
    await tab("handle_dialog", accept=True)


async def test_file_chooser_is_reported(tab: Tab, site: Site) -> None:
    assert "opened the file chooser" in await press(tab, site, "<input type=file id=x>")


@pytest.mark.parametrize("snapshot", ["diff", "none"])
async def test_navigation_is_followed_to_its_document(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch, snapshot: str
) -> None:
    patient(monkeypatch)
    site.pages["/slow"] = slow("<title>Slow</title><h1>There</h1>", 0.7)
    answer = await press(tab, site, "<form action=/slow><button id=x>Go</button></form>", snapshot=snapshot)
    assert "navigated to" in answer
    assert await tab.page.evaluate("document.title") == "Slow"


async def test_navigation_of_the_frame_acted_in_is_followed(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(settle, "AT_MOST_S", 0.5)
    site.pages["/slow"] = slow("<h1>There</h1>", 1)
    site.pages["/inner"] = "<a href=/slow>Inside</a>"
    await at(tab, site, "<iframe src=/inner></iframe>")
    await tab("snapshot")
    assert "There" in await tab.text("click", target={"text": "Inside"})


async def test_new_document_shows_what_its_scripts_fetch(tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch)
    site.pages["/data"] = slow("Fetched", 0.3)
    site.pages["/app"] = "<p id=p>Loading<script>fetch('/data').then(r=>r.text()).then(t=>p.textContent=t)</script>"
    assert "Fetched" in await press(tab, site, "<a id=x href=/app>Go</a>")


@pytest.mark.parametrize("snapshot", ["diff", "none"])
async def test_answers_to_requests_are_waited_for(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch, snapshot: str
) -> None:
    patient(monkeypatch)
    site.pages["/data"] = slow("Fetched", 0.3)
    script = "fetch('/data').then(r=>r.text()).then(t=>p.textContent=t)"
    await press(tab, site, f'<button id=x onclick="{script}">Go</button>', snapshot=snapshot)
    assert await tab.page.evaluate("p.textContent") == "Fetched"


async def test_request_without_an_answer_is_counted(tab: Tab, site: Site) -> None:
    site.pages["/held"] = Page("", wait=(held := threading.Event()))
    try:
        answer = await press(tab, site, "<button id=x onclick=\"fetch('/held')\">Go</button>")
    finally:
        held.set()
    assert "1 request has no answer yet" in answer


CHANGES = {
    "text": ("<button id=x onclick=\"p.textContent='done'\">Go</button>", "done"),
    "text later": ("<button id=x onclick=\"setTimeout(()=>p.textContent='done',100)\">Go</button>", "done"),
    "value": ("<button id=x onclick=\"i.value='done'\">Go</button><input id=i>", "done"),
    "toggle": ("<button id=x aria-pressed=false onclick=\"this.ariaPressed='true'\">Go</button>", "pressed"),
    "popover": ("<button id=x popovertarget=o>Go</button><div id=o popover><button>Inner</button></div>", "Inner"),
    "shadow": ("<button id=x onclick=\"h.attachShadow({mode:'open'}).innerHTML='<b>done</b>'\">Go</button><div id=h>", "done"),
    "class": ('<button id=x onclick="this.className=\'on\'">Go</button>', 'class "on"'),
    "scroll": ("<button id=x onclick=\"q.scrollIntoView({behavior:'smooth'})\">Go</button><div style=height:2000px></div><h2 id=q>Below</h2>", "came into view"),
    "transition": (
        "<style>#m{visibility:hidden;opacity:0;transition:all .3s}#m.o{visibility:visible;opacity:1}</style>"
        "<button id=x onclick=\"m.className='o'\">Go</button><div id=m><button>Inner</button></div>",
        "Inner",
    ),
    "fade": (
        "<style>#m{transition:opacity .3s}</style><div id=m><button>Inner</button></div>"
        "<button id=x onclick=\"m.style.opacity=0;m.ontransitionend=()=>{m.remove();p.textContent='removed'}\">Go</button>",
        "removed",
    ),
    "message": (
        "<button id=x onclick=\"let t=document.createElement('div');t.role='status';t.textContent='Saved';document.body.append(t);setTimeout(()=>t.remove(),80)\">Go</button>",
        '! "Saved" (appeared and disappeared)',
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHANGES)
async def test_changes_are_shown(tab: Tab, site: Site, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch)
    html, shown = CHANGES[kind]
    answer = await press(tab, site, html)
    assert shown in answer
    assert "no change" not in answer


async def test_changes_without_end_are_cut_off(tab: Tab, site: Site) -> None:
    html = '<button id=x onclick="let n=0;setInterval(()=>p.textContent=`step ${n++}`,20)">Go</button>'
    assert "step" in await press(tab, site, html)


async def test_nothing_is_answered_with_no_change_yet(tab: Tab, site: Site) -> None:
    answer = await press(tab, site, "<button id=x onclick=\"setTimeout(()=>p.textContent='late',60000)\">Go</button>")
    assert "no other change yet" in answer  # the focus has moved
    assert "no change yet" in await tab.text("click", selector="#x")


async def test_changes_of_what_is_not_shown_do_not_end_the_waiting(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    html = "<div hidden id=h></div><button id=x onclick=\"h.textContent='a';setTimeout(()=>p.textContent='done',500)\">Go</button>"
    assert "done" in await press(tab, site, html)


async def test_steps_of_a_batch_settle_by_the_same_table(tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    patient(monkeypatch)
    await at(tab, site, "<button id=x onclick=\"setTimeout(()=>p.textContent='late',200)\">Go</button><p id=p>none")
    await tab("snapshot")
    steps = [
        {"command": "click", "arguments": {"selector": "#x"}},
        {"command": "evaluate", "arguments": {"code": "p.textContent"}},
    ]
    assert '"late"' in await tab.text("batch", steps=steps)
