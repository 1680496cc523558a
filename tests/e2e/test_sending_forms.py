"""A form that the browser does not send, because a field is invalid, is said to be not sent."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

FORM = "<form onsubmit='event.preventDefault()' {}>{}<button id=x>Send</button></form>"
CUSTOM = """<script>customElements.define('my-field',class extends HTMLElement{static formAssociated=true;constructor(){
super();this.attachInternals().setValidity({customError:true},'Choose one.')}})</script>"""

INVALID: dict[str, tuple[str, str]] = {
    "a field": (
        FORM.format("", "<input id=i required oninvalid='this.setCustomValidity(`Your name, please`)'>"),
        "Your name, please",
    ),
    "a custom element that cannot take the focus": (
        CUSTOM + FORM.format("", "<my-field>colour</my-field>"),
        "<my-field>",
    ),
}


@pytest.mark.parametrize(("html", "said"), INVALID.values(), ids=INVALID)
async def test_why_the_browser_does_not_send_a_form_is_part_of_the_answer(
    browser: int, site: Site, html: str, said: str
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        assert "! the form was not sent: " in answer
        assert said in answer


SENT = {
    "nothing is invalid": FORM.format("", "<input value=Ann required>"),
    "the page validates itself": FORM.format("novalidate", "<input required>"),
    "the page only asks": FORM.format("", "<input value=Ann>")
    + "<input id=y required><script>x.onclick=()=>y.checkValidity()</script>",
    "the page shows a message of its own": FORM.format("", "<input required oninvalid='event.preventDefault()'>"),
}


@pytest.mark.parametrize("html", SENT.values(), ids=SENT)
async def test_nothing_is_said_of_forms_where_the_browser_says_nothing(browser: int, site: Site, html: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        await tab("snapshot")
        assert "not sent" not in await tab.text("click", selector="#x")
