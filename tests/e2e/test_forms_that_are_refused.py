"""Forms that the browser does not submit because a field is invalid, which it says in a bubble of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.context import Tab, open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

PAGE = """<form id=f><label>Years <input type=number name=years max=60></label>
<label>Name <input name=n required></label>
<button>Next</button></form><form id=plain><label>Mail <input type=email></label></form><div id=host></div>
<form id=own novalidate><label>Own <input required></label><button>Check</button></form><p id=p></p><script>
host.attachShadow({mode: 'open'}).innerHTML = '<form><label>Code <input required></label><button>Send</button></form>';
own.onsubmit = () => { p.textContent = own.checkValidity() ? 'fine' : 'fill it in'; return false };
f.onsubmit = () => { p.textContent = 'sent'; f.reset(); return false }</script>"""
"""`plain` has no button: Enter submits it. `own` checks itself. `f` is invalid again once it has been submitted."""


@pytest.fixture
async def tab(browser: int, site: Site) -> AsyncIterator[Tab]:
    site.pages["/form"] = PAGE
    async with open_tab(browser, site.url("/form")) as opened:
        await opened("snapshot")
        yield opened


async def test_a_form_that_the_browser_refuses_is_not_called_submitted(tab: Tab) -> None:
    fields = [{"target": {"label": "Name"}, "value": "Ada"}, {"target": {"label": "Years"}, "value": 70}]
    text = await tab.text("fill_form", fields=fields, submit=True)
    assert 'clicked <button> "Next" ref=' in text
    assert "submitted with" not in text
    assert 'the browser did not submit the form: <input> "Years" ref=' in text
    assert '"Value must be less than or equal to 60."' in text
    text = await tab.text("fill_form", fields=[{"target": {"label": "Years"}, "value": 7}], submit=True)
    assert 'submitted with <button> "Next" ref=' in text
    assert "did not submit" not in text


async def test_a_click_and_enter_say_what_the_browser_says(tab: Tab) -> None:
    assert '"Please fill out this field."' in await tab.text("click", target={"text": "Next"})
    await tab("fill", target={"label": "Mail"}, value="ada")
    assert 'the browser did not submit the form: <input> "Mail" ref=' in await tab.text("press", key="Enter")
    assert '"Please fill out this field."' in await tab.text("click", target={"text": "Send"})


async def test_form_with_own_checks_shows_its_own_messages(tab: Tab) -> None:
    text = await tab.text("click", target={"text": "Check"})
    assert "fill it in" in text
    assert "did not submit" not in text


async def test_a_form_of_custom_elements_is_submitted_from_within_one_and_may_be_refused(
    browser: int, site: Site
) -> None:
    site.pages["/custom"] = """<form><x-field name=nick></x-field><button>Save</button></form><p id=p></p><script>
        customElements.define('x-field', class extends HTMLElement {
          static formAssociated = true;
          constructor() {
            super();
            const own = this.attachInternals(), root = this.attachShadow({mode: 'closed'});
            root.innerHTML = '<label>Nickname <input></label>';
            const field = root.querySelector('input');
            const short = {tooShort: true};
            field.oninput = () => own.setValidity(field.value.length < 3 ? short : {}, 'At least 3 letters', field);
            field.oninput() } });
        document.forms[0].onsubmit = () => { p.textContent = 'saved'; return false }</script>"""
    async with open_tab(browser, site.url("/custom")) as tab:
        await tab("snapshot")
        nickname = {"target": {"label": "Nickname"}, "value": "ad"}
        text = await tab.text("fill_form", fields=[nickname], submit=True)
        assert "the browser did not submit the form: <x-field>" in text
        text = await tab.text("fill_form", fields=[{**nickname, "value": "ada"}], submit=True)
        assert 'submitted with <button> "Save"' in text
        assert "saved" in text
