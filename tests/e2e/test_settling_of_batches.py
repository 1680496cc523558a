"""The steps of a batch, and the fields of a form, settle as far as what follows them depends on the page."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kapture.commands.core import later_effects
from tests.support.context import open_tab
from tests.support.settling import at, patient, slow
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e

Step = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({}) as site:
        yield site


def batch(*steps: Step) -> list[dict[str, Any]]:
    return [{"command": command, "arguments": arguments} for command, arguments in steps]


SEARCH = """<select id=s aria-label=Shelf><option>Tea<option>Coffee</select><input id=x aria-label=Search><button id=b>Go</button>
<p id=p>all</p><h2 id=h>Tea</h2><script>let t; const find = () => { p.textContent = 'Searching…'; clearTimeout(t);
t = setTimeout(() => p.textContent = 'Found ' + s.value + ' ' + x.value, 150) };
s.onchange = () => { h.textContent = s.value; find() }; x.oninput = find; b.onclick = find</script>"""

# A page, the steps of a batch, and what its answer shows because the last step alone would show it.
LAST_STEPS: dict[str, tuple[str, list[Step], str]] = {
    "a search after a choice that has changed the page": (
        SEARCH,
        [("select", {"selector": "#s", "label": "Coffee"}), ("fill", {"selector": "#x", "value": "dark"})],
        "Found Coffee dark",
    ),
    "a button after fields": (
        SEARCH,
        [("select", {"selector": "#s", "label": "Coffee"}), ("click", {"selector": "#b"})],
        "Found Coffee",
    ),
    "a route whose contents come later": (
        """<button id=a>Like</button><p id=n>0</p><a href=# id=x>Inbox</a><main id=m><h1>Home</h1></main><script>
        a.onclick=()=>n.textContent='1 like';x.onclick=(e)=>{e.preventDefault();history.pushState(0,'','/inbox');m.innerHTML='';
        setTimeout(()=>m.innerHTML='<h1>3 mails</h1>',150)}</script>""",
        [("click", {"selector": "#a"}), ("click", {"selector": "#x"})],
        "3 mails",
    ),
    "what a server finds long after": (
        """<button id=a>Like</button><p id=n>0</p><button id=x>Count</button><p id=p>none</p><script>
        a.onclick=()=>n.textContent='1 like';x.onclick=async()=>{p.textContent='Counting…';p.textContent=await(await fetch('/count')).text()}
        </script>""",
        [("click", {"selector": "#a"}), ("click", {"selector": "#x"})],
        "12 words",
    ),
    "a panel that shows a spinner": (
        """<div role=tablist><button role=tab id=a>A</button><button role=tab id=b>B</button></div><div id=v>Panel A</div><script>
        const show=(n)=>{v.innerHTML='<div role=progressbar aria-label=Loading></div>';setTimeout(()=>v.innerHTML='<p>Panel '+n+' is here</p>',150)};
        a.onclick=()=>v.innerHTML='<p>At once</p>';b.onclick=()=>show('B')</script>""",
        [("click", {"selector": "#a"}), ("click", {"selector": "#b"})],
        "Panel B is here",
    ),
}


@pytest.mark.parametrize(("html", "steps", "shown"), LAST_STEPS.values(), ids=LAST_STEPS)
async def test_the_last_step_of_a_batch_answers_as_the_step_alone(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, html: str, steps: list[Step], shown: str
) -> None:
    patient(monkeypatch)
    site.pages["/count"] = slow("12 words", 0.7)
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        await tab("snapshot")
        assert shown in await tab.text("batch", steps=batch(*steps), timeout=60_000)


SUGGESTIONS = """<input id=x aria-label=Country><ul id=l></ul><p id=p></p><script>let t; const all = ['Chile', 'Peru', 'Spain'];
const draw = (some) => l.innerHTML = some.map(one => `<li><button onclick="p.textContent='Chose ${one}'">Choose</button> ${one}</li>`).join('');
draw(all); x.oninput = () => { clearTimeout(t); t = setTimeout(() => draw(all.filter(one => one.toLowerCase().startsWith(x.value))), 150) };
x.onkeydown = (e) => { if (e.key === 'Enter') p.textContent = 'Took the first of ' + l.children.length }</script>"""

# A page, the steps of a batch, and the text that the second step's answer holds, or the page has in the end.
IN_BETWEEN: dict[str, tuple[str, list[Step], str]] = {
    "a reader": (
        SEARCH,
        [("fill", {"selector": "#x", "value": "dark"}), ("get_text", {"selector": "#p"})],
        "Found Tea dark",
    ),
    "a script": (
        SEARCH,
        [("fill", {"selector": "#x", "value": "dark"}), ("evaluate", {"code": "p.textContent"})],
        "Found Tea dark",
    ),
    "a press of the first of several": (
        SUGGESTIONS,
        [
            ("fill", {"selector": "#x", "value": "pe"}),
            ("click", {"target": {"role": "button", "name": "Choose", "nth": 0}}),
        ],
        "Chose Peru",
    ),
    "a press of the only one there will be": (
        SUGGESTIONS,
        [("fill", {"selector": "#x", "value": "pe"}), ("click", {"target": {"role": "button", "name": "Choose"}})],
        "Chose Peru",
    ),
    "a key": (
        SUGGESTIONS,
        [("fill", {"selector": "#x", "value": "pe"}), ("press", {"key": "Enter"})],
        "Took the first of 1",
    ),
    "a choice among options that come later": (
        """<select id=a aria-label=Country><option>Chile<option>Peru</select><select id=b aria-label=City><option>Arica</select><p id=p></p><script>
        a.onchange=()=>setTimeout(()=>b.innerHTML='<option>Arica<option>Cusco',150);b.onchange=()=>p.textContent='Went to '+b.value</script>""",
        [("select", {"selector": "#a", "label": "Peru"}), ("select", {"selector": "#b", "label": "Cusco"})],
        "Went to Cusco",
    ),
}


@pytest.mark.parametrize("mode", ["diff", "none"])
@pytest.mark.parametrize(("html", "steps", "shown"), IN_BETWEEN.values(), ids=IN_BETWEEN)
async def test_a_step_sees_what_the_one_before_it_brings(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, html: str, steps: list[Step], shown: str, mode: str
) -> None:
    patient(monkeypatch)
    # Without a snapshot from before, nobody knows whether the change has come already.
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 5)
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        answer = await tab("batch", steps=batch(*steps), snapshot=mode, timeout=60_000)
        assert answer.data["done"] == 2, answer.text
        assert shown in answer.text + await tab.page.evaluate("p.textContent")


async def test_fields_of_a_batch_are_filled_without_waiting_for_timers(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<input id=a aria-label=A><input id=b aria-label=B><script>a.oninput=()=>setTimeout(()=>document.title='over',60_000)</script>",
        )
        shown = await tab.text("snapshot")
        ref = shown.split('"B" ref=')[1].split()[0]
        steps = batch(("fill", {"selector": "#a", "value": "1"}), ("fill", {"target": {"label": "B"}, "value": "2"}))
        for mode in ("none", "diff"):
            answer = await tab("batch", steps=steps, snapshot=mode)
            assert "pending" not in answer.text
        pressed = batch(("fill", {"selector": "#a", "value": "3"}), ("click", {"target": ref}))
        assert "pending" not in await tab.text("batch", steps=pressed)


# Shorter and longer than requests are waited for.
@pytest.mark.parametrize("seconds", [0.3, 2])
async def test_messages_that_come_and_go_in_the_last_step_of_a_batch_are_kept(
    browser: int, site: Site, seconds: float
) -> None:
    site.pages["/data"] = slow("{}", seconds)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<button id=x onclick="const t=document.createElement('div');t.setAttribute('role','status');t.textContent='Saved for you';
            document.body.append(t);setTimeout(()=>t.remove(),60);fetch('/data')">Go</button>""",
        )
        await tab("snapshot")
        answer = await tab.text("batch", steps=batch(("hover", {"selector": "#x"}), ("click", {"selector": "#x"})))
        assert "Saved for you" in answer


async def test_the_last_field_of_a_form_settles_as_it_would_alone(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    async with open_tab(browser) as tab:
        for extra in ({}, {"submit_target": "#b"}):
            await at(tab, site, SEARCH)
            await tab("snapshot")
            fields = [{"selector": "#s", "value": "Coffee"}, {"selector": "#x", "value": "dark"}]
            answer = await tab.text("fill_form", fields=fields, **extra, timeout=60_000)
            assert "Found Coffee dark" in answer
